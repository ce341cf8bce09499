/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of calls, statistics of calls, and requests.  laconic.h includes this file. */
#ifndef LACONIC_OPTIONS_H
#define LACONIC_OPTIONS_H

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
  LACONIC_TARGET_INPUT = 2,  /* every rank's contribution (as in the papers): the error of a sum is <= ranks x bound */
  LACONIC_TARGET_LIKELY = 3  /* experimental: at least 95.44 % of the elements of a sum, if the errors of the ranks are
                                independent; the statistics have the worst case.  Where all ranks hold the same numbers,
                                and for other operations, the same as RESULT (docs/error-model.md) */
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
  LACONIC_ALGORITHM_PAIRWISE = 10,
  LACONIC_ALGORITHM_HIERARCHICAL = 11 /* first within nodes; needs equal numbers of ranks on several nodes */
} laconic_algorithm;

/* The execution of an algorithm: with all optimisations of the library, or with fewer, as in the papers' baselines. */
typedef enum laconic_variant {
  LACONIC_VARIANT_UNSET = 0,
  LACONIC_VARIANT_OVERLAP = 1, /* the default: frames are forwarded, and coding overlaps communication chunk by chunk */
  LACONIC_VARIANT_ND = 2, /* experimental: C-Coll's "novel design" alone.  Frames are forwarded, nothing overlaps */
  LACONIC_VARIANT_CPR_P2P = 3,     /* experimental: each hop compresses the data it sends and decompresses the data it
                                      receives, nothing overlaps; the bound is kept, but the results of different ranks may
                                      differ within it; not with block:R and rms:R */
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

/* How much work a call does for smaller frames.  Both codecs round to the same lattice, so the results are the same to
 * the bit, but for sums with points beyond 31 bits and for the 1024 numbers about a NaN, an infinity or a fill value,
 * which the codec `dense` does not round (docs/tuning.md). */
typedef enum laconic_effort {
  LACONIC_EFFORT_UNSET = 0,
  LACONIC_EFFORT_AUTO = 1,  /* the default: where calls are tuned, the ranks take what makes the call faster by their
                               measurements; else, and with numbers on devices, the same as LIGHT */
  LACONIC_EFFORT_LIGHT = 2, /* the codec quant, with the bound lossless the codec lossless */
  LACONIC_EFFORT_DENSE = 3  /* the codec dense: smaller frames that take longer, for slow networks */
} laconic_effort;

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
  LACONIC_PLAIN_UNPREPARED = 9, /* a message or a nonblocking collective on a communicator that is not prepared, or any
                                  call on one that cannot be: see laconic_comm_set_info() */
  LACONIC_PLAIN_SLOWER = 10,    /* compression is slower than plain MPI, or not measured yet: see laconic_tune */
  LACONIC_PLAIN_SENDER = 11,    /* a received message: its sender left it to MPI */
  LACONIC_PLAIN_NEIGHBORS = 12, /* a neighborhood collective where a rank has the same neighbor twice: MPI libraries
                                  match the blocks of such neighbors in different ways */
  LACONIC_PLAIN_CALLER = 64     /* the first of the caller's own reasons: see laconic_options.plain */
} laconic_plain_reason;

/* The reason that numbers in the memory of a device were copied to the host, which coded them or gave them to MPI. */
typedef enum laconic_through_host {
  LACONIC_THROUGH_HOST_NOT = 0,        /* they were not, or no buffer was in the memory of a device */
  LACONIC_THROUGH_HOST_ASKED = 1,      /* LACONIC_DEVICE_MEMORY=host */
  LACONIC_THROUGH_HOST_CAPABILITY = 2, /* kernels need compute capability 8.0 */
  LACONIC_THROUGH_HOST_ALIGNMENT = 3,  /* a buffer is not at a multiple of the size of its numbers */
  LACONIC_THROUGH_HOST_CODEC = 4,      /* the codec has no kernels, or none for this bound and type */
  LACONIC_THROUGH_HOST_LAYOUT = 5,     /* a datatype or displacements with gaps, or one that the numbers do not have */
  LACONIC_THROUGH_HOST_BUFFERS = 6,    /* the other buffer is on the host, or on another device */
  LACONIC_THROUGH_HOST_MPI = 7         /* MPI moved the numbers, because the call or the message was plain */
} laconic_through_host;

/* Statistics of one call, or of all calls on a communicator, on this rank. */
typedef struct laconic_stats {
  size_t size;                       /* bytes of this struct that the library has filled; the rest is 0 */
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
                   rate:BITS, block:R and rms:R */
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
  laconic_target range_of;      /* for rel:R, the range that the latest bound refers to: that of the INPUT of all ranks,
                                   or that of the RESULT of a sum, where a sample showed that it is larger */
  uint64_t through_host_calls;  /* calls with numbers on a device that were copied to the host as a whole */
  laconic_through_host through_host; /* the reason for the latest of them */
} laconic_stats;

/* The value 0 of any option means "unset".  Initialise with laconic_options_init(). */
typedef struct laconic_options {
  uint32_t size;       /* of this struct, and of the program's laconic_stats; set by laconic_options_init(). */
  uint32_t stats_size; /* codec.h says why: these structs grow */
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
  laconic_effort effort; /* without a codec only: with one, AUTO, or what the codec is (quant LIGHT, dense DENSE) */
  void* stream;          /* for buffers on a device: the cudaStream_t that fills them, NULL for the default stream */
  laconic_stats* stats;  /* receives the statistics of this call (its size field need not be set), or NULL */
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

#ifdef __cplusplus
}
#endif
#endif
