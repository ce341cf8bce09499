// SPDX-License-Identifier: BSD-3-Clause
// Sums without any rounding, and the rounding error of numbers of a type.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace attack {

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Wide;
#else
using Wide = long double;  // as wide where there is no __float128
#endif

// Numbers of very different size do not add up exactly in 113 bits either.  So what each addition rounds away is kept,
// too, until nothing overlaps (Shewchuk, 1997).  In Wide neither sums nor parts of doubles overflow or underflow.
class ExactSum {
 public:
  void add(Wide x) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      const Wide part = parts_[i];
      const Wide sum = x + part;
      const Wide of_part = sum - x;
      const Wide lost = (x - (sum - of_part)) + (part - of_part);
      if (lost != 0) parts_[kept++] = lost;
      x = sum;
    }
    parts_[kept++] = x;
    used_ = kept;
  }

  // The magnitudes of the parts grow, and the last is larger than all others together.
  int sign() const {
    for (std::size_t i = used_; i-- > 0;)
      if (parts_[i] != 0) return parts_[i] > 0 ? 1 : -1;
    return 0;
  }

  ExactSum plus(Wide x) const {
    ExactSum sum = *this;
    sum.add(x);
    return sum;
  }

  ExactSum negative() const {
    ExactSum other = *this;
    for (std::size_t i = 0; i < used_; ++i) other.parts_[i] = -parts_[i];
    return other;
  }

  long double rounded() const {
    Wide sum = 0;
    for (std::size_t i = 0; i < used_; ++i) sum += parts_[i];
    return static_cast<long double>(sum);
  }

 private:
  std::array<Wide, 40> parts_{};  // more parts than any case has
  std::size_t used_ = 0;
};

// Half of the distance from |x| to the next number of the type.  Not a double, because half of the smallest denormal
// double is not representable as one.
template <class T>
long double half_unit(T x) {
  const T magnitude = std::fabs(x);
  if (!(magnitude < std::numeric_limits<T>::max()))
    return std::ldexp(1.0L, std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits - 1);
  const T above = std::nextafter(magnitude, std::numeric_limits<T>::infinity());
  return (static_cast<long double>(above) - static_cast<long double>(magnitude)) / 2;
}

}  // namespace attack
