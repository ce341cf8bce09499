// SPDX-License-Identifier: BSD-3-Clause
// The memory that compressed collectives of this process read.  MPI lets several operations read the same memory at a
// time, and so two broadcasts may have one root buffer.  But the root of a compressed broadcast rounds its numbers, to
// have the same bits as the other ranks: where another operation reads them, too, it must keep them and send them
// exactly (docs/design/0045-memory-that-mpi-only-reads.md).
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace laconic {

class InputsInUse {
 public:
  InputsInUse() { uses_.reserve(64); }

  // The operation has begun, and reads this memory.
  void add(const void* operation, std::span<const std::byte> memory);
  // It has ended.
  void end(const void* operation);
  // The application has completed it.  Until then it may have begun others that read the memory.
  void remove(const void* operation);

  enum class Verdict {
    wait,   // another operation is rounding this memory: ask again
    keep,   // the memory must not be written
    round,  // no other operation has read the memory since this one began; those that begin now wait for its end
  };
  // The operation is about to read its memory.  rounds: and to write the rounded numbers there.
  Verdict begin(const void* operation, bool rounds);

 private:
  struct Use {
    const void* operation;
    std::span<const std::byte> memory;
    bool rounds;  // now
    bool shared;  // others read it, too, or have since this operation began
  };
  Use* find(const void* operation);

  std::mutex mutex_;  // threads may use different communicators
  std::vector<Use> uses_;
};

}  // namespace laconic
