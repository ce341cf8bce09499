// SPDX-License-Identifier: BSD-3-Clause
// The smallest and largest finite number of an array, used for bounds relative to the range.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"

namespace laconic {

struct Range {
  double least;     // +infinity when there is no finite number
  double greatest;  // -infinity when there is none
};

Range finite_range(const void* numbers, std::size_t count, Dtype dtype);

// The same without fill values, which mark missing data and say nothing about the range of the others: numbers of a
// magnitude from least_fill on, if all others are at most most_beside_fills and they have at most most_fills different
// values, each of which occurs twice on average, or if there is only one such number.
inline constexpr double least_fill = 1e15;
inline constexpr double most_beside_fills = 1e12;
inline constexpr std::size_t most_fills = 4;
Range range_without_fills(const void* numbers, std::size_t count, Dtype dtype);

}  // namespace laconic
