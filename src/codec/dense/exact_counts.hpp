// SPDX-License-Identifier: BSD-3-Clause
// Estimates of sizes, by which the encoder of exact segments chooses the form of a block.
#pragma once

#include <bit>

#include "codec/dense/exact_segment.hpp"

namespace laconic::dense::exact {

// The bits that residuals would take if all of a sub-block were as wide as its largest.
inline std::size_t bits_of(const Residuals& residuals) {
  std::size_t bits = 0;
  for (std::size_t s = 0; s < block_values; s += sub_values) {
    std::uint32_t any = 0;
    for (std::size_t i = s; i < s + sub_values; ++i) any |= residuals.z[i];
    bits += static_cast<std::size_t>(std::bit_width(any));
  }
  return sub_values * bits;
}

// The exponents of numbers, as differences from their mean, and the noise below them.
template <class T>
struct Exponents {
  using W = Words<T>;
  typename W::Word rotated[block_values];
  Residuals residuals;
  Centre centre;

  Exponents(const Block<T>& block, const Cut& cut) {
    const unsigned below = 8 * W::noise(cut);
    for (std::size_t i = 0; i < block_values; ++i) {
      rotated[i] = W::rotated(block.words[i], cut);
      residuals.z[i] = static_cast<std::uint32_t>(rotated[i] >> below);
    }
    std::uint32_t sum = 0;     // of at most 18 bits each
    std::uint32_t others = 0;  // than 0, which is often far from all of them
    for (std::size_t i = 0; i < block.n; ++i) {
      sum += residuals.z[i];
      others += residuals.z[i] != 0 ? 1 : 0;
    }
    centre = others == 0 ? 0 : sum / others;
    for (std::uint32_t& z : residuals.z) z = lossless::zigzag(z - centre);
    std::fill(residuals.z + block.n, residuals.z + block_values, 0);
  }
};

// How many numbers differ from the one before.  Where half of the first do, the rest is not looked at, and all count.
template <class T>
std::size_t changes_of(const Block<T>& block) {
  constexpr std::size_t first = 128;
  std::size_t changes = 0;
  const auto count = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) changes += block.words[i] != block.words[i - 1] ? 1 : 0;
  };
  count(1, std::min(first, block.n));
  if (changes > first / 2) return block.n;
  count(std::min(first, block.n), block.n);
  return changes;
}

constexpr std::size_t size_of_block(std::size_t b, std::size_t n) {
  return std::min(block_values, n - b * block_values);
}

// The integers of decimals, and the blocks some of whose numbers are none: they take those of the block before. Returns
// how many these are.
inline std::size_t integers_of(const double* x, std::size_t n, unsigned digits, std::int64_t* integers,
                               bool* no_decimals) {
  std::size_t failed = 0;
  for (std::size_t b = 0; b < blocks_of(n); ++b) {
    const std::size_t first = b * block_values;
    const std::size_t count = size_of_block(b, n);
    std::uint64_t bad = 0;
    for (std::size_t i = first; i < first + count; ++i) bad |= integer_of_decimal(x[i], digits, integers[i]) ? 0 : 1;
    no_decimals[b] = bad != 0;
    failed += bad;
    if (bad != 0) std::fill_n(integers + first, count, first > 0 ? integers[first - 1] : 0);
  }
  return failed;
}

}  // namespace laconic::dense::exact
