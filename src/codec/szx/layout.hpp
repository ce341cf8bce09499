// SPDX-License-Identifier: BSD-3-Clause
// The constants that determine the bytes of szx (docs/wire-format.md).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace laconic::szx {

inline constexpr std::size_t block_values = 128;   // SZx's blocks
inline constexpr std::size_t chunk_values = 5120;  // PIPE-SZx's chunks (C-Coll, section III-E2)
inline constexpr std::size_t index_bytes = 4;      // of each chunk in the index
inline constexpr std::size_t most_leading = 3;     // leading bytes that two bits can count

// Whole words are stored where fewer bytes count, so this many bytes may be written after the last block.
inline constexpr std::size_t store_slack = 8;

constexpr std::size_t chunks_of(std::size_t count) { return (count + chunk_values - 1) / chunk_values; }
constexpr std::size_t blocks_of(std::size_t count) { return (count + block_values - 1) / block_values; }
constexpr std::size_t state_bytes(std::size_t blocks) { return (blocks + 7) / 8; }
constexpr std::size_t leading_bytes(std::size_t n) { return (n + 3) / 4; }

// The IEEE 754 format of T.
template <class T>
struct Format {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int bits = 8 * sizeof(T);
  static constexpr int fraction = sizeof(T) == 4 ? 23 : 52;
  static constexpr int head = bits - fraction;  // sign and exponent: the minimum that is kept of a number
  static constexpr Bits sign = Bits{1} << (bits - 1);
  static constexpr Bits exponent_step = Bits{1} << fraction;
  static constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
};

// A block of kind truncated keeps `length` bits of every number, head <= length < bits.  They are right-aligned in
// bytes(length) bytes, which is SZx's shift to the right by shift bits.
constexpr int bytes_for(int length) { return (length + 7) / 8; }

}  // namespace laconic::szx
