// SPDX-License-Identifier: BSD-3-Clause
// A device stores numbers and runs work on them.  The engine leases memory and submits jobs here and never waits:
// it asks whether a job is done and goes on with something else.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.hpp"
#include "device/queue.hpp"

namespace laconic {

// One piece of work.  The submitter owns it and keeps it alive until it is done.  Derived classes carry the
// arguments, so submitting allocates nothing.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Does the whole job on the host.
  virtual void run() noexcept = 0;

  // For a discrete device: enqueues work and advances the job as far as is possible without waiting.  Returns true when
  // the whole job is done.  Called again and again with the same queue, which serves no other job until then.
  virtual bool step(Queue& queue) noexcept = 0;

  bool done() const { return done_.load(std::memory_order_acquire); }
  void set_pending() { done_.store(false, std::memory_order_relaxed); }
  void set_done() { done_.store(true, std::memory_order_release); }

 protected:
  ~Job() = default;

 private:
  std::atomic<bool> done_{true};
};

class Device {
 public:
  virtual ~Device() = default;

  // Whether jobs run on the host, which can then access the memory that lease() returns.
  virtual bool on_host() const = 0;

  // Whether codecs' kernels run here.  Where they do not, the device's memory can still be copied.
  virtual bool runs_kernels() const { return true; }

  // As its vendor calls it: "NVIDIA H200".  Empty for the host.
  virtual std::string name() const { return {}; }

  // Leases memory of the device, aligned for any vector load.  Empty when no memory is available.
  virtual std::span<std::byte> lease(std::size_t bytes) = 0;
  virtual void give_back(std::span<std::byte> memory) = 0;

  // The same for memory that both the host and the device can access.
  virtual std::span<std::byte> lease_shared(std::size_t bytes) = 0;
  virtual void give_back_shared(std::span<std::byte> memory) = 0;

  // Makes sure that Queue::workspace() has at least `words` words for all later jobs; false when there is no memory.
  virtual bool prepare(std::size_t words) = 0;

  // Starts the job; it may be done on return.
  virtual void submit(Job& job) = 0;

  // True when submit() runs the job before it returns.  The caller should then poll the network between jobs.
  virtual bool runs_inline() const = 0;

  // Advances submitted jobs, on devices where no worker thread does.
  virtual void progress() = 0;

  // Jobs submitted after this call see the results of all work that the application has enqueued on `stream` before:
  // a cudaStream_t, or null for the default stream.
  virtual Status follow(void* stream) = 0;

  // Copies between host memory and device memory, and waits for the copy.  The engine, which never waits, must not call
  // it.
  virtual Status copy(void* to, const void* from, std::size_t bytes) = 0;
};

}  // namespace laconic
