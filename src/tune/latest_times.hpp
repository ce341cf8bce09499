// SPDX-License-Identifier: BSD-3-Clause
// The latest times that something has taken, and the mean of all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace laconic {

class LatestTimes {
 public:
  static constexpr std::size_t most = 5;

  void add(double seconds) {
    times_[next_++ % times_.size()] = seconds;
    count_ = std::min(count_ + 1, times_.size());
  }
  void clear() { *this = {}; }
  void scale(double factor) {
    for (double& seconds : times_) seconds *= factor;
  }
  std::size_t count() const { return count_; }

  // How long it takes when nothing disturbs it; 0 where there are no times.
  double least() const { return ranked(0); }

  // The same where one of the times may be too short, because a rank that comes late to a call sees a part of it.
  double second_least() const { return ranked(count_ > 3 ? 1 : 0); }

  // Of two times, the lesser.
  double median() const { return ranked(count_ == 0 ? 0 : (count_ - 1) / 2); }

 private:
  double ranked(std::size_t k) const {
    if (count_ == 0) return 0;
    auto sorted = times_;
    std::nth_element(sorted.begin(), sorted.begin() + k, sorted.begin() + count_);
    return sorted[k];
  }

  std::array<double, most> times_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

class MeanTime {
 public:
  // The seconds of so many calls together.
  void add(double seconds, std::uint64_t calls = 1) {
    seconds_ += seconds;
    calls_ += calls;
  }
  // 0 where there are no times.
  double mean() const { return calls_ > 0 ? seconds_ / static_cast<double>(calls_) : 0; }

 private:
  double seconds_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace laconic
