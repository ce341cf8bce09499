// SPDX-License-Identifier: BSD-3-Clause
// Two tasks: keeping "laconic_..." hints of communicators, which MPI libraries may drop, and hiding errors of Laconic
// that must not reach the program's error handler.
#include <mpi.h>

#include "calls/dispatch.hpp"
#include "core/communicator.hpp"
#include "core/process.hpp"
#include "mpi/exports.hpp"

using namespace laconic::dropin;

LACONIC_EXPORT int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  const int code = PMPI_Comm_set_info(comm, info);
  if (code != MPI_SUCCESS || !Process::instance().running() || from_library(LACONIC_SITE)) return code;
  Communicator::of(comm).set_hints(info);
  return code;
}

LACONIC_EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* duplicate) {
  const int code = PMPI_Comm_dup_with_info(comm, info, duplicate);
  if (code != MPI_SUCCESS || !Process::instance().running() || from_library(LACONIC_SITE)) return code;
  Communicator::of(*duplicate).set_hints(info);
  return code;
}

#if MPI_VERSION >= 4
// MPI copies the attributes within this call, and with them our state of the original communicator. The hints for the
// duplicate must therefore be set before it.
LACONIC_EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* duplicate, MPI_Request* request) {
  if (comm == MPI_COMM_NULL || !Process::instance().running() || from_library(LACONIC_SITE))
    return PMPI_Comm_idup_with_info(comm, info, duplicate, request);
  Communicator& original = Communicator::of(comm);
  original.set_hints_of_duplicate(info);
  const int code = PMPI_Comm_idup_with_info(comm, info, duplicate, request);
  if (code != MPI_SUCCESS) original.no_duplicate();
  return code;
}
#endif

LACONIC_EXPORT int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info) {
  const int code = PMPI_Comm_get_info(comm, info);
  if (code != MPI_SUCCESS || !Process::instance().running() || from_library(LACONIC_SITE)) return code;
  for (const auto& [name, value] : Communicator::of(comm).hints())
    PMPI_Info_set(*info, ("laconic_" + name).c_str(), value.c_str());
  return code;
}

LACONIC_EXPORT int MPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  if (from_library(LACONIC_SITE) && Quiet::here()) return MPI_SUCCESS;
  return PMPI_Comm_call_errhandler(comm, code);
}
