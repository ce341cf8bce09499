// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/progress_thread.hpp"

#include <mpi.h>
#include <pthread.h>

#include <chrono>
#include <string>
#include <system_error>

namespace laconic {
namespace {

// The time that the thread leaves the operations alone.  A longer pause costs latency while the application computes.
// A shorter one takes processor time from the application although the thread could only wait for the network.
constexpr std::chrono::microseconds pause{50};

std::string name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "level " + std::to_string(level);
  }
}

}  // namespace

Status ProgressThread::start() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return {};
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    return {Code::argument, "progress 'thread' is not valid here, because MPI was initialized with " +
                                name_of_level(level) +
                                "; valid are calls, or thread after MPI_Init_thread with MPI_THREAD_MULTIPLE"};
  stop_ = false;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return {Code::memory, std::string("no thread for progress 'thread': ") + error.what()};
  }
  return {};
}

void ProgressThread::operation_begins() {
  if (wanted_.fetch_add(1, std::memory_order_relaxed) > 0) return;
  const std::lock_guard lock(mutex_);
  wake_.notify_one();
}

void ProgressThread::run() {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "laconic");  // the name in top or a debugger
#endif
  std::unique_lock lock(mutex_);
  const auto stopped = [this] { return stop_; };
  const auto wanted = [this] { return wanted_.load(std::memory_order_relaxed) > 0; };
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || wanted(); });
    const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
    const auto unobserved = [&] { return polls_.load(std::memory_order_relaxed) == polls; };
    if (wake_.wait_for(lock, pause, stopped)) return;
    lock.unlock();
    while (wanted() && unobserved() && poll_()) {
    }
    lock.lock();
  }
}

void ProgressThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
    stop_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

}  // namespace laconic
