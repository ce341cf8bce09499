/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of several operations, types and sizes on communicators with several names. Rank 0 prints the largest error of
 * each, of all ranks, against what MPI itself does with the same data. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { small = 2000, large = 40000, most_ranks = 8 };

static int rank, size;

static double number_of(int of_rank, int k) {
  return 0.0073105857863 * (k % 211) * (2 + of_rank % 3) + 0.001 * (k % 7);
}
static double number(int k) { return number_of(rank, k); }

static void print(const char* name, double error) {
  double most = 0;
  PMPI_Reduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("error %s %.9g\n", name, most);
}

static double distance(const double* a, const double* b, int count) {
  double most = 0;
  for (int k = 0; k < count; ++k)
    if (fabs(a[k] - b[k]) > most) most = fabs(a[k] - b[k]);
  return most;
}

static void sum(const char* name, int count, MPI_Comm comm) {
  static double mine[large], got[large], right[large];
  for (int k = 0; k < count; ++k) mine[k] = number(k);
  PMPI_Allreduce(mine, right, count, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(mine, got, count, MPI_DOUBLE, MPI_SUM, comm);
  print(name, distance(got, right, count));
}

static void sum_of_floats(const char* name) {
  static float mine[small], got[small], right[small];
  for (int k = 0; k < small; ++k) mine[k] = (float)number(k);
  PMPI_Allreduce(mine, right, small, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(mine, got, small, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  double most = 0;
  for (int k = 0; k < small; ++k)
    if (fabs(got[k] - right[k]) > most) most = fabs(got[k] - right[k]);
  print(name, most);
}

/* Messages are compressed by their PMPI names, too. */
static void ring(const char* name) {
  static double mine[small], got[small], right[small];
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int k = 0; k < small; ++k) mine[k] = number(k), right[k] = number_of(before, k);
  MPI_Sendrecv(mine, small, MPI_DOUBLE, next, 2, got, small, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  print(name, distance(got, right, small));
}

/* Every rank has as many numbers for each other rank, and rank 0 more, so that ranks see different sizes. */
static void exchange(const char* name, MPI_Comm comm) {
  static int sends[2 * most_ranks], recvs[2 * most_ranks];
  static double out[2 * small * most_ranks], got[2 * small * most_ranks], right[2 * small * most_ranks];
  const int mine = rank == 0 ? 2 * small : small;
  int total = 0;
  for (int r = 0; r < size; ++r) {
    sends[r] = mine;
    sends[size + r] = r * mine;
    recvs[r] = r == 0 ? 2 * small : small;
    recvs[size + r] = total;
    total += recvs[r];
  }
  for (int k = 0; k < mine * size; ++k) out[k] = number(k);
  PMPI_Alltoallv(out, sends, sends + size, MPI_DOUBLE, right, recvs, recvs + size, MPI_DOUBLE, comm);
  MPI_Alltoallv(out, sends, sends + size, MPI_DOUBLE, got, recvs, recvs + size, MPI_DOUBLE, comm);
  print(name, distance(got, right, total));
}

static void broadcast(const char* name, int nonblocking) {
  static double got[small], right[small];
  for (int k = 0; k < small; ++k) got[k] = right[k] = number(k);
  PMPI_Bcast(right, small, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (nonblocking) {
    MPI_Request request;
    MPI_Ibcast(got, small, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Bcast(got, small, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  print(name, distance(got, right, small));
}

/* Ordinary numbers, from -0.5 to 0.5, and among them one that is a billion times as large. */
static void spoil(int of_rank, double* x) {
  for (int k = 0; k < small; ++k) x[k] = 0.5 - 0.00073105857863 * (k * (of_rank + 7) % 1367);
  x[small / 3] = 1e9;
}

static void spoilt_calls(void) {
  static double mine[small], got[small * most_ranks], right[small * most_ranks];
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  spoil(rank, mine);
  spoil(before, right);
  MPI_Sendrecv(mine, small, MPI_DOUBLE, next, 2, got, small, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  print("spoilt_send", distance(got, right, small));
  PMPI_Allgather(mine, small, MPI_DOUBLE, right, small, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(mine, small, MPI_DOUBLE, got, small, MPI_DOUBLE, MPI_COMM_WORLD);
  print("spoilt_allgather", distance(got, right, small * size));
  spoil(rank, got);
  spoil(0, right);
  MPI_Bcast(got, small, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  print("spoilt_bcast", distance(got, right, small));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > most_ranks) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm fft, named_by_some;
  MPI_Comm_dup(MPI_COMM_WORLD, &fft);
  MPI_Comm_set_name(fft, "fft");
  MPI_Comm_dup(MPI_COMM_WORLD, &named_by_some);
  MPI_Comm_set_name(named_by_some, rank == 0 ? "fft" : "grid");
  for (int round = 0; round < 3; ++round) {
    ring("send");
    sum("allreduce", small, MPI_COMM_WORLD);
    sum("allreduce_large", large, MPI_COMM_WORLD);
    sum("allreduce_fft", small, fft);
    sum("allreduce_named_by_some", small, named_by_some);
    sum_of_floats("allreduce_float");
    exchange("alltoallv", MPI_COMM_WORLD);
    exchange("alltoallv_fft", fft);
    broadcast("bcast", 0);
    broadcast("ibcast", 1);
    spoilt_calls();
  }
  MPI_Comm_free(&fft);
  MPI_Comm_free(&named_by_some);
  MPI_Finalize();
  return 0;
}
