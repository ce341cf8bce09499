// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "codec/dense/exact_counts.hpp"

namespace laconic::dense::exact {
namespace {

// About the bits that a block of block_values numbers at x + before takes, without those of its head.
template <class T>
std::size_t bits_of_block(const Kernels& k, const T* x, std::size_t before, std::size_t lag) {
  using W = Words<T>;
  const std::size_t n = before + block_values;
  if constexpr (std::is_same_v<T, double>) {
    unsigned digits = 0;
    bool no_decimals[segment_blocks];
    static_assert(most_lag + 1 + block_values <= segment_values);
    thread_local const auto integers = std::make_unique<std::int64_t[]>(most_lag + 1 + block_values);
    if (find_digits(x, n, digits) && integers_of(x, n, digits, integers.get(), no_decimals) == 0)
      return bits_of_block(k, integers.get(), before, lag);
  }
  const Cut cut = cut_of(x, n);
  constexpr std::size_t margin = 64;
  alignas(64) std::int32_t points[margin + most_lag + 1 + 2 * block_values] = {};
  for (std::size_t i = 0; i < n; i += block_values)
    points_of(x + i, std::min(block_values, n - i), cut, points + margin + i);
  Residuals residuals;
  k.predict(points + margin + before, block_values, lag, residuals);
  const Block<T> block(x + before, block_values);
  std::size_t bits = std::min(bits_of(residuals) + 8 * cut.rest * block_values, W::bits * block_values);
  bits = std::min(bits, 8 * sizeof(T) * (1 + changes_of(block)) + block_values / 8);
  if (W::noise(cut) > 0 && 8 * W::noise(cut) * block_values < bits)
    bits = std::min(bits, bits_of(Exponents<T>(block, cut).residuals) + 8 * W::noise(cut) * block_values);
  return bits;
}

// The bytes of a segment of n numbers, by few of its blocks.
template <class T>
std::size_t bytes_by_samples(const Kernels& k, const T* x, std::size_t n, std::size_t lag) {
  constexpr std::size_t sampled = 3;
  const std::size_t before = lag > 0 ? lag + 1 : 0;
  const std::size_t room = n - before - block_values;
  std::size_t bits = 0;
  for (std::size_t s = 0; s < sampled; ++s) bits += bits_of_block(k, x + room * s / (sampled - 1), before, lag);
  return bits / 8 * n / block_values / sampled;
}

}  // namespace

template <class T>
bool may_be_below(const Kernels& k, const T* x, std::size_t bytes, std::size_t lag) {
  constexpr std::size_t n = segment_values;
  const std::size_t without = bytes_by_samples(k, x, n, 0);
  // Few blocks tell the size of all no better than this, and the coder may take less than the bit that is counted for a
  // residual.  Rows above hardly ever make a block 16 times smaller.
  const auto below = [&](std::size_t estimate) { return estimate < bytes + bytes / 2 + n / 8; };
  return below(without) || (lag > 0 && without < 16 * bytes && below(bytes_by_samples(k, x, n, lag)));
}

#define LACONIC_EXACT(T) template bool may_be_below<T>(const Kernels&, const T*, std::size_t, std::size_t);
LACONIC_EACH_TYPE(LACONIC_EXACT)
#undef LACONIC_EXACT

}  // namespace laconic::dense::exact
