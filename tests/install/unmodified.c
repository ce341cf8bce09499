/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of Laconic. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { count = 100000 };
  int rank = 0, size = 0;
  double worst = 0, most = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* mine = malloc(count * sizeof *mine);
  double* sum = malloc(count * sizeof *sum);
  for (int k = 0; k < count; ++k) mine[k] = sin(1e-3 * k) + rank;
  MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int k = 0; k < count; ++k) worst = fmax(worst, fabs(sum[k] - (size * sin(1e-3 * k) + 0.5 * size * (size - 1))));
  MPI_Reduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  /* Compressed numbers are off by more than rounding would be. */
  if (rank == 0) printf("error %.2e: %s\n", most, most <= 1e-3 && most > 1e-9 ? "within the bound" : "wrong");
  free(mine);
  free(sum);
  MPI_Finalize();
  return 0;
}
