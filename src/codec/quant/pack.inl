// Packing a block from the pieces that each instruction set defines before including this inside its target region:
// sampled_width<order> and pack_order<order>.

std::size_t pack(Points& points, std::size_t n, std::byte* out) {
  const std::size_t subs = subs_of(n);
  // The residuals beyond n must be 0: order 0 wants zeros there, order 1 the last point again.
  // Whole groups, since some kernels work on those.
  const std::size_t padded = (subs + group_subs - 1) / group_subs * group_subs * sub_values;
  const auto pad = [&](std::int32_t value) { std::fill(points.q + n, points.q + padded, value); };
  points.before[15] = points.q[0];
  pad(0);
  const std::size_t width0 = sampled_width<0>(points, subs);
  pad(points.q[n - 1]);
  const std::size_t width1 = sampled_width<1>(points, subs);
  if (width1 < width0) return pack_order<1>(points, subs, out);
  pad(0);
  return pack_order<0>(points, subs, out);
}
