// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end: MPI_Init and its kin, and what ends a program.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "lifetime.hpp"
#include "process.hpp"

using namespace laconic::dropin;

#define LACONIC_EXPORT extern "C" __attribute__((visibility("default")))

namespace laconic::dropin {

void started() {
  Process::instance().start();
  // Of a program that ends without MPI_Finalize, rank 0 says what it knows.
  std::atexit([] { Process::instance().give_up(); });
}

}  // namespace laconic::dropin

LACONIC_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) started();
  return code;
}

LACONIC_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) started();
  return code;
}

LACONIC_EXPORT int MPI_Finalize(void) {
  Process::instance().finish();
  return PMPI_Finalize();
}

LACONIC_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  Process::instance().give_up();
  return PMPI_Abort(comm, code);
}
