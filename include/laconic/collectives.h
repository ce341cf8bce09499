/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives: blocking, nonblocking and persistent.  laconic.h includes this file. */
#ifndef LACONIC_COLLECTIVES_H
#define LACONIC_COLLECTIVES_H

#include <laconic/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Collectives ----------------------------------------------------------------------------------------------
 *
 * MPI_IN_PLACE is allowed where MPI allows it.  Counts and displacements are in elements of the datatype.  The rules
 * for roots, zero and uneven counts, and for the arguments that are significant on each rank, are those of MPI.
 * neighbor_* needs a communicator with a Cartesian or graph topology.  A block that is sent in the negative direction
 * of a Cartesian dimension is received from the positive direction, also where the two neighbors are the same rank, as
 * MPI 4 demands; some MPI libraries do not keep to that in all forms of the call.
 *
 * Datatypes and operations that are compressed: MPI_FLOAT and MPI_DOUBLE with any bound; with the bound lossless also
 * MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_SIGNED_CHAR, their unsigned forms, MPI_INT8_T ... MPI_UINT64_T,
 * MPI_AINT, MPI_OFFSET and MPI_COUNT.  In operations that only move data, derived datatypes composed of one of these
 * are treated as arrays of that type, and ranks may pass different datatypes with equal signatures.  Reductions:
 * MPI_SUM, MPI_MAX, MPI_MIN, and LACONIC_AVG of floating-point numbers, except in scans.  All other calls, and calls
 * whose largest buffer is smaller than min_bytes, are passed to MPI unchanged, and the statistics say so; LACONIC_AVG
 * of another type is an error.
 *
 * Guarantees.  With target result, every element of a result differs from the exact value by at most the bound, plus
 * the rounding of the result's own type (for elements kept uncompressed: plus the rounding of the sum that plain MPI
 * would form).  In operations that only move data, the bound is on each element, whatever the number of hops.  NaN and
 * infinities are kept, and arise where an operation yields them; MPI_MAX and MPI_MIN return NaN where any rank's input
 * is NaN.  With lossless only sums of floating-point numbers are rounded, each to its type, in the order of the
 * algorithm.  A result that several ranks receive has the same bits on all of them: the root of a broadcast, too, ends
 * with the values that the other ranks receive (except in the variants cpr-p2p and host-centric).
 *
 * Errors.  Before a call is compressed, the ranks agree on it: if an argument of any rank is invalid, or ranks
 * disagree on root, counts, type, operation or options, every rank returns an error that names the argument and
 * two ranks; the results are then unchanged and the communicator remains usable.  Send and receive buffers that
 * overlap are such an error.  Ranks that disagree on whether a call is to be compressed at all (counts of one call
 * on both sides of min_bytes, a bound on some ranks only) deadlock, as do ranks that call different MPI functions;
 * so does a rank whose communicator has been freed.  In gatherv, scatterv, alltoallv and neighbor_*, where a rank does
 * not see all counts, size and type are part of the agreement: there ranks may differ.  A count that does not match
 * that of the other rank is an error on the rank that decodes the data (MPI_ERR_TRUNCATE or a mismatch).
 */

LACONIC_API int laconic_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                               int root, MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                             const laconic_options* options);
LACONIC_API int laconic_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  const laconic_options* options);
LACONIC_API int laconic_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                   MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                              const laconic_options* options);
LACONIC_API int laconic_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                const laconic_options* options);
LACONIC_API int laconic_scatterv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                 MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int root, MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                               const laconic_options* options);
LACONIC_API int laconic_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                 const laconic_options* options);
LACONIC_API int laconic_alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                  const laconic_options* options);
LACONIC_API int laconic_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_neighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                           const laconic_options* options);
LACONIC_API int laconic_neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                            MPI_Datatype recvtype, MPI_Comm comm, const laconic_options* options);
LACONIC_API int laconic_neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                          const laconic_options* options);
LACONIC_API int laconic_neighbor_alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                           MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                           const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                           const laconic_options* options);

/* Nonblocking forms: the same operations, begun here and completed by laconic_wait(), laconic_test() or their forms for
 * several requests.  Buffers, arrays of counts and displacements, and options->stats must stay valid and unchanged
 * until then; *options itself need not.  Any number of operations may be in flight.  All ranks begin the operations of
 * a communicator in the same order (persistent operations: see below), and complete them in any order.
 *
 * Every Laconic call of the process makes progress on all operations in flight.  Outside Laconic calls there is
 * progress only with the option progress=thread: without it, a process that blocks in a call of MPI itself delays the
 * other processes.  (A blocking collective that Laconic passes to MPI is such a call for messages and for operations on
 * other communicators, if no nonblocking collective was ever begun on its own communicator.)
 *
 * Nonblocking collectives are compressed only on prepared communicators: see laconic_comm_set_info().
 *
 * An error in the arguments is returned on completion, so that the other ranks can be told of it.  A NULL request or
 * communicator, or any error under a fatal error handler, is reported at once. */
LACONIC_API int laconic_iallreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ireduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                int root, MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ireduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, laconic_request* request,
                                        const laconic_options* options);
LACONIC_API int laconic_ireduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, laconic_request* request,
                                              const laconic_options* options);
LACONIC_API int laconic_iallgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, laconic_request* request,
                                   const laconic_options* options);
LACONIC_API int laconic_iallgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                    MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ibcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                               laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_iscatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                 laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_iscatterv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                  MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_igather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_igatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                 MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ialltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, laconic_request* request,
                                  const laconic_options* options);
LACONIC_API int laconic_ialltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_iscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_iexscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ineighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                            laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ineighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                             MPI_Datatype recvtype, MPI_Comm comm, laconic_request* request,
                                             const laconic_options* options);
LACONIC_API int laconic_ineighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                           laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_ineighbor_alltoallv(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                            MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                            laconic_request* request, const laconic_options* options);

/* Persistent collectives: the arguments are kept, and every laconic_start() begins the operation with them.  Each start
 * is completed like a nonblocking operation; the request stays valid until laconic_request_free().
 *
 * All ranks create the persistent operations of a communicator in the same order, also relative to its other
 * collectives.  Those that may be compressed may then be started in any order, which may differ between ranks; plain
 * ones are started in the same order on all ranks.  As in MPI, creation may wait until all ranks create the operation.
 * Where starts are tuned (docs/tuning.md), it makes MPI's own persistent operation as well.  It fails for a NULL
 * argument, for lack of memory, or when 4096 persistent operations exist on the communicator (fewer if MPI_TAG_UB is
 * below 2^24). */
LACONIC_API int laconic_allreduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                       MPI_Op op, MPI_Comm comm, laconic_request* request,
                                       const laconic_options* options);
LACONIC_API int laconic_reduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                    MPI_Op op, int root, MPI_Comm comm, laconic_request* request,
                                    const laconic_options* options);
LACONIC_API int laconic_reduce_scatter_init(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, laconic_request* request,
                                            const laconic_options* options);
LACONIC_API int laconic_reduce_scatter_block_init(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                  laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                       laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                        MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_bcast_init(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                                   laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_scatter_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                     laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_scatterv_init(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                      int root, MPI_Comm comm, laconic_request* request,
                                      const laconic_options* options);
LACONIC_API int laconic_gather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                    laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_gatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                                     int root, MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                      laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_alltoallv_init(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                                       MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                                       const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                       laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_scan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_exscan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                                    MPI_Op op, MPI_Comm comm, laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_neighbor_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                                MPI_Comm comm, laconic_request* request,
                                                const laconic_options* options);
LACONIC_API int laconic_neighbor_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                                 void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                                 MPI_Datatype recvtype, MPI_Comm comm, laconic_request* request,
                                                 const laconic_options* options);
LACONIC_API int laconic_neighbor_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                               laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_neighbor_alltoallv_init(const void* sendbuf, const MPI_Count sendcounts[],
                                                const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                                const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                                MPI_Datatype recvtype, MPI_Comm comm, laconic_request* request,
                                                const laconic_options* options);
LACONIC_API int laconic_start(laconic_request* request);
LACONIC_API int laconic_startall(int count, laconic_request requests[]);

/* Frees a request that is not in flight, and sets it to LACONIC_REQUEST_NULL. */
LACONIC_API int laconic_request_free(laconic_request* request);

#ifdef __cplusplus
}
#endif
#endif
