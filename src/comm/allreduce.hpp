// The Allreduce: decides between plain MPI and the engine, and drives either.
#pragma once

#include <mpi.h>

#include "laconic/laconic.h"

namespace laconic {

struct AllreduceCall {
  const void* sendbuf;
  void* recvbuf;
  MPI_Count count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
  const laconic_options* options;
};

// Returns an MPI error code; errors have been reported to the communicator's handler.
int allreduce(const AllreduceCall& call);

}  // namespace laconic
