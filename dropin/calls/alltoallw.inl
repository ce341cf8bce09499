// SPDX-License-Identifier: BSD-3-Clause
// Included by alltoallw.cpp for int counts and, from MPI 4 on, for MPI_Count. A call that is not watched goes to MPI after
// one load and a branch.

#define LACONIC_EXCHANGE(Function, like, Displ)                                                                        \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Function)(                                                                     \
      const void* send, const LACONIC_COUNT* sendcounts, const Displ* sdispls, const MPI_Datatype* sendtypes,          \
      void* recv, const LACONIC_COUNT* recvcounts, const Displ* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) \
  {                                                                                                                    \
    const auto itself = [&] {                                                                                          \
      return LACONIC_NAME(PMPI_##Function)(send, sendcounts, sdispls, sendtypes, recv, recvcounts, rdispls, recvtypes, \
                                           comm);                                                                      \
    };                                                                                                                 \
    if (!watched(Operation::like)) return itself();                                                                    \
    return exchange(Operation::like, {const_cast<void*>(send), sendcounts, sdispls, sendtypes},                        \
                    {recv, recvcounts, rdispls, recvtypes}, comm, LACONIC_SITE, itself);                               \
  }

LACONIC_EXCHANGE(Alltoallw, alltoallv, LACONIC_DISPL)
LACONIC_EXCHANGE(Neighbor_alltoallw, neighbor_alltoallv, MPI_Aint)
#undef LACONIC_EXCHANGE
