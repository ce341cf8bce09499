// SPDX-License-Identifier: BSD-3-Clause
// The parts of a packed block that are not bit planes.  They are short, and all kernels share this code.
#pragma once

#include <cstring>

#include "codec/quant/format.hpp"

namespace laconic::quant {

constexpr std::size_t subs_of(std::size_t n) { return (n + sub_values - 1) / sub_values; }

// The codes of narrow groups, indexed by bits, and the planes of both kinds of group, indexed by code.
struct NarrowCodes {
  std::uint8_t of_bits[1 << narrow_bits];
};
constexpr NarrowCodes make_narrow_codes() {
  NarrowCodes t{};
  for (std::uint32_t bits = 0; bits < sizeof t.of_bits; ++bits) t.of_bits[bits] = code_of(bits, false);
  return t;
}
inline constexpr NarrowCodes narrow_codes = make_narrow_codes();
struct PlanesOfCodes {
  Planes at[2][16];
};
constexpr PlanesOfCodes make_planes_of_codes() {
  PlanesOfCodes t{};
  for (unsigned code = 0; code < 16; ++code)
    for (const bool wide : {false, true}) t.at[wide][code] = planes_of_code(code, wide);
  return t;
}
inline constexpr PlanesOfCodes planes_of_codes = make_planes_of_codes();

// The data before the planes, and the list of planes that are present.
struct Head {
  Kind kind = Kind::order0;
  std::int32_t base = 0;
  std::size_t bytes = 0;           // size of the data before the planes
  Planes planes[block_subs] = {};  // of each sub-block
};

// Writes all data before the planes.  bits[0..block_subs) are the bits set in the residuals of each sub-block, 0 after
// the last sub-block.
inline Head write_head(int order, std::int32_t base, const std::uint32_t* bits, std::byte* out) {
  Head head;
  std::uint16_t present = 0;
  std::uint16_t wide = 0;
  std::uint16_t words[block_groups];
  std::size_t count = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    const std::uint32_t* b = bits + g * group_subs;
    const std::uint32_t any = b[0] | b[1] | b[2] | b[3];
    // There are no branches here: the present groups and the wide groups are hard to predict.
    const bool is_wide = any >> narrow_bits != 0;
    present = static_cast<std::uint16_t>(present | static_cast<unsigned>(any != 0) << g);
    wide = static_cast<std::uint16_t>(wide | static_cast<unsigned>(is_wide) << g);
    unsigned word = 0;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const unsigned narrow_code = narrow_codes.of_bits[b[k] & 0xff];
      const unsigned wide_code = wide_code_of_width[std::bit_width(b[k])];
      const unsigned code = is_wide ? wide_code : narrow_code;
      word |= code << (4 * k);
      head.planes[g * group_subs + k] = planes_of_codes.at[is_wide][code];
    }
    words[count] = static_cast<std::uint16_t>(word);
    count += any != 0;
  }
  head.kind = kind_of(order, wide != 0);
  head.base = base;
  if (order == 0 && present == 0) return head;
  std::byte* at = out;
  if (order != 0) {
    std::memcpy(at, &base, 4);
    at += 4;
  }
  std::memcpy(at, &present, 2);
  at += 2;
  if (wide != 0) {
    std::memcpy(at, &wide, 2);
    at += 2;
  }
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
  std::uint16_t present;
  std::uint16_t wide = 0;
  std::memcpy(&present, in + at, 2);
  at += 2;
  if (is_wide(head.kind)) {
    std::memcpy(&wide, in + at, 2);
    at += 2;
  }
  if (size < at + 2 * static_cast<std::size_t>(std::popcount(present))) return false;
  std::size_t planes = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    if ((present >> g & 1) == 0) continue;
    std::uint16_t word;
    std::memcpy(&word, in + at, 2);
    at += 2;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const unsigned code = word >> (4 * k) & 15u;
      const std::size_t s = g * group_subs + k;
      if (code != 0 && s >= subs_of(n)) return false;
      head.planes[s] = planes_of_codes.at[wide >> g & 1][code];
      planes += head.planes[s].count;
    }
  }
  head.bytes = at;
  return size == at + 2 * planes;
}

}  // namespace laconic::quant
