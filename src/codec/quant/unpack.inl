// SPDX-License-Identifier: BSD-3-Clause
// Unpacking a block with read_block and unpack_planes<order>, which each instruction set defines before including this
// inside its target region.

bool unpack(const Packed& in, std::size_t n, Points& points) {
  Head head;
  if (!read_block(in, n, head)) return false;
  const std::byte* at = in.body + head.bytes;
  switch (order_of(head.kind)) {
    case 0: unpack_planes<0>(head, at, in.end, subs_of(n), points); break;
    case 1: unpack_planes<1>(head, at, in.end, subs_of(n), points); break;
    default: unpack_planes<2>(head, at, in.end, subs_of(n), points); break;
  }
  return true;
}
