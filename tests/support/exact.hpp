// What results ought to be, in arithmetic wider than the library's.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/op.hpp"

namespace laconic::test {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
BitsOf<T> bits_of(T x) {
  return std::bit_cast<BitsOf<T>>(x);
}

// Half a unit in the last place of x: the rounding that any value of the type may carry.
template <class T>
long double half_ulp(T x) {
  const T magnitude = std::fabs(x);
  if (!(magnitude < std::numeric_limits<T>::max()))
    return std::ldexp(1.0L, std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits - 1);
  const T next = std::nextafter(magnitude, std::numeric_limits<T>::infinity());
  return (static_cast<long double>(next) - static_cast<long double>(magnitude)) / 2;
}

// One element of a reduction over ranks.
struct Exact {
  long double value = 0;      // meaningful when finite
  long double magnitude = 0;  // sum of absolute values (sum), or the value's (max, min)
  bool nan = false;
  int infinite = 0;  // sign of the infinity that the result is, or 0
};

// `at(r)` is the contribution of rank r.
template <class At>
Exact reduce_exactly(Op op, int ranks, At at) {
  Exact e;
  bool plus = false;
  bool minus = false;
  for (int r = 0; r < ranks; ++r) {
    const auto x = at(r);
    if (x != x) e.nan = true;
    if (std::isinf(x)) (x > 0 ? plus : minus) = true;
    const auto wide = static_cast<long double>(x);
    if (op == Op::sum) {
      if (std::isfinite(x)) e.value += wide;
    } else if (r == 0 || (op == Op::max ? wide > e.value : wide < e.value)) {
      e.value = wide;
    }
    if (std::isfinite(x)) e.magnitude += std::fabs(wide);
  }
  if (op == Op::sum) {
    if (plus && minus) e.nan = true;
    e.infinite = plus ? 1 : minus ? -1 : 0;
  } else if (std::isinf(e.value)) {
    e.infinite = e.value > 0 ? 1 : -1;
  }
  if (e.nan) e.infinite = 0;
  return e;
}

}  // namespace laconic::test
