/* SPDX-License-Identifier: BSD-3-Clause
 * Programs that end in ways of their own: with MPI_Finalize, without it, by MPI_Abort while others are in a collective.
 * In C, and started by MPI_Init. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 4000 };

int main(int argc, char** argv) {
  static double mine[count];
  static double got[count];
  static double right[count];
  const char* ending = argc > 1 ? argv[argc - 1] : "";
  const double bound = argc > 2 && strcmp(argv[1], "within") == 0 ? atof(argv[2]) : 0;
  int rank = 0;
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < count; ++k) mine[k] = (k % 100 + rank) / 1024.0;
  PMPI_Allreduce(mine, right, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine, got, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < count; ++k)
    if (!(fabs(got[k] - right[k]) <= bound)) {
      fprintf(stderr, "rank %d: element %d is %g, not %g\n", rank, k, got[k], right[k]);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
  if (rank == 0) printf("results are right\n");
  fflush(stdout);
  if (strcmp(ending, "none") == 0) {
    /* The first that leaves ends the job, and its launcher may end rank 0 before that has had its say. */
    if (rank != 0) sleep(2);
    exit(0);
  }
  if (strcmp(ending, "abort") == 0) {
    if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Allreduce(mine, got, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
