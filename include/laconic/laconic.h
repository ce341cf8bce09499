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

#include <laconic/codec.h>       /* bounds, codecs, types of numbers, and the codecs without MPI */
#include <laconic/collectives.h> /* blocking, nonblocking and persistent */
#include <laconic/options.h>     /* settings and statistics of calls, requests */

#ifdef __cplusplus
extern "C" {
#endif

LACONIC_API void laconic_options_init_sized(laconic_options* options, size_t size, size_t stats_size);
#define laconic_options_init(options) \
  laconic_options_init_sized((options), sizeof(laconic_options), sizeof(laconic_stats))

/* Sets one option from text: name is "bound", "target", "codec", "algorithm", "chunk_elements",
 * "depth", "threads", "min_bytes", "variant", "denormals", "progress", "checksum", "tune" or "effort"; value is spelled
 * as in the environment and the hints ("abs:1e-3", "recursive-doubling", ...).  Returns MPI_SUCCESS or an error code;
 * on an error, *options is unchanged.  May be called before MPI_Init. */
LACONIC_API int laconic_options_set(laconic_options* options, const char* name, const char* value);

/* Sets hints on a communicator: "laconic_bound", "laconic_codec", "laconic_algorithm",
 * "laconic_target", "laconic_min_bytes", "laconic_threads", "laconic_depth", "laconic_chunk_elements",
 * "laconic_variant", "laconic_denormals", "laconic_progress", "laconic_checksum", "laconic_tune", "laconic_effort".
 * MPI_Comm_set_info may drop keys that the MPI library does not know, so only this function always works; hints
 * that MPI kept are honoured too.  Collective over comm, with the same hints on all ranks: if ranks differ, the
 * next call that compresses reports it.  A second call replaces the hints of the first, and communicators made
 * from comm do not inherit them.  Keys that do not begin with "laconic_" are ignored; unknown keys that do, and
 * invalid values, are errors.  A hint that one rank cannot read is an error on every rank, and an error of every
 * call on comm, until a call with valid hints replaces it.  Passing MPI_INFO_NULL removes all hints.
 *
 * The first call prepares comm: it makes the communicator for compressed data.  The first compressed collective that
 * waits for other ranks does the same: a blocking one, or laconic_<collective>_init().  On a communicator that is not
 * prepared, messages and nonblocking collectives are plain (LACONIC_PLAIN_UNPREPARED).  A process can prepare 63
 * communicators at a time, and MPI may have no communicator left: then all calls on comm are plain. */
LACONIC_API int laconic_comm_set_info(MPI_Comm comm, MPI_Info info);

/* Sets *prepared to 1 if comm has everything that a nonblocking collective needs to be compressed, to 0 if it has not
 * yet, and to -1 if it cannot be prepared.  The result is the same on all ranks that have made the same calls on comm.
 * Local. */
LACONIC_API int laconic_comm_prepared(MPI_Comm comm, int* prepared);

/* What the ranks of a communicator have learnt about the calls of one collective with about the same size and equal
 * settings, either blocking ones or nonblocking ones that had no blocking ones to follow (docs/tuning.md).  All but
 * `calls` are numbers that the ranks agreed on: the times of the slowest rank.  Messages are "send": what this rank
 * alone has learnt about those that it sends. */
typedef struct laconic_tuning {
  const char* collective; /* "allreduce", ..., "send": a static string; v-forms count as their collective */
  uint64_t bytes; /* size of the largest buffer, rounded up to a power of two; 0 where calls of all sizes are one
                     class, because no rank knows the sizes of the others */
  uint64_t calls; /* calls of this class */
  uint64_t compressed_calls;
  laconic_algorithm algorithm; /* of the coming calls; LACONIC_ALGORITHM_PLAIN: they are left to MPI;
                                  LACONIC_ALGORITHM_AUTO: messages are compressed, or buffers are on devices, where
                                  nothing is measured */
  double plain_seconds;        /* time of MPI's call; 0: the ranks have not agreed on one yet */
  double predicted_seconds;    /* time of a compressed call with the best algorithm, by the model; 0: no prediction */
  double measured_seconds;     /* the same, measured; 0: no such call was made */
  double ratio;                /* compression ratio of the latest compressed calls with this codec, or of a sample where
                                  there were none; 0: no sample was taken */
  laconic_codec codec;         /* of the coming calls; LACONIC_CODEC_UNSET: they are left to MPI */
} laconic_tuning;

/* Writes what is known about the classes of calls on comm to classes[0..capacity-1], and their number to *count, which
 * may be more than capacity.  classes may be NULL if capacity is 0.  Local. */
LACONIC_API int laconic_tuning_get_sized(MPI_Comm comm, laconic_tuning* classes, int capacity, int* count, size_t size);
#define laconic_tuning_get(comm, classes, capacity, count) \
  laconic_tuning_get_sized((comm), (classes), (capacity), (count), sizeof(laconic_tuning))

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
 * In builds for CUDA every operation also takes buffers in the memory of an NVIDIA GPU, or managed memory.  Kernels
 * need compute capability 8.0 or later, and numbers at addresses that are multiples of their size; elsewhere the
 * numbers are copied to the host.  A stream that is being captured into a CUDA graph is an error.  Each rank may use
 * its own memory type, since the messages are the same.  An operation sees all work that was enqueued on
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
LACONIC_API int laconic_request_get_status(laconic_request request, int* flag, MPI_Status* status);

/* ---- The codecs on their own -----------------------------------------------------------------------------------
 *
 * The output is a sequence of frames (docs/wire-format.md), more than one for many numbers.  Every frame describes its
 * contents, so the bytes alone are enough to decode them.  Local; may be called before MPI_Init. */

/* A size in bytes that is always enough for laconic_compress() of `count` numbers with these options; 0 if that call
 * would be an error. */
LACONIC_API size_t laconic_max_compressed_size(MPI_Count count, MPI_Datatype datatype, const laconic_options* options);

/* Compresses `count` numbers of `datatype` into `out`, which has room for `capacity` bytes, and stores the number of
 * bytes written in *bytes.  Only these options are used: bound (which must be set, here or in LACONIC_BOUND), codec,
 * effort (AUTO is LIGHT here), denormals and chunk_elements (numbers per frame).  Every decompressed number differs
 * from the original by at most the bound. */
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
  size_t size;                 /* bytes of this struct that the library has filled; the rest is 0 */
  laconic_codec codec;         /* codec that the call would use */
  laconic_algorithm algorithm; /* algorithm of the call; LACONIC_ALGORITHM_PLAIN if nothing would be compressed */
  int terms;                   /* number of encode errors that the ledger counts in a result */
  double allowance;            /* bound for one encode on the way to a result */
  double last_allowance;       /* bound for one encode of a result that is forwarded, or for rounding it once more */
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
 *   options     only bound, target, codec, effort, algorithm and variant are used; unset options are taken from the
 * environment and the defaults (NULL: all of them)
 *
 * Bounds: "abs:E"; "rel:R", for which all figures are fractions of the range, since only the call knows the range;
 * "lossless", for which all figures are 0.  "block:R", "rms:R" and "rate:BITS" are errors (MPI_ERR_ARG): their effect
 * depends on the numbers.
 *
 * worst_case, the allowances and terms are exact.  likely, drift and deviation come from a model that assumes
 * independent errors on different ranks.  If all ranks hold the same numbers, errors are not independent and add up to
 * the worst case.  Sums with quant, too, are biased to one side if most numbers are smaller than the allowance and of
 * one sign.  For zfp the model is based on measurements. */
LACONIC_API int laconic_predict_error_sized(const char* collective, const char* op, int ranks, MPI_Count bytes,
                                            const laconic_options* options, laconic_prediction* prediction,
                                            size_t size);
#define laconic_predict_error(collective, op, ranks, bytes, options, prediction) \
  laconic_predict_error_sized((collective), (op), (ranks), (bytes), (options), (prediction), sizeof(laconic_prediction))

/* ---- Statistics and names ------------------------------------------------------------------------------------ */

/* Statistics of all calls of this rank on comm since it was made or last reset.  Local. */
LACONIC_API int laconic_stats_get_sized(MPI_Comm comm, laconic_stats* stats, size_t size);
#define laconic_stats_get(comm, stats) laconic_stats_get_sized((comm), (stats), sizeof(laconic_stats))
LACONIC_API int laconic_stats_reset(MPI_Comm comm);

/* Writes the message of the latest error code that a Laconic function returned in this thread, or MPI's text for
 * any other code.  `string` has room for `capacity` bytes (1024 hold every message) and is always
 * null-terminated. */
LACONIC_API int laconic_error_string(int errorcode, char* string, size_t capacity);

/* The reason in words, which completes the sentence "plain because ...": a static string; NULL for an unknown value. */
LACONIC_API const char* laconic_plain_reason_string(laconic_plain_reason reason);

/* The reason in words, which completes the sentence "through the host because ...": a static string; NULL for an
 * unknown value. */
LACONIC_API const char* laconic_through_host_string(laconic_through_host reason);

/* The names used in options, hints and the environment ("quant", "recursive-doubling"): static strings; NULL if the
 * value is unknown. */
LACONIC_API const char* laconic_algorithm_name(laconic_algorithm algorithm);
LACONIC_API const char* laconic_variant_name(laconic_variant variant);
LACONIC_API const char* laconic_denormals_name(laconic_denormals denormals);
LACONIC_API const char* laconic_progress_name(laconic_progress progress);
LACONIC_API const char* laconic_checksum_name(laconic_checksum checksum);
LACONIC_API const char* laconic_tune_name(laconic_tune tune);
LACONIC_API const char* laconic_effort_name(laconic_effort effort);

#ifdef __cplusplus
}
#endif
#endif
