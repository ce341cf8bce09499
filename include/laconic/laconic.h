/* SPDX-License-Identifier: BSD-3-Clause */
/* Laconic: error-bounded compressed communication for MPI.
 *
 * Every operation is the MPI function of the same name with MPI_Count counts and one more argument,
 * `const laconic_options *options`.  An option that is left unset is taken from the hints of the
 * communicator, then from the environment (LACONIC_BOUND, ...), then from the defaults.  If none of
 * these gives a bound, the call is the plain MPI call.
 *
 * Functions return MPI error codes.  A function that takes a communicator also passes an error to the
 * error handler of that communicator, as MPI does (the default handler ends the program).
 * laconic_error_string() gives the full message, which names the argument and the values it may take.
 * No function throws, prints or exits.
 *
 * Some names are experimental and say so below.  They reproduce the baselines of papers, for comparison:
 *   codecs      LACONIC_CODEC_SZX, LACONIC_CODEC_ZFP, and LACONIC_BOUND_RATE, which needs codec zfp
 *   variants    LACONIC_VARIANT_ND, LACONIC_VARIANT_CPR_P2P, LACONIC_VARIANT_HOST_CENTRIC
 *   statistics  seconds_wait_reducing, seconds_distribute
 * Experimental names, and the frames of experimental codecs, may change or be removed in any release, and are not part
 * of the stable ABI.  The value of a removed enumerator is never used again, and a removed statistic stays 0, so that
 * all other names keep their values and places.
 */
#ifndef LACONIC_H
#define LACONIC_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <laconic/codec.h> /* bounds, codecs, types of numbers, and the codecs without MPI */

#ifdef __cplusplus
extern "C" {
#endif

/* The quantity that the bound applies to. */
typedef enum laconic_target {
  LACONIC_TARGET_UNSET = 0,
  LACONIC_TARGET_RESULT = 1, /* the default: every element of the result, whatever the number of ranks */
  LACONIC_TARGET_INPUT = 2   /* every rank's contribution (as in the papers): the error of a sum is <= ranks x bound */
} laconic_target;

/* docs/algorithms.md lists the algorithms of each collective and their costs. */
typedef enum laconic_algorithm {
  LACONIC_ALGORITHM_UNSET = 0,
  LACONIC_ALGORITHM_AUTO = 1,
  LACONIC_ALGORITHM_PLAIN = 2, /* the MPI library's own */
  LACONIC_ALGORITHM_RING = 3,
  LACONIC_ALGORITHM_RECURSIVE_DOUBLING = 4,
  LACONIC_ALGORITHM_DIRECT = 5,            /* everything in one hop; for an allreduce, two hops (two-shot) */
  LACONIC_ALGORITHM_RECURSIVE_HALVING = 6, /* for an allreduce: Rabenseifner's algorithm */
  LACONIC_ALGORITHM_BINOMIAL = 7,
  LACONIC_ALGORITHM_CHAIN = 8,
  LACONIC_ALGORITHM_BRUCK = 9,
  LACONIC_ALGORITHM_PAIRWISE = 10
} laconic_algorithm;

/* The execution of an algorithm: with all optimisations of the library, or with fewer, as in the papers' baselines. */
typedef enum laconic_variant {
  LACONIC_VARIANT_UNSET = 0,
  LACONIC_VARIANT_OVERLAP = 1, /* the default: frames are forwarded, and coding overlaps communication chunk by chunk */
  LACONIC_VARIANT_ND = 2, /* experimental: C-Coll's "novel design" alone.  Frames are forwarded, nothing overlaps */
  LACONIC_VARIANT_CPR_P2P = 3,     /* experimental: each hop compresses the data it sends and decompresses the data it
                                      receives, nothing overlaps; the bound is kept, but the results of different ranks may
                                      differ within it; not with rms:R */
  LACONIC_VARIANT_PLAIN = 4,       /* same as LACONIC_ALGORITHM_PLAIN */
  LACONIC_VARIANT_HOST_CENTRIC = 5 /* experimental: same as cpr-p2p, but numbers on a device are coded there and added
                                      on the host, as in the GPU papers' "host-centric" designs */
} laconic_variant;

/* The source of progress for operations in flight while the application is outside Laconic calls. */
typedef enum laconic_progress {
  LACONIC_PROGRESS_UNSET = 0,
  LACONIC_PROGRESS_CALLS = 1, /* the default: none.  Only Laconic calls of the process make progress */
  LACONIC_PROGRESS_THREAD = 2 /* a thread of the library makes progress on all operations of the process while at least
                                 one nonblocking or persistent operation with this setting is in flight, and sleeps
                                 otherwise.  It needs MPI_THREAD_MULTIPLE; without that, calls with this setting are
                                 errors.  Ranks may use different settings */
} laconic_progress;

/* Whether compressed data carry checksums between ranks (docs/wire-format.md). */
typedef enum laconic_checksum {
  LACONIC_CHECKSUM_UNSET = 0,
  LACONIC_CHECKSUM_ON = 1, /* the default: damaged, repeated and swapped frames are errors on the ranks that need
                              their contents */
  LACONIC_CHECKSUM_OFF = 2 /* the received data are assumed to be identical to the sent data */
} laconic_checksum;

/* Whether the ranks learn which calls are faster uncompressed (docs/tuning.md). */
typedef enum laconic_tune {
  LACONIC_TUNE_UNSET = 0,
  LACONIC_TUNE_ON = 1, /* the default: with algorithm auto, calls are left to MPI (LACONIC_PLAIN_SLOWER) until the ranks
                          have measured that compression is faster; they measure again from time to time */
  LACONIC_TUNE_OFF = 2,    /* every call that can be compressed is compressed, with an algorithm that depends on sizes
                              only:    the same program compresses the same calls in every run */
  LACONIC_TUNE_PROFILE = 3 /* a profile that `laconic tune` has written decides which calls are left to MPI, and on the
                              algorithm of the others, the same in every run.  It is read where the value of
                              LACONIC_TUNE, of a hint or of laconic_options_set() is its file, and a process has one */
} laconic_tune;

/* The reason that a call ran as plain MPI. */
typedef enum laconic_plain_reason {
  LACONIC_PLAIN_NOT = 0,      /* not plain: the call used a codec */
  LACONIC_PLAIN_NO_BOUND = 1, /* no bound was given in options, hints or environment */
  LACONIC_PLAIN_ASKED = 2,    /* algorithm = plain */
  LACONIC_PLAIN_TYPE = 3,     /* datatype other than MPI_FLOAT, MPI_DOUBLE and, with lossless, MPI's integers */
  LACONIC_PLAIN_OP = 4,       /* operation other than MPI_SUM, MPI_MAX, MPI_MIN, LACONIC_AVG */
  LACONIC_PLAIN_SMALL = 5,    /* fewer bytes than min_bytes */
  LACONIC_PLAIN_ONE_RANK = 6, /* nothing to send */
  /* 7 is reserved. */
  LACONIC_PLAIN_INTERCOMM = 8,  /* calls on intercommunicators are passed to MPI */
  LACONIC_PLAIN_UNPREPARED = 9, /* a message, or with Open MPI a nonblocking collective, on a communicator that is not
                                  prepared: see laconic_comm_set_info() */
  LACONIC_PLAIN_SLOWER = 10,    /* compression is slower than plain MPI, or not measured yet: see laconic_tune */
  LACONIC_PLAIN_SENDER = 11,    /* a received message: its sender left it to MPI */
  LACONIC_PLAIN_CALLER = 64     /* the first of the caller's own reasons: see laconic_options.plain */
} laconic_plain_reason;

/* Statistics of one call, or of all calls on a communicator, on this rank. */
typedef struct laconic_stats {
  size_t size;                       /* sizeof(laconic_stats); filled by the library */
  uint64_t calls;                    /* number of calls in these statistics */
  uint64_t plain_calls;              /* number of these calls that ran as plain MPI */
  laconic_plain_reason plain_reason; /* the reason that the latest plain call was plain */
  laconic_codec codec;               /* codec of the latest call that used one */
  laconic_algorithm algorithm;       /* algorithm of the latest collective call */
  laconic_variant variant;           /* variant of the latest compressed call */
  uint64_t bytes_in;                 /* bytes of this rank's contributions */
  uint64_t bytes_sent;         /* bytes this rank handed to the network, frame headers included; 0 for plain calls */
  uint64_t bytes_uncompressed; /* size of the same messages without compression */
  double ratio;                /* bytes_uncompressed / bytes_sent; 1 when nothing was sent */
  double bound; /* largest worst-case absolute error of a result, resolved from the requested bound; infinity for
                   rate:BITS and rms:R */
  double achieved_bound; /* worst-case absolute error according to the frames that were used (codec zfp: as measured
                            during encoding, also for rate:BITS): <= bound, the same on all ranks */
  /* Wall seconds by phase; they add up to seconds_total.  With threads > 1, encode, decode and reduce are
   * summed over the threads that code, and overlap the other phases. */
  double seconds_encode; /* numbers to frames */
  double seconds_decode; /* frames to numbers */
  double seconds_reduce; /* folding numbers and frames into frames */
  double seconds_copy;   /* copying uncompressed numbers */
  double seconds_wait;   /* polling the network with no other work to do */
  double seconds_other;  /* agreement, set-up, posting messages; all of a plain call.  In laconic_stats_get(), of
                            repeated calls that are left to MPI one in 8 is timed and counts for all */
  double seconds_total;
  /* Experimental: the two parts of a reduction, as papers report them. */
  double seconds_wait_reducing; /* the part of seconds_wait during which a message to be reduced was outstanding */
  double seconds_distribute;    /* all phases after the last message to be reduced: the allgather of an allreduce */
  uint64_t most_chunks;         /* largest number of chunks in flight at a time: never more than options->depth */
  uint64_t memory_bytes;        /* peak memory for frames; for collectives with overlap it does not grow with the
                                   data */
} laconic_stats;

/* The value 0 of any option means "unset".  Initialise with laconic_options_init(). */
typedef struct laconic_options {
  size_t size; /* sizeof(laconic_options), set by laconic_options_init() */
  laconic_bound bound;
  laconic_target target;
  laconic_codec codec;
  laconic_algorithm algorithm;
  int64_t chunk_elements;  /* elements coded and sent as one frame; 0: chosen by the library */
  int32_t depth;           /* chunks in flight, 1..64; 0: chosen by the library */
  int32_t threads;         /* threads that code, 1..256; 1 is the calling thread alone; 0: chosen (1) */
  int64_t min_bytes;       /* smaller contributions are sent as plain MPI; 1: none; 0: default: 65536, but 16384 where
                              calls are tuned and ranks may be on several nodes */
  laconic_variant variant; /* optimisations to leave out, for comparison */
  laconic_denormals denormals;
  laconic_progress progress;
  laconic_checksum checksum;
  laconic_tune tune;
  void* stream;         /* for buffers on a device: the cudaStream_t that fills them, NULL for the default stream */
  laconic_stats* stats; /* receives the statistics of this call (its size field need not be set), or NULL */
  /* For callers that make MPI's call themselves when a blocking collective is not compressed, as wrappers of MPI do.
   * NULL, or on all ranks the address of this rank's own reason not to compress: LACONIC_PLAIN_NOT, or any other value,
   * of which those from LACONIC_PLAIN_CALLER on are free for the caller.  Ranks may have different reasons, and if one
   * rank has a reason, no rank compresses.  The buffers of a rank with a reason are not accessed.  A call that is not
   * compressed moves nothing, sets *plain to a reason that is the same on all ranks, and returns MPI_SUCCESS; in the
   * statistics it is a plain call.  Nonblocking and persistent collectives and messages take only NULL. */
  laconic_plain_reason* plain;
} laconic_options;

/* An operation in flight, or a persistent one. */
typedef struct laconic_request_s* laconic_request;
#define LACONIC_REQUEST_NULL ((laconic_request)0)

LACONIC_API void laconic_options_init(laconic_options* options);

/* Sets one option from text: name is "bound", "target", "codec", "algorithm", "chunk_elements",
 * "depth", "threads", "min_bytes", "variant", "denormals", "progress", "checksum" or "tune"; value is spelled as in
 * the environment and the hints ("abs:1e-3", "recursive-doubling", ...).  Returns MPI_SUCCESS or an error code; on an
 * error, *options is unchanged.  May be called before MPI_Init. */
LACONIC_API int laconic_options_set(laconic_options* options, const char* name, const char* value);

/* Sets hints on a communicator: "laconic_bound", "laconic_codec", "laconic_algorithm",
 * "laconic_target", "laconic_min_bytes", "laconic_threads", "laconic_depth", "laconic_chunk_elements",
 * "laconic_variant", "laconic_denormals", "laconic_progress", "laconic_checksum", "laconic_tune".
 * MPI_Comm_set_info may drop keys that the MPI library does not know, so only this function always works; hints
 * that MPI kept are honoured too.  Collective over comm, with the same hints on all ranks: if ranks differ, the
 * next call that compresses reports it.  A second call replaces the hints of the first, and communicators made
 * from comm do not inherit them.  Keys that do not begin with "laconic_" are ignored; unknown keys that do, and
 * invalid values, are errors.  A hint that one rank cannot read is an error on every rank, and an error of every
 * call on comm, until a call with valid hints replaces it.  Passing MPI_INFO_NULL removes all hints.
 *
 * The first call prepares comm: it makes the communicator for compressed data.  The first compressed collective does
 * the same.  Messages on a communicator that is not prepared are plain (LACONIC_PLAIN_UNPREPARED).  With Open MPI,
 * nonblocking collectives on it are plain too.  They cannot prepare it, because MPI_Comm_idup of Open MPI disturbs
 * nonblocking collectives that the application begins in the meantime. */
LACONIC_API int laconic_comm_set_info(MPI_Comm comm, MPI_Info info);

/* Sets *prepared to 1 if comm has everything that a nonblocking collective needs to be compressed, else to 0.  The
 * result is the same on all ranks that have made the same calls on comm.  Local. */
LACONIC_API int laconic_comm_prepared(MPI_Comm comm, int* prepared);

/* What the ranks of a communicator have learnt about the calls of one collective with about the same size and equal
 * settings, either blocking ones or nonblocking ones that had no blocking ones to follow (docs/tuning.md).  All but
 * `calls` are numbers that the ranks agreed on: the times of the slowest rank.  Messages are "send": what this rank
 * alone has learnt about those that it sends. */
typedef struct laconic_tuning {
  const char* collective; /* "allreduce", ..., "send": a static string; v-forms count as their collective */
  uint64_t bytes; /* size of the largest buffer, rounded up to a power of two; 0 where ranks see different counts */
  uint64_t calls; /* calls of this class */
  uint64_t compressed_calls;
  laconic_algorithm algorithm; /* of the coming calls; LACONIC_ALGORITHM_PLAIN: they are left to MPI;
                                  LACONIC_ALGORITHM_AUTO: messages are compressed, or buffers are on devices, where
                                  nothing is measured */
  double plain_seconds;        /* time of MPI's call; 0: the ranks have not agreed on one yet */
  double predicted_seconds;    /* time of a compressed call with the best algorithm, by the model; 0: no prediction */
  double measured_seconds;     /* the same, measured; 0: no such call was made */
  double ratio;                /* compression ratio of a sample; 0: no sample was taken */
} laconic_tuning;

/* Writes what is known about the classes of calls on comm to classes[0..capacity-1], and their number to *count, which
 * may be more than capacity.  classes may be NULL if capacity is 0.  Local. */
LACONIC_API int laconic_tuning_get(MPI_Comm comm, laconic_tuning* classes, int capacity, int* count);

/* For callers that make MPI's call themselves (laconic_options.plain): after a call that was left to them because of
 * LACONIC_PLAIN_SLOWER, the seconds that MPI's call took on this rank.  Without this, compression is never found to be
 * faster.  Local. */
LACONIC_API int laconic_plain_took(MPI_Comm comm, double seconds);

/* For the same callers, which can so leave a repeated call to MPI without passing its arguments.
 *
 * laconic_plain_call() sets *number to the number of the latest call on comm that was left to its caller because of
 * LACONIC_PLAIN_SLOWER, or to 0 if a repetition of that call could not be recognised.  Local.
 *
 * laconic_plain_again() is called in place of a call whose arguments differ from those of the call with this number in
 * nothing but buffers, and whose root is the same rank.  If it sets *again to 1, the call counts as made and left to
 * the caller because of LACONIC_PLAIN_SLOWER.  If it sets *again to 0, nothing has happened, and the call has to be
 * made as any other.  A number that is not known, or no longer, gives 0.  Local. */
LACONIC_API int laconic_plain_call(MPI_Comm comm, uint64_t* number);
LACONIC_API int laconic_plain_again(MPI_Comm comm, uint64_t number, int* again);

/* For callers that send compressed messages of their own in place of MPI's, as the drop-in does: whether to compress a
 * message (docs/tuning.md). */
typedef enum laconic_advice {
  LACONIC_ADVICE_PLAIN = 0,
  LACONIC_ADVICE_COMPRESS = 1,
  LACONIC_ADVICE_SAMPLE = 2 /* send the message plain, but compress it or a part of it, and call
                               laconic_send_sampled() */
} laconic_advice;

/* To be called once for each message of `bytes` bytes, before it is sent on comm.  The advice follows from the times of
 * earlier messages of this rank.  options: NULL, or the settings of the message; only a bound and what belongs to it
 * matter.  Local. */
LACONIC_API int laconic_send_advice(MPI_Comm comm, uint64_t bytes, const laconic_options* options,
                                    laconic_advice* advice);

/* After LACONIC_ADVICE_SAMPLE: the seconds that compressing took, per byte of numbers, and the compression ratio.
 * Local. */
LACONIC_API int laconic_send_sampled(MPI_Comm comm, double seconds_per_byte, double ratio);

/* Tells that this process has received a message by another function than Laconic's and, if it was compressed,
 * decompressed it.  Without this, the times of messages are those of their sends alone.  Local. */
LACONIC_API void laconic_receive_ended(void);

/* The mean over ranks.  This operation is for Laconic's functions only (any other use yields NaN or zero).
 * Valid between MPI_Init and MPI_Finalize. */
LACONIC_API MPI_Op laconic_op_avg(void);
#define LACONIC_AVG (laconic_op_avg())

/* ---- Buffers on devices ----------------------------------------------------------------------------------------
 *
 * In builds for CUDA every operation also takes buffers in the memory of an NVIDIA GPU, or managed memory.  Each rank
 * may use its own memory type, since the messages are the same.  An operation sees all work that was enqueued on
 * options->stream before the call began (for a persistent operation, before laconic_start()).  When the operation has
 * completed, its results are visible to every stream.
 *
 * If the codec has kernels for the call (quant, zfp with rate:BITS, raw), numbers stay on the device and only frames
 * leave it: through pinned memory, or directly if the MPI library says that it takes device memory.  Everything else -
 * other codecs, plain calls of an MPI library without support for device memory, buffers of one call of different
 * memory types, messages that turn out to be plain - goes through full copies in pinned memory, for which the call
 * waits.  On intercommunicators, buffers on a device are an error unless the MPI library takes them.
 *
 * Streams, events and device memory are made once for each communicator and kept.  laconic_compress() and
 * laconic_decompress() take host memory only.
 */

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
 * With Open MPI, nonblocking collectives are compressed only on prepared communicators: see laconic_comm_set_info().
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

/* ---- Messages ------------------------------------------------------------------------------------------------
 *
 * Compressed forms of MPI_Send, MPI_Recv and so on.  A message sent with these functions must be received with these
 * functions, on the same communicator; matching is MPI's, including wildcards and order.  The sender's options decide:
 * the message is compressed if the sender has a bound, the type can be compressed, and the message has min_bytes or
 * more.  The receiver accepts both forms, under any settings.  The bound is on each element; "rel:" refers to the range
 * of the message.
 *
 * A compressed message is cut into chunks; some are transferred while others are coded.  The number of chunks is learnt
 * from the times of earlier messages of that size to that rank, or fixed by chunk_elements.  A message longer than the
 * receive buffer is MPI_ERR_TRUNCATE, as in MPI; MPI_Get_count() on the status gives the elements received.
 * MPI_Probe() finds a message, but not its size.  In statistics a sendrecv counts as two calls. */
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
 * These are MPI's functions of the same names, for Laconic's requests.  A completed request becomes
 * LACONIC_REQUEST_NULL (a persistent one becomes inactive); null and inactive requests count as complete, with an empty
 * status.  Statuses may be ignored; those of collectives are empty.  The *all functions return MPI_ERR_IN_STATUS when
 * an operation failed, and its code is in the status. */
LACONIC_API int laconic_wait(laconic_request* request, MPI_Status* status);
LACONIC_API int laconic_waitall(int count, laconic_request requests[], MPI_Status statuses[]);
LACONIC_API int laconic_waitany(int count, laconic_request requests[], int* index, MPI_Status* status);
LACONIC_API int laconic_test(laconic_request* request, int* flag, MPI_Status* status);
LACONIC_API int laconic_testall(int count, laconic_request requests[], int* flag, MPI_Status statuses[]);

/* ---- The codecs on their own -----------------------------------------------------------------------------------
 *
 * The output is a sequence of frames (docs/wire-format.md), more than one for many numbers.  Every frame describes its
 * contents, so the bytes alone are enough to decode them.  Local; may be called before MPI_Init. */

/* A size in bytes that is always enough for laconic_compress() of `count` numbers with these options; 0 if that call
 * would be an error. */
LACONIC_API size_t laconic_max_compressed_size(MPI_Count count, MPI_Datatype datatype, const laconic_options* options);

/* Compresses `count` numbers of `datatype` into `out`, which has room for `capacity` bytes, and stores the number of
 * bytes written in *bytes.  Only these options are used: bound (which must be set, here or in LACONIC_BOUND), codec,
 * denormals and chunk_elements (numbers per frame).  Every decompressed number differs from the original by at most the
 * bound. */
LACONIC_API int laconic_compress(const void* numbers, MPI_Count count, MPI_Datatype datatype, void* out,
                                 size_t capacity, size_t* bytes, const laconic_options* options);

/* Decompresses exactly `count` numbers of `datatype` from the `bytes` bytes that laconic_compress() wrote.  Any other
 * input is an error, after which the numbers are undefined. */
LACONIC_API int laconic_decompress(const void* compressed, size_t bytes, void* numbers, MPI_Count count,
                                   MPI_Datatype datatype);

/* ---- Expected errors -----------------------------------------------------------------------------------------
 *
 * A prediction of the errors of a collective, from docs/error-model.md.  May be called before MPI_Init. */

typedef struct laconic_prediction {
  size_t size;                 /* sizeof(laconic_prediction); filled by the library */
  laconic_codec codec;         /* codec that the call would use */
  laconic_algorithm algorithm; /* algorithm of the call; LACONIC_ALGORITHM_PLAIN if nothing would be compressed */
  int terms;                   /* number of encode errors that the ledger counts in a result */
  double allowance;            /* bound for one encode on the way to a result */
  double last_allowance;       /* bound for one encode of a result that is forwarded */
  double worst_case;           /* largest error of any element, apart from the rounding of its own type */
  double likely;               /* 95.44 % of the elements (two standard deviations) are off by at most this */
  double drift;                /* the part of `likely` that errors biased to one side may add up to; 0 for quant */
  double deviation;            /* standard deviation of the errors about the drift */
} laconic_prediction;

/* Fills *prediction for a collective on `ranks` ranks, as if it were compressed regardless of min_bytes.
 *
 *   collective  "allreduce", "reduce", "reduce_scatter", "allgather", "bcast", "scatter", "gather", "alltoall",
 *               "scan", "exscan", "neighbor_allgather" or "neighbor_alltoall"; the forms with a separate count for
 *               every rank have the same errors
 *   op          "sum", "avg", "max" or "min"; NULL for collectives that only move data
 *   bytes       size of the data of the call, from which the algorithm is chosen if it is `auto`; 0: large
 *   options     only bound, target, codec, algorithm and variant are used; unset options are taken from the environment
 *               and the defaults (NULL: all of them)
 *
 * Bounds: "abs:E"; "rel:R", for which all figures are fractions of the range, since only the call knows the range;
 * "lossless", for which all figures are 0.  "rms:R" and "rate:BITS" are errors (MPI_ERR_ARG): their effect depends on
 * the numbers.
 *
 * worst_case, the allowances and terms are exact.  likely, drift and deviation come from a model that assumes
 * independent errors on different ranks.  If all ranks hold the same numbers, errors are not independent and add up to
 * the worst case.  Sums with quant, too, are biased to one side if most numbers are smaller than the allowance and of
 * one sign.  For zfp the model is based on measurements. */
LACONIC_API int laconic_predict_error(const char* collective, const char* op, int ranks, MPI_Count bytes,
                                      const laconic_options* options, laconic_prediction* prediction);

/* ---- Statistics and names ------------------------------------------------------------------------------------ */

/* Statistics of all calls of this rank on comm since it was made or last reset.  Local. */
LACONIC_API int laconic_stats_get(MPI_Comm comm, laconic_stats* stats);
LACONIC_API int laconic_stats_reset(MPI_Comm comm);

/* Writes the message of the latest error code that a Laconic function returned in this thread, or MPI's text for
 * any other code.  `string` has room for `capacity` bytes (1024 hold every message) and is always
 * null-terminated. */
LACONIC_API int laconic_error_string(int errorcode, char* string, size_t capacity);

/* The reason in words, which completes the sentence "plain because ...": a static string; NULL for an unknown value. */
LACONIC_API const char* laconic_plain_reason_string(laconic_plain_reason reason);

/* The names used in options, hints and the environment ("quant", "recursive-doubling"): static strings; NULL if the
 * value is unknown. */
LACONIC_API const char* laconic_algorithm_name(laconic_algorithm algorithm);
LACONIC_API const char* laconic_variant_name(laconic_variant variant);
LACONIC_API const char* laconic_denormals_name(laconic_denormals denormals);
LACONIC_API const char* laconic_progress_name(laconic_progress progress);
LACONIC_API const char* laconic_checksum_name(laconic_checksum checksum);
LACONIC_API const char* laconic_tune_name(laconic_tune tune);

#ifdef __cplusplus
}
#endif
#endif
