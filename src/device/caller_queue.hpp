// SPDX-License-Identifier: BSD-3-Clause
// A queue for streams of a caller, who may be capturing them into a graph: what is enqueued once then runs many times,
// with the same arguments.  So memory that kernels share is cleared by each piece of work, and never freed before the
// queue is.  Work on one stream at a time.
#pragma once

#include <cstddef>

#include "device/queue.hpp"

namespace laconic {

class CallerQueue : public Queue {
 public:
  // Leases memory for work that needs up to `words` words of workspace.  The first call, of this function or of open(),
  // chooses the context that is current on the calling thread.
  virtual Status prepare(std::size_t words) = 0;
  virtual Status open() = 0;
  // The number of the device, once the queue is open.
  virtual int device() const = 0;

  // Begins a piece of work on `stream` with `words` words of workspace, which are 0, as are the report and the notes.
  // While the stream is captured, the memory has to be there already.  After success, end() ends the work.
  virtual Status begin(void* stream, std::size_t words) = 0;
  virtual void end() = 0;

  // Memory of the device for what kernels of the work under way tell each other.
  static constexpr std::size_t note_bytes = 64;
  virtual std::byte* notes() = 0;
};

}  // namespace laconic
