// SPDX-License-Identifier: BSD-3-Clause
// What the drop-in costs a call that it leaves alone: MPI_... and PMPI_..., in turns within one run, best of many.
//
//     mpiexec -n 1 env LD_PRELOAD=.../liblaconic-mpi.so ./overhead
#include <mpi.h>

#include <algorithm>
#include <cstdio>

namespace {

constexpr int rounds = 200;
constexpr int calls = 2000;

template <class F>
double nanoseconds(F call) {
  const double begin = MPI_Wtime();
  for (int k = 0; k < calls; ++k) call();
  return (MPI_Wtime() - begin) / calls * 1e9;
}

template <class A, class B>
void compare(const char* name, A ours, B plain) {
  double best_ours = 1e9;
  double best_plain = 1e9;
  for (int k = 0; k < rounds; ++k) {
    best_plain = std::min(best_plain, nanoseconds(plain));
    best_ours = std::min(best_ours, nanoseconds(ours));
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-24s PMPI %8.1f ns  MPI %8.1f ns  difference %+6.1f ns\n", name, best_plain, best_ours,
                best_ours - best_plain);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double x = 1;
  double y = 0;
  int flag = 0;
  const MPI_Comm comm = MPI_COMM_WORLD;
  compare(
      "Allreduce of 8 bytes", [&] { MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); },
      [&] { PMPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); });
  compare(
      "Bcast of 8 bytes", [&] { MPI_Bcast(&x, 1, MPI_DOUBLE, 0, comm); },
      [&] { PMPI_Bcast(&x, 1, MPI_DOUBLE, 0, comm); });
  MPI_Request request = MPI_REQUEST_NULL;
  compare(
      "Test of a null request", [&] { MPI_Test(&request, &flag, MPI_STATUS_IGNORE); },
      [&] { PMPI_Test(&request, &flag, MPI_STATUS_IGNORE); });
  compare(
      "Isend to no one, Wait",
      [&] {
        MPI_Isend(&x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      },
      [&] {
        PMPI_Isend(&x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
      });
  MPI_Finalize();
  return 0;
}
