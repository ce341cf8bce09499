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
};

// The two smallest and the two largest numbers, the latter negative.
template <class T>
struct Extremes {
  TwoLeast<T> least;
  TwoLeast<T> most;
  void add(T v) {
    least.add(v);
    most.add(-v);
  }
};

// block_range() of n numbers with these extremes, of which none is NaN.
template <class T>
double range_between(const Extremes<T>& e, const T* x, std::size_t n) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (n < 2 && e.least.first != infinity && e.most.first != infinity) return 0;
  if (e.least.first == -infinity || e.most.first == -infinity) return std::numeric_limits<double>::quiet_NaN();
  const auto d = [](T v) { return static_cast<double>(v); };
  double range = std::min(-d(e.most.first) - d(e.least.second), -d(e.most.second) - d(e.least.first));
  if (d(e.least.first) <= -least_fill || -d(e.most.first) >= least_fill) {
    const Range others = range_without_fills(x, n, dtype_of<T>);
    range = std::min(range, others.greatest - others.least);
  }
  return std::max(range, 0.0);
}

// The range of the n numbers without the one whose absence makes it smallest, and without fill values; at least 0.  NaN
// when a number is not finite.  The result is the same on every machine: nothing but the last subtraction rounds.
template <class T>
double block_range(const T* x, std::size_t n) {
  Extremes<T> extremes;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != x[i]) return std::numeric_limits<double>::quiet_NaN();
    extremes.add(x[i]);
  }
  return range_between(extremes, x, n);
}

}  // namespace laconic::quant
