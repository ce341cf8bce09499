// Bytes between the ranks of an MPI communicator.
#pragma once

#include <mpi.h>

#include "transport/transport.hpp"

namespace laconic {

class MpiTransport final : public Transport {
 public:
  // comm: a communicator that nobody else uses; it must outlive the transport and return errors.
  explicit MpiTransport(MPI_Comm comm);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::uint64_t messages() const override { return messages_; }
  std::unique_ptr<Channel> make_channel() override;

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  std::uint64_t messages_ = 1;
};

}  // namespace laconic
