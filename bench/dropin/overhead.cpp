// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of the drop-in for a call that it passes on unchanged: MPI_... and MPI's own function take turns in
// one run, and the best of many rounds counts. For messages and requests the drop-in also defines the PMPI_ names, so
// MPI's own functions are looked up in its library.
//
//     mpiexec -n 1 env LD_PRELOAD=.../liblaconic-mpi.so ./overhead
//     mpiexec -n 2 env LD_PRELOAD=.../liblaconic-mpi.so LACONIC_BOUND=abs:1e-3 LACONIC_EXCLUDE=all ./overhead
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "mpis_own.hpp"

namespace {

constexpr int rounds = 1000;
constexpr double round_time = 1e5;  // nanoseconds; short, so that many rounds run without interruption

template <class F>
double nanoseconds(F call, int calls) {
  const double begin = MPI_Wtime();
  for (int k = 0; k < calls; ++k) call();
  return (MPI_Wtime() - begin) / calls * 1e9;
}

// The number of calls that rank 0 makes in a round; all ranks have to make the same number.
template <class F>
int calls_in_a_round(F call) {
  double best = 1e9;
  for (int k = 0; k < 20; ++k) best = std::min(best, nanoseconds(call, 20));
  int calls = static_cast<int>(std::clamp(round_time / best, 5.0, 5000.0));
  PMPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return calls;
}

template <class A, class B>
void compare(const char* name, A ours, B plain) {
  const int calls = calls_in_a_round(plain);
  double best_ours = 1e9;
  double best_plain = 1e9;
  for (int k = 0; k < rounds; ++k) {
    best_plain = std::min(best_plain, nanoseconds(plain, calls));
    best_ours = std::min(best_ours, nanoseconds(ours, calls));
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-24s itself %8.1f ns  with the drop-in %8.1f ns  difference %+6.1f ns  (%d rounds of %d calls)\n",
                name, best_plain, best_ours, best_ours - best_plain, rounds, calls);
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
  const auto test = ITSELF(Test);
  const auto isend = ITSELF(Isend);
  const auto irecv = ITSELF(Irecv);
  const auto wait = ITSELF(Wait);
  MPI_Request request = MPI_REQUEST_NULL;
  compare(
      "Test of a null request", [&] { MPI_Test(&request, &flag, MPI_STATUS_IGNORE); },
      [&] { test(&request, &flag, MPI_STATUS_IGNORE); });
  compare(
      "Isend to no one, Wait",
      [&] {
        MPI_Isend(&x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      },
      [&] {
        isend(&x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &request);
        wait(&request, MPI_STATUS_IGNORE);
      });
  // Messages of 1 KiB, which the drop-in inspects on arrival if LACONIC_P2P is set.
  double out[128] = {};
  double in[128] = {};
  MPI_Request send = MPI_REQUEST_NULL;
  compare(
      "1 KiB to itself",
      [&] {
        MPI_Irecv(in, 128, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
        MPI_Isend(out, 128, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      },
      [&] {
        irecv(in, 128, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
        isend(out, 128, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &send);
        wait(&send, MPI_STATUS_IGNORE);
        wait(&request, MPI_STATUS_IGNORE);
      });
  MPI_Finalize();
  return 0;
}
