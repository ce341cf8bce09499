// SPDX-License-Identifier: BSD-3-Clause
// The expected results, in arithmetic wider than the library's.
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

template <class T>
long double exactly(T x) {
  return static_cast<long double>(x);
}

// The next number of the type from x towards another one.
template <class T>
T next_toward(T x, T other) {
  if constexpr (!is_small_float<T>) {
    return std::nextafter(x, other);
  } else {
    if (x != x || other != other || x == other) return other;
    const int bits = x.bits() & ~T::sign_bit;
    const bool away = bits == 0 || (x < other) == (exactly(x) > 0);
    const int sign = bits == 0 ? (x < other ? 0 : T::sign_bit) : x.bits() & T::sign_bit;
    return T::of_bits(static_cast<std::uint16_t>(sign | (away ? bits + 1 : bits - 1)));
  }
}

// Half a unit in the last place of x: the rounding error that any value of the type may carry.
template <class T>
long double half_ulp(T x) {
  using Limits = std::numeric_limits<T>;
  const auto magnitude = static_cast<T>(static_cast<double>(std::fabs(exactly(x))));
  if (!(magnitude < Limits::max())) return std::ldexp(1.0L, Limits::max_exponent - Limits::digits - 1);
  return (exactly(next_toward(magnitude, Limits::infinity())) - exactly(magnitude)) / 2;
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
    const long double wide = exactly(x);
    if (std::isinf(wide)) (wide > 0 ? plus : minus) = true;
    if (op == Op::sum) {
      if (std::isfinite(wide)) e.value += wide;
    } else if (r == 0 || (op == Op::max ? wide > e.value : wide < e.value)) {
      e.value = wide;
    }
    if (std::isfinite(wide)) e.magnitude += std::fabs(wide);
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
