// SPDX-License-Identifier: BSD-3-Clause
// MPI's own functions, for those whose PMPI names this library replaces, too. Bindings and tools call the PMPI names,
// and a compressed message must never match a receive that bypasses this library (docs/design/0013).
#pragma once

#include <mpi.h>

// clang-format off
#if MPI_VERSION >= 4
#define LACONIC_OF_MPI_4(X)                                                                                         \
  X(Send_c) X(Ssend_c) X(Rsend_c) X(Isend_c) X(Issend_c) X(Irsend_c) X(Send_init_c) X(Ssend_init_c) X(Rsend_init_c) \
  X(Recv_c) X(Irecv_c) X(Recv_init_c) X(Mrecv_c) X(Imrecv_c) X(Sendrecv_c) X(Sendrecv_replace_c)                    \
  X(Isendrecv) X(Isendrecv_c) X(Isendrecv_replace) X(Isendrecv_replace_c)
#else
#define LACONIC_OF_MPI_4(X)
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define LACONIC_HAS_STATUS_OF_MANY 1
#define LACONIC_OF_MPI_4_1(X) X(Request_get_status_all) X(Request_get_status_any) X(Request_get_status_some)
#else
#define LACONIC_HAS_STATUS_OF_MANY 0
#define LACONIC_OF_MPI_4_1(X)
#endif

#define LACONIC_MESSAGE_FUNCTIONS(X)                                                              \
  X(Send) X(Ssend) X(Rsend) X(Isend) X(Issend) X(Irsend) X(Send_init) X(Ssend_init) X(Rsend_init) \
  X(Recv) X(Irecv) X(Recv_init) X(Mrecv) X(Imrecv) X(Sendrecv) X(Sendrecv_replace)                \
  X(Probe) X(Iprobe) X(Mprobe) X(Improbe)                                                         \
  LACONIC_OF_MPI_4(X)

#define LACONIC_REQUEST_FUNCTIONS(X)                                                  \
  X(Wait) X(Test) X(Waitall) X(Testall) X(Waitany) X(Testany) X(Waitsome) X(Testsome) \
  X(Request_get_status) X(Request_free) X(Cancel) X(Start) X(Startall)                \
  X(Comm_disconnect) X(Finalize)                                                      \
  LACONIC_OF_MPI_4_1(X)
// clang-format on

namespace laconic::dropin::mpi {

#define LACONIC_DECLARE(name) extern decltype(&PMPI_##name) const name;
LACONIC_MESSAGE_FUNCTIONS(LACONIC_DECLARE)
LACONIC_REQUEST_FUNCTIONS(LACONIC_DECLARE)
#undef LACONIC_DECLARE

// An address in the code of the MPI library.
const void* code();

// True if every call that receives a message passes through this library, whether made by the program, its bindings or
// its tools. Otherwise `why` names the obstacle.
bool sees_all_receives(const char*& why);

}  // namespace laconic::dropin::mpi
