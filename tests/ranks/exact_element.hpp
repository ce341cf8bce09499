// SPDX-License-Identifier: BSD-3-Clause
// The right value of one element of a result, in arithmetic wide enough to decide.
#pragma once

#include <cmath>
#include <limits>

#include "collective_setting.hpp"

namespace ranks {

// Long double throughout: half of the smallest denormal double is not representable as a double.
template <class T>
long double half_unit(long double x) {
  const T v = static_cast<T>(std::fabs(x));
  if (!std::isfinite(v)) return std::numeric_limits<long double>::infinity();
  const T above = std::nextafter(v, std::numeric_limits<T>::infinity());
  return std::isfinite(above) ? (static_cast<long double>(above) - static_cast<long double>(v)) / 2
                              : static_cast<long double>(v) * std::numeric_limits<T>::epsilon();
}

// The right value of an element.
struct Exact {
  long double value = 0;      // the result of the finite operands
  long double magnitude = 0;  // the sum of the magnitudes of all finite operands
  int infinite = 0;
  bool nan = false;
};

template <class At>
Exact reduce_exactly(Op op, int ranks, At at) {
  Exact e;
  bool plus = false;
  bool minus = false;
  for (int r = 0; r < ranks; ++r) {
    const auto x = at(r);
    const auto wide = static_cast<long double>(x);
    e.nan = e.nan || x != x;
    if (std::isinf(wide)) (wide > 0 ? plus : minus) = true;
    if (std::isfinite(wide)) e.magnitude += std::fabs(wide);
    if (op == Op::sum)
      e.value += std::isfinite(wide) ? wide : 0;
    else if (r == 0 || (op == Op::max ? wide > e.value : wide < e.value))
      e.value = wide;
  }
  e.nan = e.nan || (op == Op::sum && plus && minus);
  if (!e.nan && op == Op::sum) e.infinite = plus ? 1 : minus ? -1 : 0;
  if (!e.nan && std::isinf(e.value)) e.infinite = e.value > 0 ? 1 : -1;
  return e;
}
}  // namespace ranks
