// SPDX-License-Identifier: BSD-3-Clause
// The least of the latest times: how long something takes when nothing disturbs it.
#pragma once

#include <array>
#include <cstddef>

namespace laconic {

class LeastOfLatest {
 public:
  // 0 is no time.
  void add(double seconds) { times_[next_++ % times_.size()] = seconds; }
  void clear() { *this = {}; }
  double least() const {
    double least = 0;
    for (const double t : times_)
      if (t > 0 && (least == 0 || t < least)) least = t;
    return least;
  }

 private:
  std::array<double, 5> times_{};
  std::size_t next_ = 0;
};

}  // namespace laconic
