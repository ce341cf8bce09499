/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank of a job whose ranks may have libraries of different releases.  Prints "right" if all ranks got right and
 * equal results, or "refused: ..." if all ranks got an error in the first call, with its message.  Anything else is a
 * failure, with exit code 1. */
#include <laconic/laconic.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support/check.h"

#define COUNT 30000
#define WATCHDOG 60 /* seconds */

static float mine[COUNT], got[COUNT];

static double value(int of, int k) { return sin(0.001 * k) * (1 + of) + 0.1 * of; }

static void check_bits_are_equal(void) {
  const uint64_t bits = laconic_checksum_of(got, sizeof got);
  uint64_t least, most;
  MPI_Allreduce(&bits, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&bits, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(least == most);
}

static void check_sum(double bound) {
  double worst = 0;
  for (int k = 0; k < COUNT; ++k) {
    double exact = 0;
    for (int r = 0; r < ranks; ++r) exact += value(r, k);
    worst = fmax(worst, fabs(got[k] - exact));
  }
  CHECK(worst <= bound);
  check_bits_are_equal();
}

static int allreduce(const char* codec, const char* algorithm, laconic_stats* stats) {
  laconic_options o;
  laconic_options_init(&o);
  CALL(laconic_options_set(&o, "bound", "abs:1e-3"));
  CALL(laconic_options_set(&o, "codec", codec));
  CALL(laconic_options_set(&o, "algorithm", algorithm));
  CALL(laconic_options_set(&o, "tune", "off"));
  CALL(laconic_options_set(&o, "checksum", "on"));
  o.stats = stats;
  memset(got, 0, sizeof got);
  return laconic_allreduce(mine, got, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
}

/* Whether all ranks have an error, or none.  Its message is to say what the ranks differ in. */
static int refused(int code) {
  const int failed = code != MPI_SUCCESS;
  int all;
  char text[1024];
  MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all == 0) return 0;
  laconic_error_string(code, text, sizeof text);
  CHECK(all == ranks);
  CHECK(strstr(text, "wire format") != NULL && strstr(text, "version") != NULL);
  if (rank == 0 && failures == 0) printf("refused: %s\n", text);
  return 1;
}

static void messages(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  laconic_options o;
  double worst = 0;
  laconic_options_init(&o);
  CALL(laconic_options_set(&o, "bound", "abs:1e-3"));
  CALL(laconic_options_set(&o, "tune", "off"));
  CALL(laconic_sendrecv(mine, COUNT, MPI_FLOAT, to, 3, got, COUNT, MPI_FLOAT, from, 3, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE, &o));
  for (int k = 0; k < COUNT; ++k) worst = fmax(worst, fabs(got[k] - value(from, k)));
  CHECK(worst <= 1.001e-3);
}

int main(int argc, char** argv) {
  static const char* const codecs[] = {"quant", "dense", "quant"};
  static const char* const algorithms[] = {"ring", "ring", "recursive-doubling"};
  laconic_stats stats;
  int all;
  alarm(WATCHDOG);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < COUNT; ++k) mine[k] = (float)value(rank, k);
  memset(&stats, 0, sizeof stats);
  const int first = allreduce(codecs[0], algorithms[0], &stats);
  if (!refused(first)) {
    CHECK(stats.bytes_sent > 0 && stats.bytes_sent < sizeof mine);
    check_sum(1.001e-3);
    for (int i = 1; i < 3; ++i) {
      CALL(allreduce(codecs[i], algorithms[i], NULL));
      check_sum(1.001e-3);
    }
    messages();
    if (rank == 0 && failures == 0) printf("right\n");
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
