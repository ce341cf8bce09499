// SPDX-License-Identifier: BSD-3-Clause
// The cost of a profile for calls that take as long as memory or the network takes. Calls of MPI_... and of MPI's own
// function take turns in one run, so that other work on the machine slows both down alike.
//
//     laconic profile -- mpiexec -n 2 bench_dropin_profile
//
// The samples are in the times, and their sum is in the first line of the profile.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "mpis_own.hpp"

namespace {

using Numbers = std::vector<double>;

template <class Send, class Recv>
void ping_pong(Send* send, Recv* recv, int rank, const Numbers& mine, Numbers& other) {
  if (rank > 1) return;
  const int count = static_cast<int>(mine.size());
  if (rank == 0) send(mine.data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  recv(other.data(), count, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) send(mine.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

struct Times {
  std::vector<double> seconds;
  double sum() const {
    double all = 0;
    for (const double s : seconds) all += s;
    return all;
  }
  double quantile(double share) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
};

template <class A, class B>
void compare(const char* name, std::size_t bytes, int calls, A profiled, B plain) {
  Times ours;
  Times theirs;
  const auto time = [](auto call, Times& times) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    times.seconds.push_back(MPI_Wtime() - begin);
  };
  for (int k = 0; k < calls; ++k) {
    if (k % 2 == 0) time(plain, theirs);
    time(profiled, ours);
    if (k % 2 == 1) time(plain, theirs);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const auto percent = [](double a, double b) { return 100 * (a / b - 1); };
  std::printf(
      "%-9s %8zu bytes, %6d calls: plain %9.2f us, first decile %+.2f %%, quarter %+.2f %%, median %+.2f %%, sum %+.2f "
      "%%\n",
      name, bytes, calls, theirs.quantile(0.5) * 1e6, percent(ours.quantile(0.1), theirs.quantile(0.1)),
      percent(ours.quantile(0.25), theirs.quantile(0.25)), percent(ours.quantile(0.5), theirs.quantile(0.5)),
      percent(ours.sum(), theirs.sum()));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto send = itself(&MPI_Send, "MPI_Send");
  const auto recv = itself(&MPI_Recv, "MPI_Recv");
  for (const std::size_t bytes : {std::size_t{1} << 24, std::size_t{1} << 20, std::size_t{1} << 16}) {
    Numbers mine(bytes / sizeof(double));
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::sin(1e-3 * static_cast<double>(i));
    Numbers other(mine.size());
    const int count = static_cast<int>(mine.size());
    const int calls = static_cast<int>((std::size_t{1} << 31) / bytes);
    compare(
        "allreduce", bytes, calls,
        [&] { MPI_Allreduce(mine.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
        [&] { PMPI_Allreduce(mine.data(), other.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    compare(
        "ping-pong", bytes, calls, [&] { ping_pong(&MPI_Send, &MPI_Recv, rank, mine, other); },
        [&] { ping_pong(send, recv, rank, mine, other); });
  }
  MPI_Finalize();
  return 0;
}
