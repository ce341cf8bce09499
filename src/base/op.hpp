// The reductions, and their exact meaning for one pair of numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace laconic {

enum class Op : std::uint8_t { sum, max, min };

// combine() must be commutative to the bit: recursive doubling forms a+b on one rank and b+a on its partner,
// and both must hold the same result.  IEEE arithmetic leaves two freedoms that would break this, the payload
// of a NaN and the sign of max(+0, -0); both are fixed here.
template <class T>
inline T combine(Op op, T a, T b) {
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

}  // namespace laconic
