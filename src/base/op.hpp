// SPDX-License-Identifier: BSD-3-Clause
// The reductions, and their exact meaning for one pair of numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/host_device.hpp"
#include "base/small_float.hpp"

namespace laconic {

enum class Op : std::uint8_t { sum, max, min };

// combine() must be commutative to the bit: recursive doubling forms a+b on one rank and b+a on its partner,
// and both must hold the same result.  IEEE arithmetic leaves two freedoms that would break this, the payload
// of a NaN and the sign of max(+0, -0); both are fixed here.
template <class T>
LACONIC_HOST_DEVICE inline T combine(Op op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Word = std::make_unsigned_t<T>;
    switch (op) {
      case Op::sum:  // modulo 2^w, because signed overflow would be undefined behaviour
        return static_cast<T>(static_cast<Word>(static_cast<Word>(a) + static_cast<Word>(b)));
      case Op::max: return a > b ? a : b;
      case Op::min: return a < b ? a : b;
    }
    return a;
  } else if constexpr (is_small_float<T>) {
    // A float has more than twice the digits, so rounding its sum again equals rounding the exact sum once.
    return T(combine(op, static_cast<float>(a), static_cast<float>(b)));
  } else {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    switch (op) {
      case Op::sum: {
        const T s = a + b;
        return s != s ? std::numeric_limits<T>::quiet_NaN() : s;  // Inf - Inf: the sign of NaN differs by machine
      }
      case Op::max:
        if (a == b) return std::signbit(a) ? b : a;
        return a > b ? a : b;
      case Op::min:
        if (a == b) return std::signbit(a) ? a : b;
        return a < b ? a : b;
    }
    return a;
  }
}

// One number of a mean: divided in float64, then rounded (integers: truncated) to its type.  A NaN is returned
// unchanged, because the bits of a NaN after arithmetic differ by machine.
template <class T>
LACONIC_HOST_DEVICE inline T divide(T x, double divisor) {
  if constexpr (!std::is_integral_v<T>)
    if (x != x) return x;
  return static_cast<T>(static_cast<double>(x) / divisor);
}

}  // namespace laconic
