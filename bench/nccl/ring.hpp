// SPDX-License-Identifier: BSD-3-Clause
// A prototype: one rank of an allreduce over NCCL whose messages are frames of a fixed rate (docs/design/0043-nccl.md).
//
// The host never waits: every kernel and every message is enqueued on one stream, with sizes that are known in advance.
// OSU's Allreduce with ZFP has the same ring, over MPI and with a wait for each message.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

#include "codec/codec.hpp"
#include "codec/device_codec.hpp"
#include "support/on_device.hpp"

namespace laconic::bench {

class Ring {
 public:
  // Allocates on the current device.  rate: bits per number.  The communicator stays the caller's.
  Ring(ncclComm_t comm, int rank, int size, std::size_t count, double rate);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // An allreduce is: prepare() and exchange() for every step from 0 to steps() - 1, then finish().  All of them enqueue
  // and return.  A process with several ranks calls exchange() of all between ncclGroupStart and ncclGroupEnd.
  // numbers, result: `count` float32 in device memory, which may be equal.
  int steps() const { return 2 * (size_ - 1); }
  Status prepare(int step, const float* numbers);
  ncclResult_t exchange(int step);
  Status finish(const float* numbers, float* result);

  // Waits.  False if a frame that this rank made was larger than its message: numbers that are not finite are kept as
  // they are.  If this holds for any rank, the result of all is unusable, and the caller sums plainly.
  bool fits();

  cudaStream_t stream() { return static_cast<cudaStream_t>(queue_.native()); }
  // Bytes that each rank sends in one allreduce.
  std::size_t bytes_sent() const;

 private:
  std::size_t begin_of(int block) const;
  std::size_t count_of(int block) const { return begin_of(block + 1) - begin_of(block); }
  int sent_in(int step) const;  // the block
  int wrap(int block) const { return ((block % size_) + size_) % size_; }
  std::byte* frame(int block, bool made) const;
  DeviceFrame arrived(int block) const;
  Status keep_header(int block);

  ncclComm_t comm_;
  int rank_, size_;
  std::size_t count_;
  const Codec& codec_;
  Coding coding_;
  std::size_t room_;                // of one frame
  std::vector<std::size_t> bytes_;  // of the message of each block
  test::OneQueue queue_;
  test::DeviceBytes frames_;      // two for each block: the one made here, and the one that arrived
  std::byte* headers_ = nullptr;  // pinned: those of the frames made here
};

}  // namespace laconic::bench
