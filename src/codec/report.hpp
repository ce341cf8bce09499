// SPDX-License-Identifier: BSD-3-Clause
// A kernel's report on a frame that it wrote or read.  It is in memory that host and device share, and is valid once
// the queue has passed the kernel.  The function that enqueues a piece of work clears it before it launches the first
// kernel of that work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/queue.hpp"

namespace laconic {

struct alignas(64) Report {
  std::uint32_t fault;    // 0: none; otherwise a code that DeviceCodec::status() explains
  std::uint32_t rounded;  // not 0: an encode put numbers on the lattice
  std::uint64_t bytes;    // size of the frame written
  std::byte header[32];   // first bytes of the frame written
};
static_assert(sizeof(Report) <= Queue::report_bytes && alignof(Report) <= Queue::report_bytes);

// A report of the piece of work that is under way on this queue, at the address that its kernels write to; the first is
// that of kernels for a single frame.  index: less than Queue::reports.
inline Report* report_of(Queue& queue, std::size_t index = 0) {
  return reinterpret_cast<Report*>(queue.report_memory()) + index;
}

}  // namespace laconic
