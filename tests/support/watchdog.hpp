// SPDX-License-Identifier: BSD-3-Clause
// Aborts a test that hangs, and reports where it hung.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace laconic::test {

class Watchdog {
 public:
  // Prints the result of `report` and aborts, unless destroyed before `limit` is over.
  Watchdog(std::chrono::seconds limit, std::function<std::string()> report)
      : thread_([this, limit, report = std::move(report)] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, limit, [this] { return over_; })) return;
          std::fprintf(stderr, "watchdog: nothing for %lld s\n%s\n", static_cast<long long>(limit.count()),
                       report().c_str());
          std::abort();
        }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace laconic::test
