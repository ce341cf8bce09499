// SPDX-License-Identifier: BSD-3-Clause
// Conversion of sixteen 16-bit words to their sixteen bit planes, four words to a lane and two lanes at a time.  These
// are the smallest vectors that all processors have, written with the vector extensions of the compiler.
#pragma once

#include <cstdint>
#include <cstring>

namespace laconic::lossless {

using Pair = std::uint64_t __attribute__((vector_size(16)));

// Each lane of m holds 16 rows of 16 bits, with row 4k + j in bits 16j.. of m[k].  This transposes it and is its own
// inverse: square halves are swapped with their neighbours, then halves of those.
inline void transpose(Pair (&m)[4]) {
  constexpr std::uint64_t low_bytes = 0x00ff00ff00ff00ff;
  constexpr std::uint64_t low_nibbles = 0x0f0f0f0f0f0f0f0f;
  const auto exchange = [](Pair& a, Pair& b, int shift, std::uint64_t mask) {
    const Pair t = ((a >> shift) ^ b) & mask;
    b ^= t;
    a ^= t << shift;
  };
  exchange(m[0], m[2], 8, low_bytes);
  exchange(m[1], m[3], 8, low_bytes);
  exchange(m[0], m[1], 4, low_nibbles);
  exchange(m[2], m[3], 4, low_nibbles);
  for (Pair& x : m) {
    // First rows and columns two apart: 32 - 2 bits.  Then rows one apart: 16 - 1 bits.
    const Pair pairs = ((x >> 30) ^ x) & 0x00000000cccccccc;
    x ^= pairs ^ (pairs << 30);
    const Pair ones = ((x >> 15) ^ x) & 0x0000aaaa0000aaaa;
    x ^= ones ^ (ones << 15);
  }
}

// Loads and stores the rows of both lanes.
inline void load(const void* first, const void* second, Pair (&m)[4]) {
  std::uint64_t words[2][4];
  std::memcpy(words[0], first, sizeof words[0]);
  std::memcpy(words[1], second, sizeof words[1]);
  for (int k = 0; k < 4; ++k) m[k] = Pair{words[0][k], words[1][k]};
}
inline void store(const Pair (&m)[4], int lane, void* to) {
  const std::uint64_t words[4] = {m[0][lane], m[1][lane], m[2][lane], m[3][lane]};
  std::memcpy(to, words, sizeof words);
}

}  // namespace laconic::lossless
