// SPDX-License-Identifier: BSD-3-Clause
// One bit plane of a block of four: the code that zfp sends for its four bits, without a loop over them.
//
// n of the four words have had a 1 in a plane above, or stand before one that had.  Their bits are sent as they are.
// The others are sent as runs: a bit that shows whether a 1 is left among them, then the zeros before it and the 1
// itself, which is not sent where it can only be the last.  The runs of a plane with n = 0 are read from a table of 16.
// For n > 0 they are the same except for the n zeros after the first bit, which are replaced by the bits that are sent
// as they are.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/zfp/cuda/bits.hpp"

namespace laconic::zfp {

struct PlaneCode {
  std::uint32_t bits;
  std::uint32_t length;  // at most 7
};

// The code as zfp defines it, from which the tables are made.
constexpr PlaneCode runs_of(std::uint32_t plane) {
  PlaneCode code{0, 0};
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t rest = plane >> n;
    code.bits |= (rest != 0 ? 1u : 0u) << code.length++;
    if (rest == 0) break;
    for (; n < 3; ++n) {
      const std::uint32_t bit = plane >> n & 1;
      code.bits |= bit << code.length++;
      if (bit != 0) break;
    }
  }
  return code;
}

// Packs eight planes into a word; each plane has a byte: the bits of its code, and a 1 above them.
constexpr std::uint64_t codes_of_planes(std::uint32_t first) {
  std::uint64_t table = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const PlaneCode code = runs_of(first + i);
    table |= static_cast<std::uint64_t>(code.bits | 1u << code.length) << (8 * i);
  }
  return table;
}

// Packs 16 codes into a word, without their first bit, which is 1: the entry is the plane whose code begins this way.
constexpr std::uint64_t planes_of_codes(std::uint32_t first) {
  std::uint64_t table = 0;
  for (std::uint32_t i = 0; i < 16; ++i)
    for (std::uint32_t plane = 1; plane < 16; ++plane) {
      const PlaneCode code = runs_of(plane);
      const std::uint32_t seen = (first + i) << 1 | 1;
      if ((seen & low_bits(code.length)) == code.bits) table |= static_cast<std::uint64_t>(plane) << (4 * i);
    }
  return table;
}

inline constexpr std::uint64_t codes_low = codes_of_planes(0);
inline constexpr std::uint64_t codes_high = codes_of_planes(8);
inline constexpr std::uint64_t planes_0 = planes_of_codes(0);
inline constexpr std::uint64_t planes_1 = planes_of_codes(16);
inline constexpr std::uint64_t planes_2 = planes_of_codes(32);
inline constexpr std::uint64_t planes_3 = planes_of_codes(48);

LACONIC_HOST_DEVICE inline PlaneCode runs(std::uint32_t plane) {
  const std::uint64_t half = plane < 8 ? codes_low : codes_high;
  const auto entry = static_cast<std::uint32_t>(half >> (8 * (plane & 7))) & 0xff;
  const auto length = static_cast<std::uint32_t>(std::bit_width(entry)) - 1;
  return {entry ^ 1u << length, length};
}

// The code of a plane, for n < 4.
LACONIC_HOST_DEVICE inline PlaneCode encode_plane(std::uint32_t plane, std::uint32_t n) {
  const std::uint32_t sent = plane & low_bits(n);
  const std::uint32_t others = plane ^ sent;
  const PlaneCode code = runs(others);
  const std::uint32_t any = others != 0 ? 1 : 0;
  return {(code.bits & ~1u) | any << n | sent, any != 0 ? code.length : n + 1};
}

struct PlaneRead {
  std::uint32_t plane;
  std::uint32_t length;  // length of its code in bits
};

// The plane whose code `bits` begin with, for n < 4.
LACONIC_HOST_DEVICE inline PlaneRead decode_plane(std::uint32_t bits, std::uint32_t n) {
  const std::uint32_t sent = bits & low_bits(n);
  if ((bits >> n & 1) == 0) return {sent, n + 1};
  const std::uint32_t code = (bits & 0x7f & ~low_bits(n + 1)) >> 1;
  const std::uint64_t lower = (code & 16) != 0 ? planes_1 : planes_0;
  const std::uint64_t upper = (code & 16) != 0 ? planes_3 : planes_2;
  const std::uint64_t table = (code & 32) != 0 ? upper : lower;
  const auto others = static_cast<std::uint32_t>(table >> (4 * (code & 15))) & 15;
  return {sent | others, runs(others).length};
}

// The plane that a reader decodes from the first `there` bits of a code when no others follow.
LACONIC_HOST_DEVICE inline std::uint32_t decode_cut_plane(std::uint32_t bits, std::uint32_t n, std::uint32_t there) {
  if (there <= n) return bits & low_bits(there);
  std::uint32_t plane = bits & low_bits(n);
  bits >>= n;
  there -= n;
  while (there > 0 && n < 4) {
    const bool more = (bits & 1) != 0;
    bits >>= 1;
    --there;
    if (!more) break;
    for (bool found = false; there > 0 && n < 3 && !found; n += found ? 0 : 1) {
      found = (bits & 1) != 0;
      bits >>= 1;
      --there;
    }
    plane |= 1u << n++;
  }
  return plane;
}

// The value of n after this plane: the number of words that have had a 1, or stand before one that had.
LACONIC_HOST_DEVICE inline std::uint32_t after_plane(std::uint32_t plane, std::uint32_t n) {
  const auto width = static_cast<std::uint32_t>(std::bit_width(plane));
  return width > n ? width : n;
}

// spread() moves eight bits to the lowest bits of eight nibbles; the function after it is the inverse.
LACONIC_HOST_DEVICE inline std::uint32_t spread(std::uint32_t byte) {
  byte = (byte | byte << 12) & 0x000f000f;
  byte = (byte | byte << 6) & 0x03030303;
  return (byte | byte << 3) & 0x11111111;
}

LACONIC_HOST_DEVICE inline std::uint32_t gather(std::uint32_t nibbles) {
  nibbles &= 0x11111111;
  nibbles = (nibbles | nibbles >> 3) & 0x03030303;
  nibbles = (nibbles | nibbles >> 6) & 0x000f000f;
  return (nibbles | nibbles >> 12) & 0xff;
}

}  // namespace laconic::zfp
