// SPDX-License-Identifier: BSD-3-Clause
// Decides without rounding whether a number came back within its bound.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>

namespace laconic::sweep {

// The sign of the exact sum of up to four numbers, if none of their partial sums overflows: the rounding error of each
// addition is added too, until no parts overlap (Shewchuk, 1997).
inline int sign_of_sum(std::initializer_list<double> terms) {
  std::array<double, 4> parts{};  // the smallest first
  std::size_t used = 0;
  for (double sum : terms) {
    for (std::size_t i = 0; i < used; ++i) {
      const double a = sum;
      const double b = parts[i];
      sum = a + b;
      const double of_b = sum - a;
      parts[i] = (a - (sum - of_b)) + (b - of_b);
    }
    parts[used++] = sum;
  }
  for (std::size_t i = used; i-- > 0;)
    if (parts[i] != 0) return parts[i] > 0 ? 1 : -1;
  return 0;
}

// |x - back| > bound + slack, for finite numbers.
inline bool is_beyond(double x, double back, double bound, double slack = 0) {
  const double off = std::fabs(x - back);
  if (off < bound)
    return false;  // rounding is monotonic: a difference of at least the bound does not come out below it
  if (off > bound && slack == 0) return true;  // nor one of at most the bound above it
  if (!std::isfinite(off)) return true;        // and no bound is that large
  return x > back ? sign_of_sum({x, -back, -bound, -slack}) > 0 : sign_of_sum({back, -x, -bound, -slack}) > 0;
}

}  // namespace laconic::sweep
