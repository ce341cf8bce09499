// SPDX-License-Identifier: BSD-3-Clause
// The monotonic clock of a test's process, for tests of what ranks learn from times: each rank's clock runs at a speed
// of its own, and a test says how long an event takes, without a wait.  What is faster then does not depend on how
// busy the machine is.  One source file of a program includes this.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmath>

namespace ranks {

class Clock {
 public:
  // speed: shown seconds per second.  share: of the time that passes by itself, the share that the clock shows.
  void run(double speed, double share = 1) {
    timespec real{};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &real);
    const timespec here = shown(real);
    begin_ = real;
    shown_ = here;
    skipped_ = 0;
    speed_ = speed;
    share_ = share;
  }

  // Advances the clock by the duration of an event; a clock at speed 1 advances by `seconds`.
  void pass(double seconds) { skipped_ += seconds * speed_; }

  [[nodiscard]] double speed() const { return speed_; }

  [[nodiscard]] timespec shown(const timespec& real) const {
    const double passed =
        static_cast<double>(real.tv_sec - begin_.tv_sec) + 1e-9 * static_cast<double>(real.tv_nsec - begin_.tv_nsec);
    const double since = passed * share_ * speed_ + skipped_ + 1e-9 * static_cast<double>(shown_.tv_nsec);
    timespec now{};
    now.tv_sec = shown_.tv_sec + static_cast<time_t>(std::floor(since));
    now.tv_nsec = static_cast<long>((since - std::floor(since)) * 1e9);
    return now;
  }

 private:
  timespec begin_{}, shown_{};
  double speed_ = 1, share_ = 1, skipped_ = 0;
};

inline Clock clock;

}  // namespace ranks

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t which, timespec* now) noexcept {
  const int code = static_cast<int>(syscall(SYS_clock_gettime, which, now));
  if (code == 0 && which == CLOCK_MONOTONIC) *now = ranks::clock.shown(*now);
  return code;
}
