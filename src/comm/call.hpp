// One call of a collective as MPI describes it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>

#include "laconic/laconic.h"
#include "schedule/schedule.hpp"

namespace laconic {

enum class Form : std::uint8_t {
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  allgather,
  allgatherv,
  bcast,
  scatter,
  scatterv,
  gather,
  gatherv,
  alltoall,
  alltoallv
};

Collective collective_of(Form form);

// Numbers to send or room to receive.  One count for all, or one for each rank with or without displacements.
struct Side {
  void* buffer = nullptr;  // of the sending side only read
  MPI_Count count = 0;
  const MPI_Count* counts = nullptr;
  const MPI_Aint* displs = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct CollectiveCall {
  Form form = Form::allreduce;
  Side send;
  Side recv;  // where a form has one buffer, count and type for both, they are in both sides
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

}  // namespace laconic
