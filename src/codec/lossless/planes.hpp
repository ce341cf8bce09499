// Sixteen 16-bit words to their sixteen bit planes, four words to a register: no vector instructions needed.
#pragma once

#include <cstdint>

namespace laconic::lossless {

// m holds 16 rows of 16 bits, row 4k + j in bits 16j.. of m[k].  Transposes it, which is its own inverse: square halves
// change places with their neighbours, then halves of those.
inline void transpose(std::uint64_t (&m)[4]) {
  constexpr std::uint64_t low_bytes = 0x00ff00ff00ff00ff;
  constexpr std::uint64_t low_nibbles = 0x0f0f0f0f0f0f0f0f;
  const auto exchange = [](std::uint64_t& a, std::uint64_t& b, int shift, std::uint64_t mask) {
    const std::uint64_t t = ((a >> shift) ^ b) & mask;
    b ^= t;
    a ^= t << shift;
  };
  exchange(m[0], m[2], 8, low_bytes);
  exchange(m[1], m[3], 8, low_bytes);
  exchange(m[0], m[1], 4, low_nibbles);
  exchange(m[2], m[3], 4, low_nibbles);
  for (std::uint64_t& x : m) {
    // Rows two apart, and columns: 32 - 2 bits.  Then rows one apart: 16 - 1 bits.
    const std::uint64_t pairs = ((x >> 30) ^ x) & 0x00000000cccccccc;
    x ^= pairs ^ (pairs << 30);
    const std::uint64_t ones = ((x >> 15) ^ x) & 0x0000aaaa0000aaaa;
    x ^= ones ^ (ones << 15);
  }
}

}  // namespace laconic::lossless
