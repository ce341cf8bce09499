// The MPI library's own operations, with counts beyond 2^31.
#pragma once

#include <mpi.h>

namespace laconic {

// MPI_Allreduce; op may be LACONIC_AVG when mean is set: then MPI_SUM, divided by the number of ranks.
int plain_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, bool mean);

}  // namespace laconic
