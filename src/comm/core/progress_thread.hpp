// SPDX-License-Identifier: BSD-3-Clause
// A thread that moves operations on while the application is elsewhere (docs/design/0019-progress-thread.md).
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

  // Makes the thread unless there is one.  An error where MPI does not take calls of several threads, or no thread can
  // be had.
  Status start();

  // An operation that asked for the thread is in flight; it has finished.  The thread sleeps while there is none.
  void operation_begins();
  void operation_ends() { wanted_.fetch_sub(1, std::memory_order_relaxed); }

  // The application is polling: the thread stays out of its way.  Threads may overwrite each other's count; a poll
  // that goes unnoticed costs one poll of the thread's own.
  void application_polls() { polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // Ends the thread.  Nothing is in flight that it would have to move on.
  void stop();

 private:
  void run();

  const Poll poll_;
  std::mutex mutex_;  // of what the thread waits for; never held while it polls
  std::condition_variable wake_;
  std::thread thread_;
  bool stop_ = false;
  std::atomic<int> wanted_{0};
  std::atomic<std::uint64_t> polls_{0};
};

}  // namespace laconic
