// SPDX-License-Identifier: BSD-3-Clause
// Hints of a communicator: the ranks agree on whether all could read theirs.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/collectives/agreement.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/operation.hpp"

namespace laconic {

// Takes a turn among the collectives of the communicator, because its agreement is an MPI collective like theirs.
class HintsOperation final : public Operation {
 public:
  // own: the error that this rank found, if any.  The caller holds the binding's lock.
  HintsOperation(const std::shared_ptr<Binding>& binding, Status own);

  bool poll() override;
  void restart() override {}
  void release() override {}

 private:
  void end(Status outcome);

  Status own_;
  std::uint64_t turn_;
  bool begun_ = false;
  Agreement agreement_;
};

// Collective and blocking.  Hints that one rank could not read are an error on every rank, and of every later call,
// until valid hints replace them.
Status set_hints(const std::shared_ptr<Binding>& binding, MPI_Info info);

}  // namespace laconic
