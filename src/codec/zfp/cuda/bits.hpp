// SPDX-License-Identifier: BSD-3-Clause
// Bit streams in words of 32 bits, least significant bit first, for one block of zfp.  They use no array and no memory
// of their own.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace laconic::zfp {

// The n lowest bits, n <= 32.
constexpr std::uint32_t low_bits(std::uint32_t n) { return static_cast<std::uint32_t>((std::uint64_t{1} << n) - 1); }

// Writes words that are `stride` apart.
class BitWriter {
 public:
  LACONIC_HOST_DEVICE BitWriter(std::uint32_t* at, std::uint32_t stride) : at_(at), stride_(stride) {}

  // Writes the n lowest bits of `bits`, whose other bits are 0; n <= 32.
  LACONIC_HOST_DEVICE void put(std::uint32_t bits, std::uint32_t n) {
    held_ |= static_cast<std::uint64_t>(bits) << filled_;
    filled_ += n;
    if (filled_ >= 32) next();
  }

  LACONIC_HOST_DEVICE void zeros(std::uint32_t n) {
    for (filled_ += n; filled_ >= 32;) next();
  }

  LACONIC_HOST_DEVICE void end() {
    if (filled_ > 0) *at_ = static_cast<std::uint32_t>(held_);
  }

 private:
  LACONIC_HOST_DEVICE void next() {
    *at_ = static_cast<std::uint32_t>(held_);
    at_ += stride_;
    held_ >>= 32;
    filled_ -= 32;
  }

  std::uint64_t held_ = 0;
  std::uint32_t filled_ = 0;
  std::uint32_t* at_;
  std::uint32_t stride_;
};

// Reads from bit `first` on.  Words returns word i, or 0 after the end of the stream: a reader may request one word
// more than its bits need.
template <class Words>
class BitReader {
 public:
  LACONIC_HOST_DEVICE BitReader(const Words& words, std::uint32_t first) : words_(words), next_(first / 32) {
    const std::uint32_t within = first % 32;
    held_ = words_(next_++) >> within;
    filled_ = 32 - within;
  }

  // Returns the next 32 bits without consuming them.
  LACONIC_HOST_DEVICE std::uint32_t peek() {
    if (filled_ < 32) {
      held_ |= static_cast<std::uint64_t>(words_(next_++)) << filled_;
      filled_ += 32;
    }
    return static_cast<std::uint32_t>(held_);
  }

  // Consumes n bits; n <= 32, and no more than peek() returned.
  LACONIC_HOST_DEVICE void drop(std::uint32_t n) {
    held_ >>= n;
    filled_ -= n;
  }

  LACONIC_HOST_DEVICE std::uint32_t take(std::uint32_t n) {
    const std::uint32_t bits = peek() & low_bits(n);
    drop(n);
    return bits;
  }

 private:
  Words words_;
  std::uint32_t next_;
  std::uint64_t held_;
  std::uint32_t filled_;
};

}  // namespace laconic::zfp
