// SPDX-License-Identifier: BSD-3-Clause
// Work that a device does in order, apart from the thread that asks for it.  Nothing here waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/dtype.hpp"
#include "base/status.hpp"

namespace laconic {

// What kernels keep between the thread blocks of one launch, and from launch to launch.  Words hold the epoch of the
// launch that wrote them, so that none has to be cleared.
struct Workspace {
  // words[0] counts the tickets that thread blocks have taken.  Kernels that keep other things than epochs in the words
  // behind it leave them 0, which is no launch's epoch.
  static constexpr std::size_t first_free = 1;

  std::uint64_t* words = nullptr;  // on the device; all 0 before the first launch
  std::size_t count = 0;
  std::uint32_t epoch = 0;    // of the latest launch; each takes the next
  std::uint32_t tickets = 0;  // handed out by all launches so far, modulo 2^32: thread blocks take them in order

  // The epoch of a launch, from 1 to epochs - 1, where kernels tell so many apart.  At 1 they have come round: all
  // words must be cleared before the launch, or what is left of an old one would be taken for news.
  std::uint32_t next_epoch(std::uint32_t epochs) { return epoch = epoch + 1 < epochs ? epoch + 1 : 1; }
};

// What a kernel says of a frame that it wrote or read.  Memory that host and device share; valid once the queue has
// passed the kernel.  Whoever asks for a piece of work clears it before the first kernel of that is launched.
struct alignas(64) Report {
  std::uint32_t fault;    // 0: none; otherwise what DeviceCodec::status() explains
  std::uint32_t rounded;  // not 0: an encode put numbers on the lattice
  std::uint64_t bytes;    // of the frame written
  std::byte header[32];   // of the frame written: its first bytes
};

// The least and the greatest finite number of some numbers, as finite_range() of the codecs has them.
struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
};

// How many parts Queue::range() has numbers looked at in.
inline constexpr std::size_t most_extremes = 512;

class Queue {
 public:
  virtual ~Queue() = default;

  // Between any two places that the device can reach; host memory must be Device::lease_shared's, or pinned.
  virtual Status copy(void* to, const void* from, std::size_t bytes) = 0;

  // Zeros, on the device.
  virtual Status clear(void* to, std::size_t bytes) = 0;

  // result[i] = numbers[i] / divisor, as divide() of base/op.hpp has it; the two may be equal.
  virtual Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) = 0;

  // Writes most_extremes pairs, each of a part of the numbers (or of none), to memory that host and device share.
  virtual Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes) = 0;

  // Adds up checksum::sum() of min(*count, most) bytes; all is on the device, aligned to 8 bytes.  summed() is it, once
  // the queue has passed that.  There are `sums` places for results.
  static constexpr unsigned sums = 3;
  virtual Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, unsigned place) = 0;
  virtual std::uint64_t summed(unsigned place) const = 0;

  // Marks what has been enqueued so far; a later mark replaces it.
  virtual Status mark() = 0;

  // Whether all that was enqueued before the mark is done; a status that is not ok when the device failed.
  virtual bool reached(Status& status) = 0;

  // For kernels of this queue, which follow each other: at least `words` words, kept from launch to launch.  Null words
  // when there is no memory.
  virtual Workspace& workspace(std::size_t words) = 0;

  // One report for each piece of work that is under way, and its place for kernels.
  virtual Report* report() = 0;

  // What kernels are launched on, as the device's folder knows it: a cudaStream_t.
  virtual void* native() = 0;
};

}  // namespace laconic
