// SPDX-License-Identifier: BSD-3-Clause
// A thread that moves operations on while the application is outside Laconic (docs/design/0019-progress-thread.md).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/status.hpp"

namespace laconic {

class ProgressThread {
 public:
  // Polls everything in flight once; true when anything moved.
  using Poll = bool (*)();

  explicit ProgressThread(Poll poll) : poll_(poll) {}
  ~ProgressThread() { stop(); }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  // Starts the thread unless it is running.  An error where MPI does not support MPI_THREAD_MULTIPLE, or no thread can
  // be made.
  Status start();

  // Count the operations in flight that asked for the thread.  The thread sleeps while there are none.
  void operation_begins();
  void operation_ends() { wanted_.fetch_sub(1, std::memory_order_relaxed); }

  // Tells the thread that the application is polling, so that it stays out of the way.  Threads may overwrite each
  // other's count; a poll that goes unnoticed costs one poll of the thread's own.
  void application_polls() { polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // Ends the thread.  No operation that needs the thread may be in flight.
  void stop();

 private:
  void run();

  const Poll poll_;
  std::mutex mutex_;  // guards the wake-up of the thread; never held while it polls
  std::condition_variable wake_;
  std::thread thread_;
  bool stop_ = false;
  std::atomic<int> wanted_{0};
  std::atomic<std::uint64_t> polls_{0};
};

}  // namespace laconic
