// SPDX-License-Identifier: BSD-3-Clause
// The latest times that something has taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace laconic {

class LatestTimes {
 public:
  void add(double seconds) {
    times_[next_++ % times_.size()] = seconds;
    count_ = std::min(count_ + 1, times_.size());
  }
  void clear() { *this = {}; }
  std::size_t count() const { return count_; }

  // How long it takes when nothing disturbs it; 0 where there are no times.
  double least() const { return count_ == 0 ? 0 : *std::min_element(times_.begin(), times_.begin() + count_); }

  // Of two times, the lesser.
  double median() const {
    if (count_ == 0) return 0;
    auto sorted = times_;
    const auto middle = sorted.begin() + (count_ - 1) / 2;
    std::nth_element(sorted.begin(), middle, sorted.begin() + count_);
    return *middle;
  }

 private:
  std::array<double, 5> times_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace laconic
