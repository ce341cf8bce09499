// SPDX-License-Identifier: BSD-3-Clause
// Moves numbers between buffers of different types.  Only MPI knows how, so this rank sends a message to itself.
// Unlike MPI_Pack it takes MPI_BOTTOM and more than 2 GiB.
#pragma once

#include <mpi.h>

#include "base/status.hpp"

namespace laconic {

struct Typed {
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

// comm: the private communicator.
Status move_by_message(const Typed& from, const Typed& to, int rank, MPI_Comm comm);

}  // namespace laconic
