// SPDX-License-Identifier: BSD-3-Clause
// Hints of a communicator: the ranks agree on whether all could read theirs.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/collectives/agreement.hpp"
#include "comm/core/binding.hpp"
#include "comm/core/operation.hpp"

namespace laconic {

// Takes a turn among the collectives of the communicator, as its agreement is a collective of MPI like theirs.
class HintsOperation final : public Operation {
 public:
  // own: what this rank found wrong.  With the binding's lock held.
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

// Collective, and blocks.  Hints that one rank could not read are an error on every rank, and of every call that
// follows, until good ones replace them.
Status set_hints(const std::shared_ptr<Binding>& binding, MPI_Info info);

}  // namespace laconic
