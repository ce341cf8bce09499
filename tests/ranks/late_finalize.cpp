// SPDX-License-Identifier: BSD-3-Clause
// MPI_Finalize from the destructor of a global object, as libraries that wrap MPI do it: by then objects that were made
// during the calls are gone.
#include <cstdio>
#include <vector>

#include "laconic/laconic.h"

namespace {

struct Environment {
  Environment() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  ~Environment() { MPI_Finalize(); }
} environment;

}  // namespace

int main() {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm never_freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &never_freed);
  int wrong = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    std::vector<double> x(5000, 0.5);
    laconic_options o;
    laconic_options_init(&o);
    o.bound = {LACONIC_BOUND_ABS, 1e-3};
    o.min_bytes = 1;
    o.threads = threads;
    wrong += laconic_allreduce(MPI_IN_PLACE, x.data(), 5000, MPI_DOUBLE, LACONIC_AVG,
                               threads == 1 ? never_freed : MPI_COMM_WORLD, &o) != MPI_SUCCESS;
    for (const double v : x) wrong += !(v > 0.4989 && v < 0.5011);
  }
  if (rank == 0) std::printf("late_finalize: %s, %d ranks\n", wrong ? "FAILED" : "ok", size);
  return wrong != 0;
}
