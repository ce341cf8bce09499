// SPDX-License-Identifier: BSD-3-Clause
// The parts of a packed block that are not bit planes.  They are short, and all kernels share this code.
#pragma once

#include <cstring>

#include "codec/quant/format.hpp"

namespace laconic::quant {

constexpr std::size_t subs_of(std::size_t n) { return (n + sub_values - 1) / sub_values; }

// The codes of narrow groups, indexed by bits, those of the other groups, indexed by width, and the planes of each
// code.
struct Codes {
  std::uint8_t narrow_of_bits[1 << narrow_bits];
  std::uint8_t of_width[group_kinds][33];
  Planes planes[group_kinds][16];
};
constexpr Codes make_codes() {
  Codes t{};
  for (std::uint32_t bits = 0; bits < sizeof t.narrow_of_bits; ++bits)
    t.narrow_of_bits[bits] = code_of(bits, GroupKind::narrow_group);
  for (unsigned width = 0; width <= 32; ++width) {
    const std::uint32_t bits = width == 0 ? 0 : 1u << (width - 1);
    for (std::size_t kind = 1; kind < group_kinds; ++kind)
      t.of_width[kind][width] = code_of(bits, static_cast<GroupKind>(kind));
  }
  for (std::size_t kind = 0; kind < group_kinds; ++kind)
    for (unsigned code = 0; code < 16; ++code)
      t.planes[kind][code] = planes_of_code(code, static_cast<GroupKind>(kind));
  return t;
}
inline constexpr Codes code_tables = make_codes();

// The data before the planes, and the list of planes that are present.
struct Head {
  Kind kind = Kind::order0;
  std::int32_t base = 0;
  std::size_t bytes = 0;           // size of the data before the planes
  Planes planes[block_subs] = {};  // of each sub-block
};

inline std::byte* write_bitmaps(unsigned first, unsigned second, std::byte* at) {
  const std::uint16_t bitmaps[2] = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second)};
  std::memcpy(at, bitmaps, 4);
  return at + (second != 0 ? 4 : 2);
}

// Writes all data before the planes.  bits[0..block_subs) are the bits set in the residuals of each sub-block, 0 after
// the last sub-block.
inline Head write_head(int order, std::int32_t base, const std::uint32_t* bits, std::byte* out) {
  Head head;
  unsigned first = 0;
  unsigned second = 0;
  std::uint16_t words[block_groups];
  std::size_t count = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    const std::uint32_t* b = bits + g * group_subs;
    const std::uint32_t any = b[0] | b[1] | b[2] | b[3];
    // There are no branches here: the present groups and their kinds are hard to predict.
    const GroupKind kind = group_kind_of(any);
    first |= static_cast<unsigned>(any != 0 && in_first_bitmap(kind)) << g;
    second |= static_cast<unsigned>(in_second_bitmap(kind)) << g;
    const auto k = static_cast<std::size_t>(kind);
    unsigned word = 0;
    for (std::size_t s = 0; s < group_subs; ++s) {
      const unsigned narrow_code = code_tables.narrow_of_bits[b[s] & 0xff];
      const unsigned other_code = code_tables.of_width[k][std::bit_width(b[s])];
      const unsigned code = kind == GroupKind::narrow_group ? narrow_code : other_code;
      word |= code << (4 * s);
      head.planes[g * group_subs + s] = code_tables.planes[k][code];
    }
    words[count] = static_cast<std::uint16_t>(word);
    count += any != 0;
  }
  head.kind = kind_of(order, second != 0);
  head.base = base;
  if (order == 0 && count == 0) return head;
  std::byte* at = out;
  if (order != 0) {
    std::memcpy(at, &base, 4);
    at += 4;
  }
  at = write_bitmaps(first, second, at);
  std::memcpy(at, words, 2 * count);
  head.bytes = static_cast<std::size_t>(at - out) + 2 * count;
  return head;
}

// Reads and checks the data that write_head wrote.  Also checks that the planes it announces fill the rest of the body
// of a block of n numbers.
inline bool read_head(Entry entry, const std::byte* in, std::size_t n, Head& head) {
  const std::size_t size = bytes_of(entry);
  head.kind = kind_of(entry);
  const int order = order_of(head.kind);
  std::size_t at = order != 0 ? 4 : 0;
  if (size < at + (is_wide(head.kind) ? 4 : 2)) return false;
  if (order != 0) std::memcpy(&head.base, in, 4);
  std::uint16_t first;
  std::uint16_t second = 0;
  std::memcpy(&first, in + at, 2);
  at += 2;
  if (is_wide(head.kind)) {
    std::memcpy(&second, in + at, 2);
    at += 2;
  }
  const unsigned present = first | second;
  if (size < at + 2 * static_cast<std::size_t>(std::popcount(present))) return false;
  std::size_t planes = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    if ((present >> g & 1) == 0) continue;
    const auto kind = static_cast<std::size_t>(group_kind_of((first >> g & 1) != 0, (second >> g & 1) != 0));
    std::uint16_t word;
    std::memcpy(&word, in + at, 2);
    at += 2;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const unsigned code = word >> (4 * k) & 15u;
      const std::size_t s = g * group_subs + k;
      if (code != 0 && s >= subs_of(n)) return false;
      head.planes[s] = code_tables.planes[kind][code];
      planes += head.planes[s].count;
    }
  }
  head.bytes = at;
  return size == at + 2 * planes;
}

}  // namespace laconic::quant
