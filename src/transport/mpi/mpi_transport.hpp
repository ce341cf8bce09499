// SPDX-License-Identifier: BSD-3-Clause
// Bytes between the ranks of an MPI communicator.
#pragma once

#include <mpi.h>

#include "transport/transport.hpp"

namespace laconic {

// When a send is complete.
enum class Sends {
  standard,    // when its memory may be used again: MPI may keep the bytes for as long as it likes
  synchronous  // not before the receiver has asked for it: few are on their way to a receiver that is not there
};

class MpiTransport final : public Transport {
 public:
  // comm: a communicator that nobody else uses; it must outlive the transport and return errors.  Tags from first_tag
  // on: `messages` for each of `operations` that may be under way at the same time.
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
