// SPDX-License-Identifier: BSD-3-Clause
// The time that a call of a collective spends on the addresses of its buffers, compared with a copy of the smallest
// data that are compressed by default.  README.md says how to build and run it.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "comm/collectives/shape.hpp"

namespace {

using laconic::CollectiveCall;
using laconic::Routine;
using laconic::Shape;

constexpr std::size_t bytes = 65536;
constexpr int rounds = 15;

struct Quartiles {
  double low, median, high;
};

// The nanoseconds of one call of f.
template <class F>
Quartiles time_of(int calls, F f) {
  std::vector<double> all;
  for (int r = 0; r < rounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) f();
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    all.push_back(passed.count() / calls);
  }
  std::sort(all.begin(), all.end());
  return {all[rounds / 4], all[rounds / 2], all[rounds - 1 - rounds / 4]};
}

void report(const char* what, int ranks, const CollectiveCall& call, double copy) {
  const Shape shape(call, 0, ranks);
  const auto t = time_of(20000, [&] {
    asm volatile("" : : "r"(&call), "r"(&shape) : "memory");
    if (!shape.check_apart().ok()) std::abort();
  });
  std::printf("%-10s %5d ranks %9.1f ns (%.1f to %.1f), %6.2f %% of the copy\n", what, ranks, t.median, t.low, t.high,
              100 * t.median / copy);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<float> from(bytes / sizeof(float), 1);
  std::vector<float> to(from.size(), 2);
  const auto copy = time_of(2000, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  std::printf("memcpy of %zu bytes %.0f ns (%.0f to %.0f)\n", bytes, copy.median, copy.low, copy.high);
  for (const int ranks : {2, 128, 1024}) {
    const MPI_Count part = static_cast<MPI_Count>(from.size()) / ranks;
    const std::vector<MPI_Count> counts(static_cast<std::size_t>(ranks), part);
    std::vector<MPI_Aint> displs;
    for (int p = 0; p < ranks; ++p) displs.push_back(static_cast<MPI_Aint>(p * part));
    CollectiveCall call;
    call.comm = MPI_COMM_WORLD;
    call.op = MPI_SUM;
    call.routine = Routine::allreduce;
    call.send = {from.data(), static_cast<MPI_Count>(from.size()), nullptr, nullptr, MPI_FLOAT};
    call.recv = {to.data(), static_cast<MPI_Count>(from.size()), nullptr, nullptr, MPI_FLOAT};
    report("allreduce", ranks, call, copy.median);
    call.routine = Routine::alltoall;
    call.send.count = call.recv.count = part;
    report("alltoall", ranks, call, copy.median);
    call.routine = Routine::alltoallv;
    call.send = {from.data(), 0, counts.data(), displs.data(), MPI_FLOAT};
    call.recv = {to.data(), 0, counts.data(), displs.data(), MPI_FLOAT};
    report("alltoallv", ranks, call, copy.median);
  }
  MPI_Finalize();
}
