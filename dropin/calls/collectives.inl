// SPDX-License-Identifier: BSD-3-Clause
// The functions that a program calls. Included by collectives.cpp for int counts and, from MPI 4 on, for MPI_Count.

// The three forms of an operation. A call that is not watched goes to MPI after one load and one branch.
#define LACONIC_ARGUMENTS(...) __VA_ARGS__
#define LACONIC_LEAVE(Function, operation_, form_, ...) \
  if (!watched(Operation::operation_, Form::form_)) return LACONIC_NAME(PMPI_##Function)(__VA_ARGS__)
#define LACONIC_LOOK(Function, operation_, form_, request_, arguments, ...)                          \
  Call call = {Operation::operation_, {}, {}, MPI_OP_NULL, 0, comm, Form::form_, request_, nullptr}; \
  call.site = LACONIC_SITE;                                                                          \
  set_arguments<Routine::operation_>(call, arguments);                                                            \
  return intercept(call, [&] { return LACONIC_NAME(PMPI_##Function)(__VA_ARGS__); })

#define LACONIC_COLLECTIVE(Name, name, arguments, ...)                                                                \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Name)(__VA_ARGS__, MPI_Comm comm) {                                           \
    LACONIC_LEAVE(Name, name, blocking, LACONIC_ARGUMENTS arguments, comm);                                           \
    LACONIC_LOOK(Name, name, blocking, nullptr, LACONIC_ARGUMENTS arguments, LACONIC_ARGUMENTS arguments, comm);      \
  }                                                                                                                   \
  LACONIC_EXPORT int LACONIC_NAME(MPI_I##name)(__VA_ARGS__, MPI_Comm comm, MPI_Request * request) {                   \
    LACONIC_LEAVE(I##name, name, nonblocking, LACONIC_ARGUMENTS arguments, comm, request);                            \
    LACONIC_LOOK(I##name, name, nonblocking, request, LACONIC_ARGUMENTS arguments, LACONIC_ARGUMENTS arguments, comm, \
                 request);                                                                                            \
  }                                                                                                                   \
  LACONIC_PERSISTENT(Name, name, arguments, __VA_ARGS__)

#if MPI_VERSION >= 4
#define LACONIC_PERSISTENT(Name, name, arguments, ...)                                                             \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Name##_init)(__VA_ARGS__, MPI_Comm comm, MPI_Info info,                    \
                                                     MPI_Request * request) {                                      \
    LACONIC_LEAVE(Name##_init, name, persistent, LACONIC_ARGUMENTS arguments, comm, info, request);                \
    LACONIC_LOOK(Name##_init, name, persistent, request, LACONIC_ARGUMENTS arguments, LACONIC_ARGUMENTS arguments, \
                 comm, info, request);                                                                             \
  }
#else
#define LACONIC_PERSISTENT(Name, name, arguments, ...)
#endif

LACONIC_COLLECTIVE(Allreduce, allreduce, (send, recv, count, type, op), const void* send, void* recv,
                   LACONIC_COUNT count, MPI_Datatype type, MPI_Op op)
LACONIC_COLLECTIVE(Reduce, reduce, (send, recv, count, type, op, root), const void* send, void* recv,
                   LACONIC_COUNT count, MPI_Datatype type, MPI_Op op, int root)
LACONIC_COLLECTIVE(Reduce_scatter, reduce_scatter, (send, recv, counts, type, op), const void* send, void* recv,
                   const LACONIC_COUNT* counts, MPI_Datatype type, MPI_Op op)
LACONIC_COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, (send, recv, count, type, op), const void* send,
                   void* recv, LACONIC_COUNT count, MPI_Datatype type, MPI_Op op)
LACONIC_COLLECTIVE(Bcast, bcast, (buffer, count, type, root), void* buffer, LACONIC_COUNT count, MPI_Datatype type,
                   int root)
LACONIC_COLLECTIVE(Allgather, allgather, (send, sendcount, sendtype, recv, recvcount, recvtype), const void* send,
                   LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount,
                   MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Allgatherv, allgatherv, (send, sendcount, sendtype, recv, recvcounts, displs, recvtype),
                   const void* send, LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv,
                   const LACONIC_COUNT* recvcounts, const LACONIC_DISPL* displs, MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Scatter, scatter, (send, sendcount, sendtype, recv, recvcount, recvtype, root), const void* send,
                   LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount,
                   MPI_Datatype recvtype, int root)
LACONIC_COLLECTIVE(Scatterv, scatterv, (send, sendcounts, displs, sendtype, recv, recvcount, recvtype, root),
                   const void* send, const LACONIC_COUNT* sendcounts, const LACONIC_DISPL* displs,
                   MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount, MPI_Datatype recvtype, int root)
LACONIC_COLLECTIVE(Gather, gather, (send, sendcount, sendtype, recv, recvcount, recvtype, root), const void* send,
                   LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount,
                   MPI_Datatype recvtype, int root)
LACONIC_COLLECTIVE(Gatherv, gatherv, (send, sendcount, sendtype, recv, recvcounts, displs, recvtype, root),
                   const void* send, LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv,
                   const LACONIC_COUNT* recvcounts, const LACONIC_DISPL* displs, MPI_Datatype recvtype, int root)
LACONIC_COLLECTIVE(Alltoall, alltoall, (send, sendcount, sendtype, recv, recvcount, recvtype), const void* send,
                   LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount,
                   MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Alltoallv, alltoallv, (send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype),
                   const void* send, const LACONIC_COUNT* sendcounts, const LACONIC_DISPL* sdispls,
                   MPI_Datatype sendtype, void* recv, const LACONIC_COUNT* recvcounts, const LACONIC_DISPL* rdispls,
                   MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Scan, scan, (send, recv, count, type, op), const void* send, void* recv, LACONIC_COUNT count, MPI_Datatype type, MPI_Op op)
LACONIC_COLLECTIVE(Exscan, exscan, (send, recv, count, type, op), const void* send, void* recv, LACONIC_COUNT count, MPI_Datatype type, MPI_Op op)
LACONIC_COLLECTIVE(Neighbor_allgather, neighbor_allgather, (send, sendcount, sendtype, recv, recvcount, recvtype), const void* send, LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount, MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, (send, sendcount, sendtype, recv, recvcounts, displs, recvtype), const void* send, LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, const LACONIC_COUNT* recvcounts, const LACONIC_DISPL* displs, MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, (send, sendcount, sendtype, recv, recvcount, recvtype), const void* send, LACONIC_COUNT sendcount, MPI_Datatype sendtype, void* recv, LACONIC_COUNT recvcount, MPI_Datatype recvtype)
LACONIC_COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, (send, sendcounts, sdispls, sendtype, recv, recvcounts, rdispls, recvtype), const void* send, const LACONIC_COUNT* sendcounts, const LACONIC_DISPL* sdispls, MPI_Datatype sendtype, void* recv, const LACONIC_COUNT* recvcounts, const LACONIC_DISPL* rdispls, MPI_Datatype recvtype)

#undef LACONIC_ARGUMENTS
#undef LACONIC_LEAVE
#undef LACONIC_LOOK
#undef LACONIC_COLLECTIVE
#undef LACONIC_PERSISTENT
