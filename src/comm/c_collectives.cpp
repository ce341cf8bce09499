// The C API: collectives.  Each is blocking, nonblocking and persistent, of the same call.
#include "comm/c_guard.hpp"
#include "comm/collective.hpp"
#include "laconic/laconic.h"

namespace {

using laconic::CollectiveCall;
using laconic::Form;
using laconic::guarded;

// A sending side is only read.
void* mutable_of(const void* buffer) { return const_cast<void*>(buffer); }

}  // namespace

// name; parameters and arguments of the MPI function but for the communicator, which comes last; how they make a call.
#define LACONIC_COLLECTIVE(name, PARAMETERS, ARGUMENTS, CALL)                                                        \
  namespace {                                                                                                        \
  CollectiveCall name##_call(PARAMETERS, MPI_Comm comm) { return CALL; }                                             \
  }                                                                                                                  \
  int laconic_##name(PARAMETERS, MPI_Comm comm, const laconic_options* options) {                                    \
    return guarded(comm, [&] { return laconic::run_collective(name##_call(ARGUMENTS, comm), options); });            \
  }                                                                                                                  \
  int laconic_i##name(PARAMETERS, MPI_Comm comm, laconic_request* request, const laconic_options* options) {         \
    return guarded(comm, [&] { return laconic::begin_collective(name##_call(ARGUMENTS, comm), request, options); }); \
  }                                                                                                                  \
  int laconic_##name##_init(PARAMETERS, MPI_Comm comm, laconic_request* request, const laconic_options* options) {   \
    return guarded(comm, [&] { return laconic::init_collective(name##_call(ARGUMENTS, comm), request, options); });  \
  }
#define LACONIC_LIST(...) __VA_ARGS__

LACONIC_COLLECTIVE(allreduce,
                   LACONIC_LIST(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op),
                   LACONIC_LIST(sendbuf, recvbuf, count, datatype, op),
                   (CollectiveCall{Form::allreduce,
                                   {mutable_of(sendbuf), count, nullptr, nullptr, datatype},
                                   {recvbuf, count, nullptr, nullptr, datatype},
                                   op,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(reduce,
                   LACONIC_LIST(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                int root),
                   LACONIC_LIST(sendbuf, recvbuf, count, datatype, op, root),
                   (CollectiveCall{Form::reduce,
                                   {mutable_of(sendbuf), count, nullptr, nullptr, datatype},
                                   {recvbuf, count, nullptr, nullptr, datatype},
                                   op,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(reduce_scatter,
                   LACONIC_LIST(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                                MPI_Op op),
                   LACONIC_LIST(sendbuf, recvbuf, recvcounts, datatype, op),
                   (CollectiveCall{Form::reduce_scatter,
                                   {mutable_of(sendbuf), 0, recvcounts, nullptr, datatype},
                                   {recvbuf, 0, nullptr, nullptr, datatype},
                                   op,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(reduce_scatter_block,
                   LACONIC_LIST(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                MPI_Op op),
                   LACONIC_LIST(sendbuf, recvbuf, recvcount, datatype, op),
                   (CollectiveCall{Form::reduce_scatter_block,
                                   {mutable_of(sendbuf), recvcount, nullptr, nullptr, datatype},
                                   {recvbuf, recvcount, nullptr, nullptr, datatype},
                                   op,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(allgather,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                   (CollectiveCall{Form::allgather,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, recvcount, nullptr, nullptr, recvtype},
                                   MPI_OP_NULL,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(allgatherv,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
                   (CollectiveCall{Form::allgatherv,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, 0, recvcounts, displs, recvtype},
                                   MPI_OP_NULL,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(bcast, LACONIC_LIST(void* buffer, MPI_Count count, MPI_Datatype datatype, int root),
                   LACONIC_LIST(buffer, count, datatype, root),
                   (CollectiveCall{Form::bcast,
                                   {buffer, count, nullptr, nullptr, datatype},
                                   {buffer, count, nullptr, nullptr, datatype},
                                   MPI_OP_NULL,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(scatter,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
                   (CollectiveCall{Form::scatter,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, recvcount, nullptr, nullptr, recvtype},
                                   MPI_OP_NULL,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(scatterv,
                   LACONIC_LIST(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                int root),
                   LACONIC_LIST(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root),
                   (CollectiveCall{Form::scatterv,
                                   {mutable_of(sendbuf), 0, sendcounts, displs, sendtype},
                                   {recvbuf, recvcount, nullptr, nullptr, recvtype},
                                   MPI_OP_NULL,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(gather,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
                   (CollectiveCall{Form::gather,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, recvcount, nullptr, nullptr, recvtype},
                                   MPI_OP_NULL,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(gatherv,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root),
                   (CollectiveCall{Form::gatherv,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, 0, recvcounts, displs, recvtype},
                                   MPI_OP_NULL,
                                   root,
                                   comm}))

LACONIC_COLLECTIVE(alltoall,
                   LACONIC_LIST(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype),
                   LACONIC_LIST(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
                   (CollectiveCall{Form::alltoall,
                                   {mutable_of(sendbuf), sendcount, nullptr, nullptr, sendtype},
                                   {recvbuf, recvcount, nullptr, nullptr, recvtype},
                                   MPI_OP_NULL,
                                   0,
                                   comm}))

LACONIC_COLLECTIVE(alltoallv,
                   LACONIC_LIST(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                const MPI_Aint rdispls[], MPI_Datatype recvtype),
                   LACONIC_LIST(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
                   (CollectiveCall{Form::alltoallv,
                                   {mutable_of(sendbuf), 0, sendcounts, sdispls, sendtype},
                                   {recvbuf, 0, recvcounts, rdispls, recvtype},
                                   MPI_OP_NULL,
                                   0,
                                   comm}))
