// SPDX-License-Identifier: BSD-3-Clause
// A collective call of Laconic, with its arguments in a struct, so that any of them can be spoilt.
#pragma once

#include "call.hpp"

namespace attack {

// The arguments as in MPI.  Where a routine has one buffer, count or type, it is that of the receiving side.
struct Arguments {
  const void* sendbuf = nullptr;
  MPI_Count sendcount = 0;
  const MPI_Count* sendcounts = nullptr;
  const MPI_Aint* sdispls = nullptr;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  void* recvbuf = nullptr;
  MPI_Count recvcount = 0;
  const MPI_Count* recvcounts = nullptr;
  const MPI_Aint* rdispls = nullptr;
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  const laconic_options* options = nullptr;
};

int invoke(Routine routine, Mode mode, const Arguments& arguments, laconic_request* request);

}  // namespace attack
