/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was compiled with another version of the headers.  grown.py gives it the headers, and of the members
 * that not all versions have the names of those it may use: WITH_STATS, WITH_TUNE; NEWER: structs end with `added`.
 *
 * Behind every struct that the library writes to are bytes that must stay as they are. */
#include <laconic/laconic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/check.h"

#define COUNT 3000
#define GUARD 512

static int intact(const unsigned char* guard) {
  for (int k = 0; k < GUARD; ++k)
    if (guard[k] != 0xa5) return 0;
  return 1;
}

/* A struct with other data of the program right behind it. */
#define GUARDED(type)           \
  struct {                      \
    type it;                    \
    unsigned char guard[GUARD]; \
  }
#define FILL(guarded) memset(&(guarded), 0xa5, sizeof(guarded))

static float mine[COUNT], sum[COUNT];

static void check_sum(void) {
  int right = 1;
  for (int k = 0; k < COUNT; ++k) {
    const double exact = ranks * sin(0.01 * k) + 0.5 * ranks * (ranks - 1);
    if (fabs(sum[k] - exact) > 1.001e-3) right = 0;
    sum[k] = -7;
  }
  CHECK(right);
}

static GUARDED(laconic_options) options;
#ifdef WITH_STATS
static GUARDED(laconic_stats) stats;
static void reset_stats(void) { FILL(stats); }
static void check_stats(void) {
  CHECK(stats.it.calls == 1);
  CHECK(stats.it.plain_calls == 0);
  CHECK(stats.it.bytes_in == sizeof mine);
  CHECK(stats.it.size > 0 && stats.it.size <= sizeof stats.it);
#ifdef NEWER
  CHECK(stats.it.added == 0 && stats.it.size < sizeof stats.it);
#endif
  CHECK(intact(stats.guard));
}
#else
static void reset_stats(void) {}
static void check_stats(void) {}
#endif

static void set_options(void) {
  FILL(options);
  laconic_options_init(&options.it);
  CALL(laconic_options_set(&options.it, "bound", "abs:1e-3"));
  CALL(laconic_options_set(&options.it, "codec", "quant"));
  CALL(laconic_options_set(&options.it, "min_bytes", "1"));
#ifdef WITH_STATS
  options.it.stats = &stats.it;
#endif
#ifndef WITH_TUNE
  /* The text names a member that this program does not have. */
  const laconic_options before = options.it;
  CHECK(laconic_options_set(&options.it, "tune", "off") != MPI_SUCCESS);
  CHECK(memcmp(&before, &options.it, sizeof before) == 0);
#endif
  CHECK(intact(options.guard));
}

static void collectives(MPI_Comm comm) {
  laconic_request request = LACONIC_REQUEST_NULL;
  reset_stats();
  CALL(laconic_allreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &options.it));
  check_sum();
  check_stats();
  reset_stats();
  CALL(laconic_iallreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &request, &options.it));
  CALL(laconic_wait(&request, MPI_STATUS_IGNORE));
  check_sum();
  check_stats();
  CALL(laconic_allreduce_init(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &request, &options.it));
  for (int k = 0; k < 2; ++k) {
    reset_stats();
    CALL(laconic_start(&request));
    CALL(laconic_wait(&request, MPI_STATUS_IGNORE));
    check_sum();
    check_stats();
  }
  CALL(laconic_request_free(&request));
}

static void messages(MPI_Comm comm) {
  laconic_request requests[2];
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  CALL(laconic_irecv(sum, COUNT, MPI_FLOAT, last, 3, comm, &requests[0], NULL));
  reset_stats();
  CALL(laconic_isend(mine, COUNT, MPI_FLOAT, next, 3, comm, &requests[1], &options.it));
  CALL(laconic_wait(&requests[1], MPI_STATUS_IGNORE));
  CALL(laconic_wait(&requests[0], MPI_STATUS_IGNORE));
  CHECK(fabs(sum[17] - (sin(0.17) + last)) <= 1.001e-3);
  check_stats();
  CHECK(intact(options.guard));
}

static void outputs(MPI_Comm comm) {
  static GUARDED(laconic_stats) all;
  static GUARDED(laconic_prediction) expected;
  static struct {
    laconic_tuning it[3];
    unsigned char guard[GUARD];
  } classes;
  int count = -1;
  FILL(all);
  CALL(laconic_stats_get(comm, &all.it));
  CHECK(all.it.calls > 2 && all.it.size <= sizeof all.it && intact(all.guard));
  FILL(expected);
  CALL(laconic_predict_error("allreduce", "sum", 4, 0, &options.it, &expected.it));
  CHECK(expected.it.codec == LACONIC_CODEC_QUANT && expected.it.worst_case > 9e-4 && expected.it.worst_case < 1.1e-3);
  CHECK(expected.it.size <= sizeof expected.it && intact(expected.guard));
  FILL(classes);
  CALL(laconic_tuning_get(comm, classes.it, 3, &count));
  CHECK(count == 2 && intact(classes.guard));
  CHECK(strcmp(classes.it[0].collective, "allreduce") == 0 && strcmp(classes.it[1].collective, "bcast") == 0);
  CHECK(classes.it[0].bytes == 16384 && classes.it[1].bytes == 8192 && classes.it[1].calls == 1);
#ifdef NEWER
  CHECK(all.it.added == 0 && expected.it.added == 0 && classes.it[0].added == 0 && classes.it[1].added == 0);
#endif
  CHECK(classes.it[2].calls == UINT64_C(0xa5a5a5a5a5a5a5a5));
}

/* Two calls that the tuner knows. */
static void tuned(MPI_Comm comm) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_tune", "on");
  CALL(laconic_comm_set_info(comm, info));
  MPI_Info_free(&info);
  CALL(laconic_allreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &options.it));
  CALL(laconic_bcast(sum, COUNT / 2, MPI_FLOAT, 0, comm, &options.it));
}

static void codecs(void) {
  static GUARDED(laconic_coding) coding;
  static GUARDED(laconic_frames_info) info;
  static unsigned char frames[65536];
  laconic_coder coder;
  size_t bytes = 0;
  FILL(coding);
  laconic_coding_init(&coding.it);
  coding.it.dtype = LACONIC_FLOAT32;
  CHECK(laconic_bound_parse("abs:1e-3", &coding.it.bound) == LACONIC_OK);
  CHECK(laconic_coder_create(&coding.it, &coder) == LACONIC_OK);
  CHECK(laconic_coder_encode(coder, mine, COUNT, frames, sizeof frames, &bytes) == LACONIC_OK);
  FILL(info);
  CHECK(laconic_frames_describe(frames, bytes, &info.it) == LACONIC_OK);
  CHECK(info.it.count == COUNT && info.it.dtype == LACONIC_FLOAT32 && intact(info.guard));
  CHECK(laconic_coder_decode(coder, frames, bytes, sum, COUNT, 1) == LACONIC_OK);
  CHECK(fabs(sum[17] - mine[17]) <= 1e-3 && intact(coding.guard));
  laconic_coder_free(coder);
#ifdef NEWER
  CHECK(info.it.added == 0);
  coding.it.added = 1;
  CHECK(laconic_coder_create(&coding.it, &coder) == LACONIC_ERROR_ARGUMENT && coder == NULL);
  CHECK(strstr(laconic_codec_error(), "coding->size is ") != NULL);
  CHECK(strstr(laconic_codec_error(), "which this version of Laconic does not have") != NULL);
#endif
}

/* Every rank gets an error if one rank sets an option that this library does not have. */
static void unknown_members(MPI_Comm comm) {
#ifdef NEWER
  char text[1024] = "";
  if (rank == 0) options.it.added = 1;
  const int code = laconic_allreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &options.it);
  CHECK(code != MPI_SUCCESS);
  laconic_error_string(code, text, sizeof text);
  CHECK(strstr(text, rank == 0 ? "which this version of Laconic does not have" : "rank 0 was called with") != NULL);
  options.it.added = 0;
  CALL(laconic_allreduce(mine, sum, COUNT, MPI_FLOAT, MPI_SUM, comm, &options.it));
  check_sum();
#else
  (void)comm;
#endif
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int k = 0; k < COUNT; ++k) mine[k] = (float)(sin(0.01 * k) + rank);
  set_options();
  CALL(laconic_comm_set_info(comm, MPI_INFO_NULL));
  collectives(comm);
  messages(comm);
  unknown_members(comm);
  tuned(comm);
  outputs(comm);
  codecs();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  if (rank == 0 && all == 0) printf("right\n");
  return all != 0;
}
