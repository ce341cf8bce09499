// SPDX-License-Identifier: BSD-3-Clause
// Marks: random numbers at the beginning of a message, by which a receiver tells an envelope from the application's
// own data.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace laconic::wire {

using Mark = std::array<std::uint64_t, 2>;

// The number of wrong bits with which a mark counts as damaged: other data begin with such a mark by accident with
// probability 2^-87.
inline constexpr int most_damaged_bits = 8;

constexpr bool is_like(const Mark& found, const Mark& mark) {
  int differ = 0;
  for (std::size_t k = 0; k < mark.size(); ++k) differ += std::popcount(found[k] ^ mark[k]);
  return differ <= most_damaged_bits;
}

}  // namespace laconic::wire
