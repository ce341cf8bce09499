// SPDX-License-Identifier: BSD-3-Clause
// The smallest and largest finite number of an array, used for bounds relative to the range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/dtype.hpp"

namespace laconic {

struct Range {
  double least;     // +infinity when there is no finite number
  double greatest;  // -infinity when there is none
};

inline constexpr Range no_range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

// The range of both.
inline Range united(const Range& a, const Range& b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Range finite_range(const void* numbers, std::size_t count, Dtype dtype);

// The range without fill values, which mark missing data and say nothing about the range of the others: numbers of a
// magnitude from least_fill on, if all others are at most most_beside_fills and they have at most most_fills different
// values, each of which occurs twice on average, or if there is only one such number.
inline constexpr double least_fill = 1e15;
inline constexpr double most_beside_fills = 1e12;
inline constexpr std::size_t most_fills = 4;

// Finds that range of numbers that may lie in several arrays.
class RangeWithoutFills {
 public:
  void add(const void* numbers, std::size_t count, Dtype dtype);
  Range range() const;

 private:
  template <class T>
  void look_for_fills(const T* x, std::size_t count);

  Range all_ = no_range;
  Range others_ = no_range;  // of the numbers that are no fill values
  bool fills_ = true;        // large numbers so far may be fill values
  std::size_t large_ = 0;    // how many there are, and their values
  std::size_t different_ = 0;
  double values_[most_fills] = {};
};

inline Range range_without_fills(const void* numbers, std::size_t count, Dtype dtype) {
  RangeWithoutFills finder;
  finder.add(numbers, count, dtype);
  return finder.range();
}

}  // namespace laconic
