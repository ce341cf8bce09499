// SPDX-License-Identifier: BSD-3-Clause
// The bodies of far blocks: a word that is 0, the entries of two blocks of 32-bit points, and their bodies.
#pragma once

#include <algorithm>
#include <cstring>

#include "codec/quant/far.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"

namespace laconic::quant {

// Reads the points of a block on the lattice that is not far; false when it is not valid.
inline bool unpack_any(const Kernels& k, const Packed& in, std::size_t n, Points& points) {
  if (in.entry != zero_block) return k.unpack(in, n, points);
  std::memset(points.q, 0, sizeof points.q);
  return true;
}

// Most high parts are equal in a block.  These are the bytes that pack() writes for such: order 1, the base, and a
// bitmap of no groups.
inline constexpr std::size_t constant_bytes = 6;
inline constexpr Entry constant_entry = make_entry(Kind::order1, constant_bytes);

inline Entry pack_high(const Kernels& k, Points& high, std::size_t n, std::byte* out) {
  const std::int32_t first = high.q[0];
  std::uint32_t other = 0;
  for (std::size_t i = 0; i < n; ++i) other |= static_cast<std::uint32_t>(high.q[i] ^ first);
  // A block without sampled sub-blocks has order 0.
  if (other != 0 || n <= sampled_subs[0] * sub_values) return k.pack(high, n, out);
  if (first == 0) return zero_block;
  std::memcpy(out, &first, sizeof first);
  std::memset(out + sizeof first, 0, constant_bytes - sizeof first);
  return constant_entry;
}

inline bool unpack_high(const Kernels& k, const Packed& in, std::size_t n, Points& high) {
  std::uint16_t bitmap = 1;
  std::int32_t base = 0;
  if (in.entry == constant_entry) {
    std::memcpy(&base, in.body, sizeof base);
    std::memcpy(&bitmap, in.body + sizeof base, sizeof bitmap);
  }
  if (bitmap != 0) return unpack_any(k, in, n, high);
  std::fill_n(high.q, block_values, base);
  return true;
}

// Writes a far block, as pack() does, in at most largest_far_block bytes.  Scaled frames write its exponent to the room
// of `extra` bytes behind the first word.
inline Entry pack_far(const Kernels& k, Points& low, Points& high, std::size_t n, std::byte* out,
                      std::size_t extra = 0) {
  std::byte* at = out + far_head_bytes + extra;
  const Entry low_entry = k.pack(low, n, at);
  at += bytes_of(low_entry);
  const Entry high_entry = pack_high(k, high, n, at);
  at += bytes_of(high_entry);
  const Entry entries[2] = {low_entry, high_entry};
  static_assert(far_head_bytes == sizeof(Entry) + sizeof entries);
  std::memset(out, 0, sizeof(Entry));
  std::memcpy(out + sizeof(Entry) + extra, entries, sizeof entries);
  return make_entry(Kind::fill, static_cast<std::size_t>(at - out));
}

// Finds the two parts of a far block; false when its head is not valid.
inline bool split_far(const Packed& in, Packed& low, Packed& high, std::size_t extra = 0) {
  Entry entries[2];
  const std::size_t head = far_head_bytes + extra;
  if (bytes_of(in.entry) < head) return false;
  std::memcpy(entries, in.body + sizeof(Entry) + extra, sizeof entries);
  low = {entries[0], in.body + head, in.end};
  high = {entries[1], low.body + bytes_of(low.entry), in.end};
  return is_far(in) && on_lattice(kind_of(low.entry)) && on_lattice(kind_of(high.entry)) &&
         bytes_of(in.entry) == head + bytes_of(low.entry) + bytes_of(high.entry);
}

// Checks a block on the lattice without reading its points.
inline bool is_valid(const Packed& block, std::size_t n) {
  Packed low;
  Packed high;
  Head head;
  if (is_far(block)) return split_far(block, low, high) && is_valid(low, n) && is_valid(high, n);
  return block.entry == zero_block || read_head(block.entry, block.body, n, head);
}

inline bool unpack_far(const Kernels& k, const Packed& in, std::size_t n, Points& low, Points& high,
                       std::size_t extra = 0) {
  Packed low_part;
  Packed high_part;
  return split_far(in, low_part, high_part, extra) && unpack_any(k, low_part, n, low) &&
         unpack_high(k, high_part, n, high);
}

}  // namespace laconic::quant
