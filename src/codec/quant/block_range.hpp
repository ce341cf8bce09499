// SPDX-License-Identifier: BSD-3-Clause
// The range of a block of numbers that one number cannot spoil: what the bound block:R is a share of.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "codec/range.hpp"

namespace laconic::quant {

// The two least numbers of a sequence.
template <class T>
struct TwoLeast {
  T first = std::numeric_limits<T>::infinity();
  T second = std::numeric_limits<T>::infinity();
  void add(T v) {
    second = std::min(second, std::max(first, v));
    first = std::min(first, v);
  }
  void add(const TwoLeast& others) {
    add(others.first);
    add(others.second);
  }
};

// The range of the n numbers without the one whose absence makes it smallest, and without fill values; at least 0.  NaN
// when a number is not finite.  The result is the same on every machine: nothing but the last subtraction rounds.
template <class T>
double block_range(const T* x, std::size_t n) {
  // Independent lanes, so that the compiler can keep them in vector registers.
  constexpr std::size_t lanes = 16;
  TwoLeast<T> least[lanes];
  TwoLeast<T> most[lanes];  // of the negative numbers
  T finite[lanes] = {};     // NaN where a number is not
  const auto take = [&](std::size_t lane, T v) {
    least[lane].add(v);
    most[lane].add(-v);
    finite[lane] += v - v;
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, x[i + lane]);
  for (std::size_t lane = 0; i + lane < n; ++lane) take(lane, x[i + lane]);
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    finite[0] += finite[lane];
    least[0].add(least[lane]);
    most[0].add(most[lane]);
  }
  if (!(finite[0] == 0)) return std::numeric_limits<double>::quiet_NaN();
  if (n < 2) return 0;
  const auto d = [](T v) { return static_cast<double>(v); };
  double range = std::min(-d(most[0].first) - d(least[0].second), -d(most[0].second) - d(least[0].first));
  if (d(least[0].first) <= -least_fill || -d(most[0].first) >= least_fill) {
    const Range others = range_without_fills(x, n, dtype_of<T>);
    range = std::min(range, others.greatest - others.least);
  }
  return std::max(range, 0.0);
}

}  // namespace laconic::quant
