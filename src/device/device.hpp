// SPDX-License-Identifier: BSD-3-Clause
// Where numbers live and work runs.  The engine leases memory and submits jobs here and never waits: it asks
// whether a job is done and goes on with something else.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "base/status.hpp"
#include "device/queue.hpp"

namespace laconic {

// One piece of work.  The submitter owns it and keeps it alive until done; deriving from it carries the
// arguments, so submitting allocates nothing.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // All of it, on the host.
  virtual void run() noexcept = 0;

  // On a device that works apart: moves the job on as far as is possible without waiting, enqueuing work; true when
  // all of it is done.  Called again and again with the same queue, which serves no other job until then.
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

  // Whether the host reads and writes what lease() gives, and jobs are run there.
  virtual bool on_host() const = 0;

  // Memory in which frames are coded, aligned for any vector load; empty when there is none to be had.
  virtual std::span<std::byte> lease(std::size_t bytes) = 0;
  virtual void give_back(std::span<std::byte> memory) = 0;

  // Memory that the host and the device reach, likewise.
  virtual std::span<std::byte> lease_shared(std::size_t bytes) = 0;
  virtual void give_back_shared(std::span<std::byte> memory) = 0;

  // Makes sure that Queue::workspace() has so many words for every job to come; false when there is no memory.
  virtual bool prepare(std::size_t words) = 0;

  // Starts the job; it may be done on return.
  virtual void submit(Job& job) = 0;

  // True when submit() runs the job before it returns: then the caller should poll the network between jobs.
  virtual bool runs_inline() const = 0;

  // Moves jobs on that were submitted, where nobody else does.
  virtual void progress() = 0;

  // Jobs submitted from here on see what was enqueued on a stream of the application before: a cudaStream_t, or null
  // for the default stream.
  virtual Status follow(void* stream) = 0;

  // Copies between memory of the host and of the device, and waits for it.  Not for the engine.
  virtual Status copy(void* to, const void* from, std::size_t bytes) = 0;
};

}  // namespace laconic
