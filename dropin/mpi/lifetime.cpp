// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end: MPI_Init, MPI_Init_thread, MPI_Finalize and MPI_Abort.
#include <laconic/laconic.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "core/process.hpp"
#include "messages/unexpected.hpp"
#include "mpi/exports.hpp"
#include "mpi/lifetime.hpp"
#include "mpi/mpi_itself.hpp"
#include "requests/progress.hpp"

using namespace laconic::dropin;

namespace laconic::dropin {
namespace {

// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, in the reverse order of their setting (MPI 4.1, 11.2.4),
// and callbacks of the program may still communicate. So Laconic's attribute is set first, then that of the drop-in,
// then those of the program.
void finish_in_finalize() {
  int ready = 0;
  laconic_comm_prepared(MPI_COMM_SELF, &ready);
  const auto finish = [](MPI_Comm, int, void*, void*) {
    Process::instance().finish();
    return MPI_SUCCESS;
  };
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
}

}  // namespace

void started() {
  finish_in_finalize();
  Process::instance().start();
  // If the program ends without MPI_Finalize, rank 0 prints its own report.
  std::atexit([] { Process::instance().give_up(); });
}

}  // namespace laconic::dropin

namespace {

int asked_level = MPI_THREAD_SINGLE;

}  // namespace

// Nonblocking and persistent operations need a thread that makes progress, and therefore MPI_THREAD_MULTIPLE. The
// program still sees the thread level that it asked for.
LACONIC_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const bool more = Process::instance().wants_thread() && required < MPI_THREAD_MULTIPLE;
  const int code = PMPI_Init_thread(argc, argv, more ? MPI_THREAD_MULTIPLE : required, provided);
  if (code != MPI_SUCCESS) return code;
  Process::instance().set_progresses(*provided >= MPI_THREAD_MULTIPLE);
  if (more) {
    *provided = std::min(*provided, required);
    Process::instance().set_raised();
  }
  asked_level = *provided;
  Gate::set_threads(asked_level >= MPI_THREAD_MULTIPLE);
  started();
  return code;
}

LACONIC_EXPORT int MPI_Init(int* argc, char*** argv) {
  if (Process::instance().wants_thread()) {
    int provided = 0;
    return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
  }
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) started();
  return code;
}

LACONIC_EXPORT int MPI_Query_thread(int* provided) {
  const int code = PMPI_Query_thread(provided);
  if (code == MPI_SUCCESS && Process::instance().raised()) *provided = std::min(*provided, asked_level);
  return code;
}

// The callbacks in MPI_Finalize need no thread. While one was polling in them, MPICH 5.0.2 at times failed to destroy a
// lock that was still held.
LACONIC_EXPORT int MPI_Finalize(void) {
  if (Process::instance().running()) {
    drain();
    stop_thread();
  }
  return mpi::Finalize();
}
LACONIC_ALSO_AS_PMPI(Finalize)

LACONIC_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  Process::instance().give_up();
  return PMPI_Abort(comm, code);
}
