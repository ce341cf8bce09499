// SPDX-License-Identifier: BSD-3-Clause
// A transport between the ranks of an MPI communicator.
#pragma once

#include <mpi.h>

#include "transport/transport.hpp"

namespace laconic {

// The condition under which a send is complete.
enum class Sends {
  standard,    // its memory may be used again: MPI may buffer the bytes for any length of time
  synchronous  // the receiver has started to receive: few messages are then under way to a receiver that is late
};

class MpiTransport final : public Transport {
 public:
  // comm: a communicator that no other code uses; it must outlive the transport and return errors.  The transport uses
  // the tags from first_tag on: `messages` tags for each of `operations` operations that may run at the same time.
  MpiTransport(MPI_Comm comm, std::uint64_t first_tag, std::uint64_t operations, std::uint64_t messages,
               Sends sends = Sends::standard);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::uint64_t messages() const override { return messages_; }
  bool takes_device_memory() const override { return device_memory_; }
  std::unique_ptr<Channel> make_channel() override;

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::uint64_t first_tag_;
  std::uint64_t operations_;
  std::uint64_t messages_;
  Sends sends_;
  bool device_memory_;
};

}  // namespace laconic
