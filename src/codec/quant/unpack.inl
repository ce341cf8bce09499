// Unpacking a block with unpack_planes<differences>, which each instruction set defines before including this inside its
// target region.

std::size_t unpack(const std::byte* in, std::size_t available, std::size_t n, Points& points) {
  const BlockHead head = read_block_head(in, available, n);
  if (head.head == 0) return 0;
  if (head.kind == Kind::zero)
    std::memset(points.q, 0, sizeof points.q);
  else if (head.kind == Kind::order1)
    unpack_planes<true>(head, in + head.head, in + available, subs_of(n), points);
  else
    unpack_planes<false>(head, in + head.head, in + available, subs_of(n), points);
  return head.total;
}
