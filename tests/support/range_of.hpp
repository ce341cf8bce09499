// SPDX-License-Identifier: BSD-3-Clause
// The range that relative bounds refer to, as docs/error-model.md defines it.  Needs no test framework.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace laconic::test {

struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void take(const Extremes& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

// Takes the numbers of one rank, and finds their range without NaN, infinities and fill values.
class RangeOfRank {
 public:
  void take(double x) {
    if (!std::isfinite(x)) return;
    all_.take({x, x});
    if (std::fabs(x) < 1e15)
      others_.take({x, x});
    else if (large_.size() <= 4 || large_.contains(x))
      ++large_[x];
  }

  Extremes range() const {
    int count = 0;
    for (const auto& [value, times] : large_) count += times;
    const auto values = static_cast<int>(large_.size());
    const bool fills = count == 1 || (values <= 4 && count >= 2 * values);
    return fills && others_.least >= -1e12 && others_.greatest <= 1e12 ? others_ : all_;
  }

 private:
  Extremes all_;
  Extremes others_;
  std::map<double, int> large_;  // how often each large value occurs
};

}  // namespace laconic::test
