// SPDX-License-Identifier: BSD-3-Clause
// Packing a block from the pieces that each instruction set defines before including this inside its target region:
// sampled_width<order> and pack_order<order>.

// Sets the points beyond n such that their residuals are 0: order 0 needs zeros there, order 1 the last point again,
// order 2 a straight line.  Whole groups are filled, since some kernels work on those.
void pad(Points& points, std::size_t n, int order) {
  const std::size_t padded = (subs_of(n) + group_subs - 1) / group_subs * group_subs * sub_values;
  const auto last = static_cast<std::uint32_t>(points.q[n - 1]);
  const std::uint32_t slope = order < 2 || n < 2 ? 0 : last - static_cast<std::uint32_t>(points.q[n - 2]);
  std::uint32_t value = order == 0 ? 0 : last;
  for (std::size_t i = n; i < padded; ++i) points.q[i] = static_cast<std::int32_t>(value += slope);
}

Entry pack(Points& points, std::size_t n, std::byte* out) {
  const std::size_t subs = subs_of(n);
  points.before[14] = points.before[15] = points.q[0];
  pad(points, n, 0);
  const unsigned width0 = sampled_width<0>(points, subs);
  pad(points, n, 1);
  const unsigned width1 = sampled_width<1>(points, subs);
  pad(points, n, 2);
  const unsigned width2 = sampled_width<2>(points, subs);
  if (width2 < width0 && width2 < width1) return pack_order<2>(points, subs, out);
  pad(points, n, width1 < width0 ? 1 : 0);
  return width1 < width0 ? pack_order<1>(points, subs, out) : pack_order<0>(points, subs, out);
}
