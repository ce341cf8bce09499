// SPDX-License-Identifier: BSD-3-Clause
// A queue of work that a device does in order, asynchronously to the thread that enqueues it.  No function here waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic {

// Memory that the thread blocks of one launch share, and that is kept from launch to launch.  Words hold the epoch of
// the launch that wrote them, so that none has to be cleared.
struct Workspace {
  // words[0] counts the tickets that thread blocks have taken.  Kernels that keep data other than epochs in the words
  // after it must leave them 0, which is the epoch of no launch.
  static constexpr std::size_t first_free = 1;

  std::uint64_t* words = nullptr;  // on the device; all 0 before the first launch
  std::size_t count = 0;
  std::uint32_t epoch = 0;    // epoch of the latest launch; each launch takes the next
  std::uint32_t tickets = 0;  // handed out by all launches so far, modulo 2^32: thread blocks take them in order

  // The epoch of the next launch, from 1 to epochs - 1, for kernels that tell `epochs` of them apart.  At 1 the epochs
  // start over: all words must be cleared before the launch, or words of an old launch would be taken for new ones.
  std::uint32_t next_epoch(std::uint32_t epochs) { return epoch = epoch + 1 < epochs ? epoch + 1 : 1; }
};

// The least and the greatest finite number of some numbers.  Without a finite number they keep their initial values.
struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
};

// The number of parts into which Queue::range() divides the numbers.
inline constexpr std::size_t most_extremes = 512;

class Queue {
 public:
  virtual ~Queue() = default;

  // Copies between any memory that the device can access.  Host memory must be from Device::lease_shared(), or pinned.
  virtual Status copy(void* to, const void* from, std::size_t bytes) = 0;

  // Fills device memory with zeros.
  virtual Status clear(void* to, std::size_t bytes) = 0;

  // result[i] = numbers[i] / divisor, as defined by divide() of base/op.hpp.  `numbers` and `result` may be equal.
  virtual Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) = 0;

  // Writes most_extremes pairs, each for a part of the numbers (possibly an empty one), to memory that host and device
  // share.
  virtual Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes) = 0;

  // Computes checksum::sum() of min(*count, most) bytes.  `bytes`, which is aligned to 8 bytes, and `count` are on the
  // device.  summed() returns the result once the queue has passed this work.  There are `sums` places for results.
  static constexpr unsigned sums = 64;
  virtual Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, unsigned place) = 0;
  virtual std::uint64_t summed(unsigned place) const = 0;

  // Marks the end of the work enqueued so far.  A later mark replaces it.
  virtual Status mark() = 0;

  // Whether all work enqueued before the mark is done.  Sets a status that is not ok when the device failed.
  virtual bool reached(Status& status) = 0;

  // The workspace for the kernels of this queue, which run one after the other: at least `words` words, kept from
  // launch to launch.  Null words when there is no memory.
  virtual Workspace& workspace(std::size_t words) = 0;

  // Memory that host and device share, for what the kernels of the work under way report to the host: `reports` times
  // report_bytes.  It is zero at first, is aligned to report_bytes, and is valid once the queue has passed those
  // kernels.
  static constexpr std::size_t report_bytes = 64;
  static constexpr unsigned reports = 64;
  virtual std::byte* report_memory() = 0;

  // The handle that kernels are launched on, for code that knows the kind of device: a cudaStream_t.
  virtual void* native() = 0;
};

}  // namespace laconic
