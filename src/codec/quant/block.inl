// Whole blocks from the pieces that each instruction set defines before including this inside its target region:
// sampled_width<order>, pack_order<order> and unpack_planes<differences>.

std::size_t pack(Points& points, std::size_t n, std::byte* out) {
  const std::size_t subs = subs_of(n);
  // The residuals beyond n must be 0: order 0 wants zeros there, order 1 the last point again.
  const auto pad = [&](std::int32_t value) { std::fill(points.q + n, points.q + subs * sub_values, value); };
  points.before[15] = points.q[0];
  pad(0);
  const std::size_t width0 = sampled_width<0>(points, subs);
  pad(points.q[n - 1]);
  const std::size_t width1 = sampled_width<1>(points, subs);
  if (width1 < width0) return pack_order<1>(points, subs, out);
  pad(0);
  return pack_order<0>(points, subs, out);
}

std::size_t unpack(const std::byte* in, std::size_t available, std::size_t n, Points& points) {
  const BlockHead head = read_block_head(in, available, n);
  if (head.head == 0) return 0;
  if (head.kind == Kind::zero)
    std::memset(points.q, 0, sizeof points.q);
  else if (head.kind == Kind::order1)
    unpack_planes<true>(head, in + head.head, subs_of(n), points);
  else
    unpack_planes<false>(head, in + head.head, subs_of(n), points);
  return head.total;
}
