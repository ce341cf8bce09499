// SPDX-License-Identifier: BSD-3-Clause
// The C API: collectives.  Each has a blocking, a nonblocking and a persistent form.
#include "call/arguments.hpp"
#include "comm/api/c_guard.hpp"
#include "comm/collectives/collective.hpp"
#include "laconic/laconic.h"

namespace {

using laconic::CollectiveCall;
using laconic::guarded;
using laconic::Routine;

template <Routine routine, class... Arguments>
CollectiveCall call_of(MPI_Comm comm, Arguments... arguments) {
  CollectiveCall call;
  call.routine = routine;
  call.comm = comm;
  laconic::set_arguments<routine>(call, arguments...);
  return call;
}

}  // namespace

// The name, then the parameters and arguments of the MPI function without the communicator, which comes last.
#define LACONIC_LIST(...) __VA_ARGS__
#define LACONIC_COLLECTIVE(name, PARAMETERS, ARGUMENTS)                                                                \
  int laconic_##name(LACONIC_LIST PARAMETERS, MPI_Comm comm, const laconic_options* options) {                         \
    return guarded(                                                                                                    \
        comm, [&] { return laconic::run_collective(call_of<Routine::name>(comm, LACONIC_LIST ARGUMENTS), options); }); \
  }                                                                                                                    \
  int laconic_i##name(LACONIC_LIST PARAMETERS, MPI_Comm comm, laconic_request* request,                                \
                      const laconic_options* options) {                                                                \
    return guarded(comm, [&]() -> int {                                                                                \
      return laconic::begin_collective(call_of<Routine::name>(comm, LACONIC_LIST ARGUMENTS), request, options);        \
    });                                                                                                                \
  }                                                                                                                    \
  int laconic_##name##_init(LACONIC_LIST PARAMETERS, MPI_Comm comm, laconic_request* request,                          \
                            const laconic_options* options) {                                                          \
    return guarded(comm, [&]() -> int {                                                                                \
      return laconic::init_collective(call_of<Routine::name>(comm, LACONIC_LIST ARGUMENTS), request, options);         \
    });                                                                                                                \
  }

LACONIC_COLLECTIVE(allreduce, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op),
                   (sendbuf, recvbuf, count, datatype, op))
LACONIC_COLLECTIVE(reduce,
                   (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root),
                   (sendbuf, recvbuf, count, datatype, op, root))
LACONIC_COLLECTIVE(reduce_scatter,
                   (const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op),
                   (sendbuf, recvbuf, recvcounts, datatype, op))
LACONIC_COLLECTIVE(reduce_scatter_block,
                   (const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op),
                   (sendbuf, recvbuf, recvcount, datatype, op))
LACONIC_COLLECTIVE(allgather,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
LACONIC_COLLECTIVE(allgatherv,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))
LACONIC_COLLECTIVE(bcast, (void* buffer, MPI_Count count, MPI_Datatype datatype, int root),
                   (buffer, count, datatype, root))
LACONIC_COLLECTIVE(scatter,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
LACONIC_COLLECTIVE(scatterv,
                   (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root),
                   (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))
LACONIC_COLLECTIVE(gather,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
LACONIC_COLLECTIVE(gatherv,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))
LACONIC_COLLECTIVE(alltoall,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
LACONIC_COLLECTIVE(alltoallv,
                   (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype),
                   (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))
LACONIC_COLLECTIVE(scan, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op),
                   (sendbuf, recvbuf, count, datatype, op))
LACONIC_COLLECTIVE(exscan, (const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op),
                   (sendbuf, recvbuf, count, datatype, op))
LACONIC_COLLECTIVE(neighbor_allgather,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
LACONIC_COLLECTIVE(neighbor_allgatherv,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))
LACONIC_COLLECTIVE(neighbor_alltoall,
                   (const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype),
                   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
LACONIC_COLLECTIVE(neighbor_alltoallv,
                   (const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype),
                   (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))
