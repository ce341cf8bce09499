/* SPDX-License-Identifier: BSD-3-Clause */
/* Laconic's codecs: arrays of numbers to frames and back, with a bound on the error.
 *
 * This header needs no MPI.  It is for programs that store frames or move them by other means than MPI: plug-ins of
 * NCCL, UCX and Gloo, bindings of other languages.  liblaconic-codec has its functions, and liblaconic has them, too.
 *
 *   laconic_coding coding;
 *   laconic_coding_init(&coding);
 *   coding.dtype = LACONIC_FLOAT32;
 *   laconic_bound_parse("rel:1e-4", &coding.bound);
 *   laconic_coder coder;
 *   if (laconic_coder_create(&coding, &coder) != LACONIC_OK) fail(laconic_codec_error());
 *   size_t capacity = laconic_coder_capacity(coder, count), bytes;
 *   laconic_coder_encode(coder, numbers, count, frames, capacity, &bytes);
 *   laconic_coder_decode(coder, frames, bytes, numbers, count, 1);
 *   laconic_coder_free(coder);
 *
 * Compressed data are frames, one after the other, each for at most `frame_elements` numbers (docs/wire-format.md).
 * They are the same on every machine, and for every instruction set and number of threads.
 *
 * Functions return LACONIC_OK or an error; laconic_codec_error() then has the message.  They do not throw, print or
 * exit, and do not access the environment.  Buffers belong to the caller, and are memory of the host with the alignment
 * of their numbers (frames: any); those of the functions *_on_stream are memory of a GPU.  An error leaves the contents
 * of output buffers unspecified, but within their sizes.
 */
#ifndef LACONIC_CODEC_H
#define LACONIC_CODEC_H

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
#define LACONIC_VERSION_MINOR 2
#define LACONIC_VERSION_PATCH 0

/* Structs that programs allocate, all but laconic_bound and laconic_stream_result, get new members at their ends in
 * later versions.  A program that was compiled with an older header runs with a newer library: the names of functions
 * that are macros here pass the size that the program knows to the function *_sized.  Bindings of other languages call
 * that function.  A program may also run with an older library, as long as it leaves the members unset that the library
 * does not have. */

/* Results of the functions in this header.  (Those of laconic.h return MPI error codes.) */
typedef enum laconic_error {
  LACONIC_OK = 0,
  LACONIC_ERROR_ARGUMENT = 1, /* an argument, or a field of a laconic_coding, that is not valid */
  LACONIC_ERROR_TYPE = 2,     /* numbers of a type that the codec or the bound does not serve */
  LACONIC_ERROR_CAPACITY = 3, /* an output buffer that is too small */
  LACONIC_ERROR_COUNT = 4,    /* frames of another number of numbers */
  LACONIC_ERROR_FRAME = 5,    /* bytes that are not frames, or are damaged, or frames of another coding */
  LACONIC_ERROR_MEMORY = 6,   /* no memory, or no thread */
  LACONIC_ERROR_INTERNAL = 7,
  LACONIC_ERROR_DEVICE = 8 /* no GPU, no device code in this build, or a call of CUDA that failed */
} laconic_error;

/* The message of the latest error of a function of this header in this thread.  Valid until the next one. */
LACONIC_API const char* laconic_codec_error(void);

/* The types of numbers, as in the header of a frame. */
typedef enum laconic_dtype {
  LACONIC_FLOAT32 = 1,
  LACONIC_FLOAT64 = 2,
  LACONIC_FLOAT16 = 3,
  LACONIC_BFLOAT16 = 4,
  LACONIC_INT8 = 5,
  LACONIC_UINT8 = 6,
  LACONIC_INT16 = 7,
  LACONIC_UINT16 = 8,
  LACONIC_INT32 = 9,
  LACONIC_UINT32 = 10,
  LACONIC_INT64 = 11,
  LACONIC_UINT64 = 12
} laconic_dtype;

/* "f32", "f64", "f16", "bf16", "i8", "u8", ..., "u64": static strings; NULL for an unknown value. */
LACONIC_API const char* laconic_dtype_name(laconic_dtype dtype);

/* Bytes of one number; 0 for an unknown value. */
LACONIC_API size_t laconic_dtype_size(laconic_dtype dtype);

/* The kind of error bound (docs/error-model.md).  As text, a bound is spelled "abs:1e-3", "rel:1e-4", "range:1e-4",
 * "block:1e-4", "rms:0.1", "rate:8" or "lossless". */
typedef enum laconic_bound_mode {
  LACONIC_BOUND_UNSET = 0,
  LACONIC_BOUND_ABS = 1,  /* value = largest absolute error, > 0 */
  LACONIC_BOUND_REL = 2,  /* value = fraction of the range (max - min) of the finite inputs of all ranks, or of
                             a large sum where its range is larger, > 0; if the inputs have no range (all equal, or
                             none finite), nothing is rounded */
  LACONIC_BOUND_RMS = 3,  /* value = fraction, > 0, of the root mean square of the block of 512 numbers that contains
                             an element.  The bound is on every rank's contribution, whatever the target is: the
                             error of a sum is at most the sum of the ranks' bounds, the error of a mean at most
                             their mean.  Codec quant, variants overlap and nd only */
  LACONIC_BOUND_RATE = 4, /* experimental.  value = bits per value; the error is not bounded.  Codec zfp only, in
                             steps of 1/4, at least 2.25 (float) or 3 (double); from 32 (64) on, values are sent
                             uncompressed */
  LACONIC_BOUND_LOSSLESS = 5, /* no bit is lost, neither of floating-point numbers nor of integers; value unused */
  LACONIC_BOUND_BLOCK = 6, /* value = fraction, > 0, of the range of the block of 512 numbers that contains an element,
                            without the number whose absence makes the range smallest and without fill values: so
                            one number does not spoil the bound of others.  Otherwise as LACONIC_BOUND_RMS */
  LACONIC_BOUND_RANGE = 7  /* as LACONIC_BOUND_REL, also in the drop-in, which takes LACONIC_BOUND_REL as
                              LACONIC_BOUND_BLOCK where data only moves: for data of one kind */
} laconic_bound_mode;

typedef struct laconic_bound {
  laconic_bound_mode mode;
  double value;
} laconic_bound;

/* Reads a bound from text.  On an error *bound is unchanged. */
LACONIC_API int laconic_bound_parse(const char* text, laconic_bound* bound);

typedef enum laconic_codec {
  LACONIC_CODEC_UNSET = 0,
  LACONIC_CODEC_QUANT = 1,    /* integer lattice: the default */
  LACONIC_CODEC_RAW = 2,      /* uncompressed bytes */
  LACONIC_CODEC_SZX = 3,      /* experimental: SZx as customised by C-Coll; sums are rounded again at every hop */
  LACONIC_CODEC_ZFP = 4,      /* experimental: libzfp, if built with it; sums are rounded again at every hop */
  LACONIC_CODEC_LOSSLESS = 5, /* keeps every bit of every type: the default with LACONIC_BOUND_LOSSLESS */
  LACONIC_CODEC_DENSE = 6     /* the lattice of quant behind an entropy coder: smaller frames that take longer, for slow
                                 networks and files */
} laconic_codec;

/* The name that options and the environment use ("quant"): a static string; NULL if the value is unknown. */
LACONIC_API const char* laconic_codec_name(laconic_codec codec);

/* The treatment of denormal numbers (nonzero, and smaller in magnitude than any normal number of their type) under a
 * bound. */
typedef enum laconic_denormals {
  LACONIC_DENORMALS_UNSET = 0,
  LACONIC_DENORMALS_ROUND = 1, /* the default: they are rounded within the bound, like all others */
  LACONIC_DENORMALS_EXACT =
      2 /* in operations that only move data, every block of numbers (quant: 1024, with rms and block 512;
           szx: 128; zfp: 4096) that contains a denormal or a NaN with a payload keeps all its
           bits.  This is for integers and addresses that are sent as floating-point numbers:
           read as such, they are mostly denormal numbers, or NaN with payloads.  Reductions
           ignore this setting: their inputs are numbers, and the bound holds for all of them */
} laconic_denormals;

/* The operation of laconic_coder_fold() and laconic_coder_add() on two numbers. */
typedef enum laconic_reduction {
  LACONIC_REDUCTION_SUM = 0,
  LACONIC_REDUCTION_MAX = 1,
  LACONIC_REDUCTION_MIN = 2
} laconic_reduction;

/* How numbers are coded.  Initialise with laconic_coding_init(); dtype and bound have to be set. */
typedef struct laconic_coding {
  size_t size; /* of this struct, set by laconic_coding_init() */
  laconic_dtype dtype;
  laconic_bound bound; /* on every number of one laconic_coder_encode(); rel: relative to the range of its numbers. Sums
                          of frames differ from exact sums by at most the sum of the bounds, and the rounding of dtype
                          where numbers are held uncompressed */
  laconic_codec codec; /* LACONIC_CODEC_UNSET: quant, with the bound lossless the codec lossless */
  laconic_denormals denormals;
  laconic_reduction reduction;
  uint32_t contributions; /* the most arrays that one frame combines, 1 to 2^31-1; 0: 1 */
  int64_t frame_elements; /* numbers per frame, 1 to 2^26; 0: 65536 */
  int32_t threads;        /* threads that code, 1 to 256; 1 is the calling thread alone; 0: 1 */
} laconic_coding;

LACONIC_API void laconic_coding_init_sized(laconic_coding* coding, size_t size);
#define laconic_coding_init(coding) laconic_coding_init_sized((coding), sizeof(laconic_coding))

/* Checked settings, threads and scratch memory.  A coder may be used by one thread at a time.  After the first calls of
 * a size its functions allocate nothing. */
typedef struct laconic_coder_s* laconic_coder;

/* Makes a coder; on an error *coder is NULL. */
LACONIC_API int laconic_coder_create(const laconic_coding* coding, laconic_coder* coder);
LACONIC_API void laconic_coder_free(laconic_coder coder); /* NULL is allowed */

/* The most bytes that encode, fold and add write for `count` numbers. */
LACONIC_API size_t laconic_coder_capacity(laconic_coder coder, size_t count);

/* frames = numbers.  capacity: the size of frames, at least laconic_coder_capacity().  *bytes: what was written. */
LACONIC_API int laconic_coder_encode(laconic_coder coder, const void* numbers, size_t count, void* frames,
                                     size_t capacity, size_t* bytes);

/* numbers = frames / divisor.  divisor: 1, or the number of contributions for their mean, > 0 and finite.  The frames,
 * of any codec and of numbers of the coder's dtype, must hold `count` numbers. */
LACONIC_API int laconic_coder_decode(laconic_coder coder, const void* frames, size_t bytes, void* numbers, size_t count,
                                     double divisor);

/* result = frames op numbers, in one pass, with the coder's reduction.  Frames and numbers: of equal counts, coded with
 * equal settings.  With a bound rel the steps of the frames would differ, so only frames of abs, block, rms, rate and
 * lossless can be folded and added.  result must not overlap the other buffers. */
LACONIC_API int laconic_coder_fold(laconic_coder coder, const void* frames, size_t bytes, const void* numbers,
                                   size_t count, void* result, size_t capacity, size_t* result_bytes);

/* result = a op b.  With quant, lossless and raw this adds no error of its own, and any order gives the same bytes. */
LACONIC_API int laconic_coder_add(laconic_coder coder, const void* a, size_t a_bytes, const void* b, size_t b_bytes,
                                  size_t count, void* result, size_t capacity, size_t* result_bytes);

/* The same operations on memory of a GPU, for programs whose communication is enqueued on a stream, as that of NCCL is.
 * docs/streams.md has an example.
 *
 * The functions below enqueue kernels on `stream`, a cudaStream_t or NULL for the default stream, and return: they
 * never wait, and never synchronise.  They may be called while the stream is captured into a CUDA graph; each launch of
 * the graph then does the work again, on what the buffers hold by then.
 *
 * One call makes or reads one frame, of at most coding->frame_elements numbers (0 numbers: no frame, of 0 bytes).  Its
 * bytes are those that the functions above write.  Numbers, frames and results are memory of the device, managed memory
 * or pinned memory of the host; they belong to the caller, and must stay valid until the stream has passed the work, or
 * until graphs that were captured with them are destroyed.  Numbers are at a multiple of their size, frames and results
 * at a multiple of 8 bytes.  Output frames must not overlap other buffers.
 *
 * Codings: quant with abs:E, rms:R or lossless, zfp with rate:BITS, and raw, with all their types.  A bound rel:R needs
 * the range of the numbers, for which the host would have to wait: abs:E with E = R * (greatest - least) takes its
 * place. Devices need compute capability 8.0.
 *
 * A coder works in the CUDA context that is current at its first call here.  It has one workspace there, so it serves
 * one stream at a time: work on another stream has to wait for that on the first one.  Coders are independent.  The
 * context must outlive the coder, and the coder all graphs that were captured with it; laconic_coder_free() waits for
 * the device.
 */

/* How an operation on a stream ended.  Its kernels write it, so it is in memory that they reach; a copy on the host is
 * valid when the stream has passed the operation.  Its size never changes. */
typedef struct laconic_stream_result {
  uint64_t bytes;   /* size of the frame that was written, or of the one that was decoded */
  double error;     /* the worst-case absolute error of any number that this frame accounts for */
  uint32_t written; /* 1, so that 0 shows that the operation has not been done */
  uint32_t fault;   /* 0: none; otherwise a number that laconic_stream_result_check() explains */
  uint32_t codec;   /* whose fault it is */
  uint32_t reserved[9];
} laconic_stream_result;

/* The error that a result holds, with its message: LACONIC_OK, or mostly LACONIC_ERROR_FRAME.  result: on the host.
 * Each operation overwrites its result.  A fault is not lost where several operations follow each other: an operation
 * with a fault writes a frame of 32 bytes that says so, and operations that read that frame fail, too, on other
 * machines as well.  The numbers that a decode with a fault writes are not specified. */
LACONIC_API int laconic_stream_result_check(const laconic_stream_result* result);

/* Allocates the memory of the device that operations on up to `count` numbers need.  Operations outside of a capture do
 * so themselves the first time, but memory cannot be allocated during a capture.  It is 16 KiB, or up to 200 bytes for
 * every 4096 numbers. */
LACONIC_API int laconic_coder_prepare_device(laconic_coder coder, size_t count);

/* frame = numbers.  capacity: the size of frame, at least laconic_coder_capacity(). */
LACONIC_API int laconic_coder_encode_on_stream(laconic_coder coder, const void* numbers, size_t count, void* frame,
                                               size_t capacity, laconic_stream_result* result, void* stream);

/* numbers = frame / divisor.  capacity: the size of the memory that the frame is in; the frame says itself where it
 * ends, and one that ends later is a fault.  The frame is one of an equal coding, but with quant any bound of the same
 * kind is accepted: abs, rel and lossless are of one kind, rms of another. */
LACONIC_API int laconic_coder_decode_on_stream(laconic_coder coder, const void* frame, size_t capacity, void* numbers,
                                               size_t count, double divisor, laconic_stream_result* result,
                                               void* stream);

/* out = frame op numbers, with the coder's reduction.  The frame is one of an equal coding, not of rel. */
LACONIC_API int laconic_coder_fold_on_stream(laconic_coder coder, const void* frame, size_t frame_capacity,
                                             const void* numbers, size_t count, void* out, size_t capacity,
                                             laconic_stream_result* result, void* stream);

/* out = a op b.  The same conditions. */
LACONIC_API int laconic_coder_add_on_stream(laconic_coder coder, const void* a, size_t a_capacity, const void* b,
                                            size_t b_capacity, size_t count, void* out, size_t capacity,
                                            laconic_stream_result* result, void* stream);

/* The contents of a sequence of frames, according to their headers. */
typedef struct laconic_frames_info {
  uint64_t frames;     /* their number */
  uint64_t count;      /* numbers in all of them */
  laconic_dtype dtype; /* of all of them */
  laconic_codec codec; /* of all of them */
  double error; /* the worst-case absolute error of any number that the frames account for; frames of block: and rms:
                   have the largest of their blocks */
} laconic_frames_info;

/* Describes all frames in `bytes` bytes.  Frames of different types or codecs are an error. */
LACONIC_API int laconic_frames_describe_sized(const void* frames, size_t bytes, laconic_frames_info* info, size_t size);
#define laconic_frames_describe(frames, bytes, info) \
  laconic_frames_describe_sized((frames), (bytes), (info), sizeof(laconic_frames_info))

/* The least and the greatest finite number, from which a bound relative to the range of several arrays is made:
 * abs = rel * (greatest - least).  Without a finite number: infinity and -infinity.  dtype: a floating-point type. */
LACONIC_API int laconic_finite_range(const void* numbers, size_t count, laconic_dtype dtype, double* least,
                                     double* greatest);

/* The checksum S of docs/wire-format.md, with which Laconic detects damaged frames, for applications that send frames
 * in their own messages.  bytes may be 0. */
LACONIC_API uint64_t laconic_checksum_of(const void* data, size_t bytes);

/* Version of the library that is running.  Any pointer may be NULL. */
LACONIC_API void laconic_version(int* major, int* minor, int* patch);

/* The wire format that the library writes (docs/wire-format.md).  Frames are read by every library whose format has the
 * same major number and no smaller minor one; those of experimental codecs (szx, zfp) by the same release.  Any pointer
 * may be NULL. */
LACONIC_API void laconic_wire_format(int* major, int* minor);

#ifdef __cplusplus
}
#endif

#endif
