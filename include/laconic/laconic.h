/* SPDX-License-Identifier: BSD-3-Clause */
/* Laconic: error-bounded compressed communication for MPI.
 *
 * Every operation is the MPI function of the same name with MPI_Count counts and one more argument,
 * `const laconic_options *options`.  What an option leaves unset is taken from the hints of the
 * communicator, then from the environment (LACONIC_BOUND, ...), then from the defaults.  Without a
 * bound from any of these a call is the plain MPI call.
 *
 * Functions return MPI error codes.  An error found by a function that takes a communicator is also
 * handed to the error handler of that communicator, as MPI does (the default handler ends the program);
 * laconic_error_string() gives the full message, which names the argument and the values it may take.
 * No function throws, prints or exits.
 */
#ifndef LACONIC_H
#define LACONIC_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LACONIC_API __attribute__((visibility("default")))
#else
#define LACONIC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LACONIC_VERSION_MAJOR 0
#define LACONIC_VERSION_MINOR 1
#define LACONIC_VERSION_PATCH 0

/* How the error of a result is bounded (docs/error-model.md).  Spelled "abs:1e-3", "rel:1e-4", "rms:0.1",
 * "lossless" wherever a bound is text. */
typedef enum laconic_bound_mode {
  LACONIC_BOUND_UNSET = 0,
  LACONIC_BOUND_ABS = 1,  /* value = largest absolute error, > 0 */
  LACONIC_BOUND_REL = 2,  /* value = share of the range (max - min) of the finite inputs of all ranks, > 0;
                             where they have no range (all equal, none finite) nothing is rounded */
  LACONIC_BOUND_RMS = 3,  /* value = share, > 0, of the root mean square of the 512 numbers about an element: on every
                             rank's contribution, whatever the target is, so a sum may be off by what these shares
                             add up to, a mean by their mean; codec quant, variants overlap and nd
                             only */
  LACONIC_BOUND_RATE = 4, /* bits per value, no bound on the error: codec zfp only, in steps of 1/4, at least 2.25
                             (float) or 3 (double); from 32 (64) on values are sent as they are */
  LACONIC_BOUND_LOSSLESS = 5 /* no bit is lost, of integers either; value unused */
} laconic_bound_mode;

typedef struct laconic_bound {
  laconic_bound_mode mode;
  double value;
} laconic_bound;

/* What the bound is a bound on. */
typedef enum laconic_target {
  LACONIC_TARGET_UNSET = 0,
  LACONIC_TARGET_RESULT = 1, /* the default: every element of the result, whatever the number of ranks */
  LACONIC_TARGET_INPUT = 2   /* every rank's contribution (the papers' meaning): a sum may be off by ranks x bound */
} laconic_target;

typedef enum laconic_codec {
  LACONIC_CODEC_UNSET = 0,
  LACONIC_CODEC_QUANT = 1,   /* integer lattice: the default */
  LACONIC_CODEC_RAW = 2,     /* the bytes themselves */
  LACONIC_CODEC_SZX = 3,     /* SZx as C-Coll customises it: for comparison; sums are rounded again at every hop */
  LACONIC_CODEC_ZFP = 4,     /* libzfp, where the library was built with it: for comparison; sums likewise */
  LACONIC_CODEC_LOSSLESS = 5 /* keeps every bit of every type: the default with LACONIC_BOUND_LOSSLESS */
} laconic_codec;

/* docs/algorithms.md says which collective has which, and what they cost. */
typedef enum laconic_algorithm {
  LACONIC_ALGORITHM_UNSET = 0,
  LACONIC_ALGORITHM_AUTO = 1,
  LACONIC_ALGORITHM_PLAIN = 2, /* the MPI library's own */
  LACONIC_ALGORITHM_RING = 3,
  LACONIC_ALGORITHM_RECURSIVE_DOUBLING = 4,
  LACONIC_ALGORITHM_DIRECT = 5,            /* everything in one hop; of an allreduce two: two-shot */
  LACONIC_ALGORITHM_RECURSIVE_HALVING = 6, /* of an allreduce: Rabenseifner's */
  LACONIC_ALGORITHM_BINOMIAL = 7,
  LACONIC_ALGORITHM_CHAIN = 8,
  LACONIC_ALGORITHM_BRUCK = 9,
  LACONIC_ALGORITHM_PAIRWISE = 10
} laconic_algorithm;

/* How an algorithm is carried out: everything that the library can do, or less of it, as in the papers' baselines. */
typedef enum laconic_variant {
  LACONIC_VARIANT_UNSET = 0,
  LACONIC_VARIANT_OVERLAP = 1, /* the default: frames are forwarded, and coding overlaps communication chunk by chunk */
  LACONIC_VARIANT_ND = 2,      /* C-Coll's "novel design" alone: frames are forwarded, nothing overlaps */
  LACONIC_VARIANT_CPR_P2P = 3, /* each hop compresses what it sends and decompresses what it gets, nothing overlaps; the
                                  bound is kept, but ranks may hold results that differ within it; not with rms:R */
  LACONIC_VARIANT_PLAIN = 4,   /* as LACONIC_ALGORITHM_PLAIN */
  LACONIC_VARIANT_HOST_CENTRIC = 5 /* as cpr-p2p, and numbers on a device are coded there but added on the host, as in
                                      the GPU papers' "host-centric" designs */
} laconic_variant;

/* What becomes of denormal numbers (smaller than any normal number of their type, and not 0) under a bound. */
typedef enum laconic_denormals {
  LACONIC_DENORMALS_UNSET = 0,
  LACONIC_DENORMALS_ROUND = 1, /* the default: they are rounded within the bound, like all others */
  LACONIC_DENORMALS_EXACT = 2 /* where data only moves every block of numbers (quant: 1024, with rms 512; szx: 128; zfp:
                                 4096) that holds one keeps all its bits, as blocks with NaN or infinity always do: for
                                 integers and addresses that travel as floating-point numbers, which are mostly denormal
                                 or NaN when read as such.  Reductions take no notice of it: what is added up is
                                 numbers, and its bound holds for them all */
} laconic_denormals;

/* Who moves on operations in flight while the application is not in a call of Laconic. */
typedef enum laconic_progress {
  LACONIC_PROGRESS_UNSET = 0,
  LACONIC_PROGRESS_CALLS = 1, /* the default: nobody.  Laconic calls of the process make progress, and nothing else */
  LACONIC_PROGRESS_THREAD = 2 /* a thread of the library, for all operations of the process, from the beginning to the
                                 end of every nonblocking or persistent operation that asks for it.  It sleeps while
                                 there is none.  It needs MPI_THREAD_MULTIPLE; without it calls that ask for the thread
                                 are errors.  Ranks may differ in it */
} laconic_progress;

/* Whether compressed data carry checksums between ranks (docs/wire-format.md). */
typedef enum laconic_checksum {
  LACONIC_CHECKSUM_UNSET = 0,
  LACONIC_CHECKSUM_ON = 1, /* the default: damaged, repeated and swapped frames are errors on the ranks that need
                              what was in them */
  LACONIC_CHECKSUM_OFF = 2 /* what the transport delivers is taken for what was sent */
} laconic_checksum;

/* Why a call ran as plain MPI. */
typedef enum laconic_plain_reason {
  LACONIC_PLAIN_NOT = 0,       /* it did not: the call went through a codec */
  LACONIC_PLAIN_NO_BOUND = 1,  /* no bound was given anywhere */
  LACONIC_PLAIN_ASKED = 2,     /* algorithm = plain */
  LACONIC_PLAIN_TYPE = 3,      /* datatype other than MPI_FLOAT, MPI_DOUBLE and, with lossless, MPI's integers */
  LACONIC_PLAIN_OP = 4,        /* operation other than MPI_SUM, MPI_MAX, MPI_MIN, LACONIC_AVG */
  LACONIC_PLAIN_SMALL = 5,     /* fewer bytes than min_bytes */
  LACONIC_PLAIN_ONE_RANK = 6,  /* nothing to send */
  LACONIC_PLAIN_LOSSLESS = 7,  /* no call of this version: lossless has its codec */
  LACONIC_PLAIN_INTERCOMM = 8, /* intercommunicators are left to MPI */
  LACONIC_PLAIN_UNPREPARED = 9 /* a message, or with Open MPI a nonblocking collective, on a communicator that is not
                                  prepared: see laconic_comm_set_info() */
} laconic_plain_reason;

/* What one call, or all calls on a communicator, did on this rank. */
typedef struct laconic_stats {
  size_t size;                       /* sizeof(laconic_stats); filled by the library */
  uint64_t calls;                    /* calls counted here */
  uint64_t plain_calls;              /* of these, how many ran as plain MPI */
  laconic_plain_reason plain_reason; /* why the latest plain call was plain */
  laconic_codec codec;               /* of the latest call that used one */
  laconic_algorithm algorithm;       /* of the latest collective call */
  laconic_variant variant;           /* of the latest call that was compressed */
  uint64_t bytes_in;                 /* bytes of this rank's contributions */
  uint64_t bytes_sent;         /* bytes this rank handed to the network, frame headers included; 0 for plain calls */
  uint64_t bytes_uncompressed; /* what the same messages would have weighed without compression */
  double ratio;                /* bytes_uncompressed / bytes_sent; 1 when nothing was sent */
  double bound; /* largest worst-case absolute error of a result, as asked for and resolved; infinity for rate:BITS,
                   rms:R */
  double achieved_bound; /* the same, as the frames that were used account for it (codec zfp: as it was measured when
                            they were coded, also for rate:BITS): <= bound, the same on all ranks */
  /* Wall seconds by phase; they add up to seconds_total.  With threads > 1 encode, decode and reduce are
   * summed over the threads that code, and overlap the others. */
  double seconds_encode; /* numbers to frames */
  double seconds_decode; /* frames to numbers */
  double seconds_reduce; /* folding numbers and frames into frames */
  double seconds_copy;   /* moving uncompressed numbers about */
  double seconds_wait;   /* nothing to do but poll the network */
  double seconds_other;  /* agreement, set-up, posting messages; a plain call entirely */
  double seconds_total;
  /* Of a reduction, where the two halves of the work are of interest: */
  double seconds_wait_reducing; /* the part of seconds_wait in which a message to be reduced was still to come */
  double seconds_distribute;    /* from the last of these to the end, all phases: the allgather of an allreduce */
  uint64_t most_chunks;         /* most chunks under way at a time: never more than options->depth */
  uint64_t memory_bytes;        /* most memory in use for frames; of collectives with overlap it does not grow with
                                   the data */
} laconic_stats;

/* Everything 0 means "unset".  Begin with laconic_options_init(). */
typedef struct laconic_options {
  size_t size; /* sizeof(laconic_options), set by laconic_options_init() */
  laconic_bound bound;
  laconic_target target;
  laconic_codec codec;
  laconic_algorithm algorithm;
  int64_t chunk_elements;  /* elements coded and sent as one frame; 0: chosen */
  int32_t depth;           /* chunks in flight, 1..64; 0: chosen */
  int32_t threads;         /* threads that code, 1..256; 1 is the calling thread alone; 0: chosen (1) */
  int64_t min_bytes;       /* smaller contributions go plain; 0: default (65536); 1: compress everything */
  laconic_variant variant; /* what to leave out, for comparison */
  laconic_denormals denormals;
  laconic_progress progress;
  laconic_checksum checksum;
  void* stream;         /* of buffers on a device: the cudaStream_t that fills them, NULL for the default stream */
  laconic_stats* stats; /* NULL, or where this call's statistics go (its size field need not be set) */
} laconic_options;

/* An operation in flight, or a persistent one. */
typedef struct laconic_request_s* laconic_request;
#define LACONIC_REQUEST_NULL ((laconic_request)0)

LACONIC_API void laconic_options_init(laconic_options* options);

/* Sets one option from text: name is "bound", "target", "codec", "algorithm", "chunk_elements",
 * "depth", "threads", "min_bytes", "variant", "denormals", "progress" or "checksum"; value is spelled as in the
 * environment and the hints
 * ("abs:1e-3", "recursive-doubling", ...).  Returns MPI_SUCCESS or an error code and then leaves
 * *options as it was.  May be called before MPI_Init. */
LACONIC_API int laconic_options_set(laconic_options* options, const char* name, const char* value);

/* Gives a communicator hints "laconic_bound", "laconic_codec", "laconic_algorithm",
 * "laconic_target", "laconic_min_bytes", "laconic_threads", "laconic_depth", "laconic_chunk_elements",
 * "laconic_variant", "laconic_denormals", "laconic_progress", "laconic_checksum".
 * MPI libraries may drop keys that they do not know from MPI_Comm_set_info, so this is the way that
 * always works; hints that MPI kept are honoured too.  Collective over comm, with the same hints on all
 * ranks: ranks that differ are told so by the next call that compresses.  A second call replaces the hints of
 * the first, and communicators made from comm do not inherit them.  Keys that do not begin
 * with "laconic_" are left alone; unknown ones that do, and bad values, are errors.  What one rank cannot read is an
 * error on every rank, and of every call on comm, until a call with good hints replaces them.
 * Passing MPI_INFO_NULL takes all hints back.
 *
 * The first call prepares comm: it makes the communicator that compressed data travel on.  So does the first collective
 * that is compressed.  Messages on a communicator that is not prepared are plain (LACONIC_PLAIN_UNPREPARED).  So are
 * nonblocking collectives with Open MPI, where they cannot prepare it: its MPI_Comm_idup disturbs nonblocking
 * collectives that the application begins meanwhile. */
LACONIC_API int laconic_comm_set_info(MPI_Comm comm, MPI_Info info);

/* *prepared becomes 1 if a nonblocking collective on comm would find what it needs to be compressed, else 0: the same
 * on all ranks that have made the same calls on comm.  Local. */
LACONIC_API int laconic_comm_prepared(MPI_Comm comm, int* prepared);

/* The mean over ranks: an operation for Laconic's functions only (any other use yields NaN or zero).
 * Valid between MPI_Init and MPI_Finalize. */
LACONIC_API MPI_Op laconic_op_avg(void);
#define LACONIC_AVG (laconic_op_avg())

/* ---- Buffers on devices ----------------------------------------------------------------------------------------
 *
 * In builds for CUDA every operation takes buffers in the memory of an NVIDIA GPU, or managed memory, too; on each rank
 * for itself, since what travels is the same.  An operation works on what was enqueued on options->stream before the
 * call began (laconic_start() of a persistent one), and when it has completed its results are there for every stream.
 *
 * Where the codec has kernels for what is asked (quant, zfp with rate:BITS, raw), numbers stay on
 * the device and only frames leave it: through pinned memory, or directly where the MPI says that it takes memory of
 * GPUs. Everything else - other codecs, plain calls of an MPI that takes no such memory, buffers of one call in
 * different places, messages that turn out to be plain - goes through whole copies in pinned memory, for which the call
 * waits. Between two groups (intercommunicators) buffers on a device are an error unless the MPI takes them.
 *
 * Streams, events and memory of the device are made once for each communicator and kept.  The codecs on their own
 * (laconic_compress(), laconic_decompress()) take memory of the host only.
 */

/* ---- Collectives ----------------------------------------------------------------------------------------------
 *
 * MPI_IN_PLACE stands where MPI allows it.  Counts are in elements of the datatype, and displacements too.  Roots, zero
 * and uneven counts, and which arguments matter on which rank, are as MPI has them.
 *
 * What is compressed: MPI_FLOAT and MPI_DOUBLE with any bound; with the bound lossless also MPI_SHORT, MPI_INT,
 * MPI_LONG, MPI_LONG_LONG, MPI_SIGNED_CHAR, their unsigned forms, MPI_INT8_T ... MPI_UINT64_T, MPI_AINT, MPI_OFFSET
 * and MPI_COUNT.  Where data only moves, datatypes composed of one of these count as the numbers that they hold, and
 * ranks may pass different ones with equal signatures.  Reductions: MPI_SUM, MPI_MAX, MPI_MIN, and LACONIC_AVG of
 * floating-point numbers.  Everything else, and calls whose data (the largest buffer of the call) are fewer than
 * min_bytes, are passed to MPI untouched, and the stats say so; LACONIC_AVG of another type is an error.
 *
 * What is promised: with target result every element of a result differs from the exact value by at most the bound,
 * plus the rounding of the result's own type (for elements held uncompressed: of the sum that plain MPI would form).
 * Where data only moves, the bound is on each element, however many hops it takes.  NaN and infinities are kept, and
 * arise where an operation gives them; MPI_MAX and MPI_MIN return NaN where any rank holds one.  With lossless nothing
 * is rounded but sums of floating-point numbers, each to its type, in the order of the algorithm.  A result that
 * several ranks receive has the same bits on all of them: the root of a broadcast, too, is left with what the others
 * get (variants cpr-p2p and host-centric excepted).
 *
 * Errors.  When a call is to be compressed the ranks agree first: an error in any rank's arguments, or ranks that
 * disagree on root, counts, type, operation or options, make every rank return an error that names the argument and
 * two ranks; the results are then unchanged and the communicator remains usable.  Send and receive buffers that
 * overlap are such an error.  Ranks that disagree on whether a call is to be compressed at all (counts of one call
 * on both sides of min_bytes, a bound on some ranks only) wait for each other for ever, as ranks do that call
 * different MPI functions, and so does one whose communicator has been freed.  In gatherv, scatterv and alltoallv,
 * where a rank does not see all counts, size and type are part of the agreement: there ranks may differ. A count
 * that does not match its partner's is an error of the rank that decodes it (MPI_ERR_TRUNCATE or a mismatch).
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

/* Nonblocking: the same, begun here and completed by laconic_wait(), laconic_test() or their forms for several requests.  Buffers, arrays
 * of counts and displacements, and options->stats must stay as they are until then; *options itself may go.  Any number
 * may be in flight; all ranks begin those of a communicator in the same order (persistent ones: see below), and
 * complete them in any order.
 *
 * Progress is made inside every Laconic call of the process, for all operations in flight.  Elsewhere it is made only
 * with the option progress=thread: without it a process that blocks in a call of MPI itself holds up the others
 * meanwhile.  (A blocking collective that Laconic passes to MPI is such a call for messages and for operations on other
 * communicators, if no nonblocking collective was ever begun on its own.)
 *
 * With Open MPI they are compressed on communicators that are prepared: see laconic_comm_set_info().
 *
 * An error in the arguments is an error of the completion, so that it can be told to the other ranks (but a NULL
 * request or communicator, or any under a fatal error handler, at once). */
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

/* Persistent: the arguments are kept, and laconic_start() begins the operation with them, again and again, each time
 * completed as a nonblocking one; the request stays until laconic_request_free().
 *
 * All ranks make those of a communicator in the same order, among its other collectives.  Compressed ones may then be
 * started in any order, different on every rank; plain ones in the same order on all.  Making one does not wait for
 * other ranks, but for every 4096th on a communicator; it fails for a NULL argument, want of memory, or when 4096 of
 * them exist on the communicator (fewer where MPI_TAG_UB is below 2^24). */
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
LACONIC_API int laconic_start(laconic_request* request);
LACONIC_API int laconic_startall(int count, laconic_request requests[]);

/* Frees a request that is not in flight, and sets it to LACONIC_REQUEST_NULL. */
LACONIC_API int laconic_request_free(laconic_request* request);

/* ---- Messages ------------------------------------------------------------------------------------------------
 *
 * MPI_Send, MPI_Recv and so on, compressed: what is sent with these is received with these, on the same communicator;
 * matching is MPI's, wildcards and order included.  The sender's options decide: its message is compressed when it has
 * a bound, the type is one that is compressed, and it has min_bytes or more; the receiver takes whatever comes, under
 * any settings.  The bound is on each element; "rel:" refers to the range of the message.
 *
 * A compressed message is cut into chunks that travel while others are coded.  How many is learnt from the times of
 * earlier messages of that size to that rank, or pinned by chunk_elements.  A message longer than the receive is
 * MPI_ERR_TRUNCATE, as in MPI; MPI_Get_count() on the status gives the elements received.  MPI_Probe() finds a message,
 * but not its size.  In statistics a sendrecv is two calls. */
LACONIC_API int laconic_send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                             const laconic_options* options);
LACONIC_API int laconic_recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                             MPI_Status* status, const laconic_options* options);
LACONIC_API int laconic_sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                                 MPI_Comm comm, MPI_Status* status, const laconic_options* options);
LACONIC_API int laconic_isend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                              laconic_request* request, const laconic_options* options);
LACONIC_API int laconic_irecv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                              laconic_request* request, const laconic_options* options);

/* ---- Completion ----------------------------------------------------------------------------------------------
 *
 * As MPI's functions of these names, for Laconic's requests.  A completed request becomes LACONIC_REQUEST_NULL (a
 * persistent one becomes inactive); null and inactive ones count as complete, with an empty status.  Statuses may be
 * ignored; those of collectives are empty.  The *all functions return MPI_ERR_IN_STATUS when an operation failed, and
 * its code is in the status. */
LACONIC_API int laconic_wait(laconic_request* request, MPI_Status* status);
LACONIC_API int laconic_waitall(int count, laconic_request requests[], MPI_Status statuses[]);
LACONIC_API int laconic_waitany(int count, laconic_request requests[], int* index, MPI_Status* status);
LACONIC_API int laconic_test(laconic_request* request, int* flag, MPI_Status* status);
LACONIC_API int laconic_testall(int count, laconic_request requests[], int* flag, MPI_Status statuses[]);

/* ---- The codecs on their own -----------------------------------------------------------------------------------
 *
 * Frames (docs/wire-format.md), one after another where there are many numbers; every frame says what it holds, so that
 * nothing but the bytes is needed to read them.  Local; may be called before MPI_Init. */

/* Bytes that are always enough for laconic_compress() of `count` numbers with these options; 0 where it would be an
 * error. */
LACONIC_API size_t laconic_max_compressed_size(MPI_Count count, MPI_Datatype datatype, const laconic_options* options);

/* Compresses `count` numbers of `datatype` into `out`, which has room for `capacity` bytes, and stores their number in
 * *bytes.  Of the options bound (which must be set, here or in LACONIC_BOUND), codec, denormals and chunk_elements
 * (numbers of a frame) count; every number read back differs from its own by at most the bound. */
LACONIC_API int laconic_compress(const void* numbers, MPI_Count count, MPI_Datatype datatype, void* out,
                                 size_t capacity, size_t* bytes, const laconic_options* options);

/* Reads exactly `count` numbers of `datatype` from the `bytes` bytes that laconic_compress() made.  Anything else is an
 * error, after which the numbers are undefined. */
LACONIC_API int laconic_decompress(const void* compressed, size_t bytes, void* numbers, MPI_Count count,
                                   MPI_Datatype datatype);

/* The checksum S of docs/wire-format.md, by which Laconic knows damaged frames: for those who send frames in messages
 * of their own.  bytes may be 0. */
LACONIC_API uint64_t laconic_checksum_of(const void* data, size_t bytes);

/* ---- Errors to be expected -----------------------------------------------------------------------------------
 *
 * What the errors of a collective will be like, by docs/error-model.md.  May be called before MPI_Init. */

typedef struct laconic_prediction {
  size_t size;                 /* sizeof(laconic_prediction); filled by the library */
  laconic_codec codec;         /* that the call would use */
  laconic_algorithm algorithm; /* likewise; LACONIC_ALGORITHM_PLAIN where nothing would be compressed */
  int terms;                   /* errors of one encode that the ledger counts in a result */
  double allowance;            /* largest error of one encode on the way to a result ... */
  double last_allowance;       /* ... and of one encode of a result that travels on */
  double worst_case;           /* no element is off by more, but for the rounding of its own type */
  double likely;               /* 95.44 % of the elements (two standard deviations) are off by at most this */
  double drift;                /* of this, what errors that lean to one side may add up to; 0 for quant */
  double deviation;            /* standard deviation of the errors about that */
} laconic_prediction;

/* Fills *prediction for a collective on `ranks` ranks, as if it were compressed whatever min_bytes says.
 *
 *   collective  "allreduce", "reduce", "reduce_scatter", "allgather", "bcast", "scatter", "gather" or "alltoall"; forms
 *               with counts of their own for every rank are no different
 *   op          "sum", "avg", "max" or "min"; NULL for collectives that only move data
 *   bytes       of the data of the call, for which an algorithm of `auto` is chosen; 0: many
 *   options     bound, target, codec, algorithm and variant count; what is unset is taken from the environment and the
 *               defaults (NULL: all of it)
 *
 * Bounds: "abs:E"; "rel:R", for which all figures are shares of the range, as only the call knows it; "lossless", for
 * which all are 0.  "rms:R" and "rate:BITS" are errors (MPI_ERR_ARG): what they lead to depends on the numbers.
 *
 * worst_case, the allowances and terms are facts.  likely, drift and deviation are a model: they hold where the errors
 * of different ranks are independent.  They are not where all ranks hold the same numbers: then errors add up to the
 * worst case.  Sums of quant, too, lean to one side where most numbers are smaller than the allowance and of one sign.
 * For zfp the model rests on measurements. */
LACONIC_API int laconic_predict_error(const char* collective, const char* op, int ranks, MPI_Count bytes,
                                      const laconic_options* options, laconic_prediction* prediction);

/* ---- Statistics and names ------------------------------------------------------------------------------------ */

/* Statistics of all calls of this rank on comm since it was made or last reset.  Local. */
LACONIC_API int laconic_stats_get(MPI_Comm comm, laconic_stats* stats);
LACONIC_API int laconic_stats_reset(MPI_Comm comm);

/* Version of the library that is running.  Any pointer may be NULL. */
LACONIC_API void laconic_version(int* major, int* minor, int* patch);

/* The message of an error code that a Laconic function returned in this thread (the latest one), or MPI's
 * text for any other code.  `string` has room for `capacity` bytes (1024 hold every message) and is always
 * terminated. */
LACONIC_API int laconic_error_string(int errorcode, char* string, size_t capacity);

/* "plain because ..." in words, a static string; NULL for an unknown value. */
LACONIC_API const char* laconic_plain_reason_string(laconic_plain_reason reason);

/* Names as they are spelled everywhere ("quant", "recursive-doubling"), static strings; NULL if unknown. */
LACONIC_API const char* laconic_codec_name(laconic_codec codec);
LACONIC_API const char* laconic_algorithm_name(laconic_algorithm algorithm);
LACONIC_API const char* laconic_variant_name(laconic_variant variant);
LACONIC_API const char* laconic_denormals_name(laconic_denormals denormals);
LACONIC_API const char* laconic_progress_name(laconic_progress progress);
LACONIC_API const char* laconic_checksum_name(laconic_checksum checksum);

#ifdef __cplusplus
}
#endif
#endif
