// Where numbers live and work runs.  The engine leases memory and submits jobs here and never waits: it asks
// whether a job is done and goes on with something else.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

namespace laconic {

// One piece of work.  The submitter owns it and keeps it alive until done; deriving from it carries the
// arguments, so submitting allocates nothing.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual void run() noexcept = 0;

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

  // Memory for coded bytes, aligned for any vector load; empty when there is none to be had.
  virtual std::span<std::byte> lease(std::size_t bytes) = 0;
  virtual void give_back(std::span<std::byte> blob) = 0;

  // Starts the job; it may be done on return.
  virtual void submit(Job& job) = 0;

  // True when submit() runs the job before it returns: then the caller should poll the network between jobs.
  virtual bool runs_inline() const = 0;
};

}  // namespace laconic
