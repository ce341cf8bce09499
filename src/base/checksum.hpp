// SPDX-License-Identifier: BSD-3-Clause
// The checksum that frames are sealed with (docs/design/0014-checksum.md).  It is a sum of independent terms, one for
// each word of 8 bytes, keyed by the word's position: processors add them up in vectors, and devices in any order.
//
//   S = sum over blocks b of 128 words of  weight(b) * sum over words j of term(word ^ key(j))
//   term(v) = (2^32 + low half of v) * (2^32 + high half of v)                              all modulo 2^64
//
// The products are those of NH (Black et al., "UMAC: fast and secure message authentication", 1999).  With 2^32 in
// both factors no factor is 0, so an error within one aligned half word, such as a flipped bit, always changes S.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_device.hpp"

namespace laconic::checksum {

inline constexpr std::size_t word_bytes = 8;
inline constexpr std::size_t block_words = 128;
inline constexpr std::size_t block_bytes = block_words * word_bytes;

// The key of word j of a block (the mixer of Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014).
LACONIC_HOST_DEVICE constexpr std::uint64_t key(std::uint64_t j) {
  std::uint64_t z = (j + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// The weight of a block.  It is odd, so that no change of a block's sum is lost.
LACONIC_HOST_DEVICE constexpr std::uint64_t weight(std::uint64_t b) {
  const std::uint64_t w = (b + 1) * 0xd1342543de82ef95ULL;
  return (w ^ (w >> 32)) | 1;
}

LACONIC_HOST_DEVICE constexpr std::uint64_t term(std::uint64_t v) {
  const std::uint64_t low = v & 0xffffffffULL;
  const std::uint64_t high = v >> 32;
  return low * high + ((low + high) << 32);
}

// The checksum S of the bytes.  Missing bytes of the last word count as 0.
std::uint64_t sum(std::span<const std::byte> bytes);

// The loop for one instruction set.  All kernels compute the same sum.
struct Kernel {
  std::string_view name;
  std::uint64_t (*sum)(const std::byte* bytes, std::size_t blocks);  // the sum of whole blocks
};

// The kernels that this processor can run, the fastest last.
std::span<const Kernel> available_kernels();

// The checksum S, computed by the given kernel.
std::uint64_t sum(std::span<const std::byte> bytes, const Kernel& kernel);

}  // namespace laconic::checksum
