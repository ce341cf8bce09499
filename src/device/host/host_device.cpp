// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/host_device.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "device/host/float_environment.hpp"

namespace laconic {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t initial_queue = 256;

}  // namespace

HostDevice::HostDevice(int threads) : threads_(std::max(threads, 1)) {
  if (threads_ == 1) return;
  queue_.resize(initial_queue);
  workers_.reserve(static_cast<std::size_t>(threads_));
  for (int i = 0; i < threads_; ++i) workers_.emplace_back([this] { work(); });
}

HostDevice::~HostDevice() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ready_.notify_all();
  for (auto& worker : workers_) worker.join();
}

std::span<std::byte> HostDevice::lease(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  return data ? std::span(data, bytes) : std::span<std::byte>{};
}

void HostDevice::give_back(std::span<std::byte> memory) { std::free(memory.data()); }

Status HostDevice::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return {};
}

void HostDevice::submit(Job& job) {
  job.set_pending();
  if (workers_.empty()) {
    const FloatEnvironment standard;
    job.run();
    job.set_done();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    if (waiting_ == queue_.size()) {
      std::rotate(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_), queue_.end());
      head_ = 0;
      queue_.resize(queue_.size() * 2);
    }
    queue_[(head_ + waiting_) % queue_.size()] = &job;
    ++waiting_;
  }
  ready_.notify_one();
}

void HostDevice::work() {
  // Signals are blocked here, so that the application's signal handlers run in the application's threads.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const FloatEnvironment standard;
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return stop_ || waiting_ > 0; });
    if (waiting_ == 0) return;
    Job* job = queue_[head_];
    head_ = (head_ + 1) % queue_.size();
    --waiting_;
    lock.unlock();
    job->run();
    job->set_done();
    lock.lock();
  }
}

}  // namespace laconic
