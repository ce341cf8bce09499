// SPDX-License-Identifier: BSD-3-Clause
// One call of a collective as described by MPI arguments.
#pragma once

#include <mpi.h>

#include "call/collective.hpp"

namespace laconic {

// Numbers to send, or room to receive.  One count for all ranks, or one for each rank with or without displacements.
struct Side {
  void* buffer = nullptr;  // only read on the sending side
  MPI_Count count = 0;
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displs = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct CollectiveCall {
  Routine routine = Routine::allreduce;
  Side send;
  Side recv;  // where a routine has one buffer, count and type for both, they are in both sides
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;

  const CollectiveTraits& traits() const { return traits_of(routine); }
};

}  // namespace laconic
