// SPDX-License-Identifier: BSD-3-Clause
// The host as a device: host memory, with jobs run by the calling thread or by a few worker threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "device/device.hpp"

namespace laconic {

class HostDevice final : public Device {
 public:
  // threads = 1: jobs run in submit(), in the caller's thread.  threads > 1: that many worker threads run them,
  // and the caller is free to progress messages.
  explicit HostDevice(int threads);
  ~HostDevice() override;

  bool on_host() const override { return true; }
  std::span<std::byte> lease(std::size_t bytes) override;
  void give_back(std::span<std::byte> memory) override;
  std::span<std::byte> lease_shared(std::size_t bytes) override { return lease(bytes); }
  void give_back_shared(std::span<std::byte> memory) override { give_back(memory); }
  bool prepare(std::size_t) override { return true; }
  void submit(Job& job) override;
  bool runs_inline() const override { return workers_.empty(); }
  void progress() override {}
  Status follow(void*) override { return {}; }
  Status copy(void* to, const void* from, std::size_t bytes) override;
  int threads() const { return threads_; }

 private:
  void work();

  int threads_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Job*> queue_;  // circular buffer: head_ .. head_ + waiting_
  std::size_t head_ = 0;
  std::size_t waiting_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace laconic
