// SPDX-License-Identifier: BSD-3-Clause
// Fortran bindings for initialisation, MPI_Abort and hints that would bypass MPI's C functions: all of Open MPI's,
// and those of MPICH's `mpi_f08` without buffer arguments. They behave as the C functions do. Bindings for requests and
// messages need no replacement, because they call the C functions by their PMPI names, which are intercepted.
#include <mpi.h>

#include "mpi/exports.hpp"
#include "mpi/fortran.hpp"

using namespace laconic::dropin;
using namespace laconic::dropin::fortran;

namespace laconic::dropin::fortran {

void* behind(const char* name) {
  if (void* function = dlsym(RTLD_NEXT, name); function != nullptr) return function;
  for (const char* library : {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_mpifh.so", "libmpi_usempif08.so",
                              "libmpifort.so.12", "libmpichfort.so.12"})
    if (void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr)
      if (void* function = dlsym(handle, name); function != nullptr) return function;
  return nullptr;
}

}  // namespace laconic::dropin::fortran

namespace {

int number(const void* argument) { return *static_cast<const int*>(argument); }
MPI_Comm comm_of(const void* argument) { return PMPI_Comm_f2c(*static_cast<const MPI_Fint*>(argument)); }
MPI_Info info_of(const void* argument) { return PMPI_Info_f2c(*static_cast<const MPI_Fint*>(argument)); }

}  // namespace

// One body for both names of a binding, that of `mpi_f08` and the one before it.
#ifdef OPEN_MPI
#define LACONIC_FORTRAN(define, name, NAME) \
  define(LACONIC_SPELLED(name, NAME)) define(LACONIC_SPELLED(name##_f08, NAME##_F08))
#else
#define LACONIC_FORTRAN(define, name, NAME) define(LACONIC_SPELLED(name##_f08, NAME##_F08))
#endif

#define LACONIC_INIT(symbol) \
  LACONIC_EXPORT void symbol(MPI_Fint* error) { set(error, MPI_Init(nullptr, nullptr)); }
#define LACONIC_INIT_THREAD(symbol)                                            \
  LACONIC_EXPORT void symbol(void* required, int* provided, MPI_Fint* error) { \
    set(error, MPI_Init_thread(nullptr, nullptr, number(required), provided)); \
  }
#define LACONIC_QUERY_THREAD(symbol) \
  LACONIC_EXPORT void symbol(int* provided, MPI_Fint* error) { set(error, MPI_Query_thread(provided)); }
#define LACONIC_ABORT(symbol)                                           \
  LACONIC_EXPORT void symbol(void* comm, void* code, MPI_Fint* error) { \
    set(error, MPI_Abort(comm_of(comm), number(code)));                 \
  }
LACONIC_FORTRAN(LACONIC_INIT, init, INIT)
LACONIC_FORTRAN(LACONIC_INIT_THREAD, init_thread, INIT_THREAD)
LACONIC_FORTRAN(LACONIC_QUERY_THREAD, query_thread, QUERY_THREAD)
LACONIC_FORTRAN(LACONIC_ABORT, abort, ABORT)

#define LACONIC_SET_INFO(symbol)                                        \
  LACONIC_EXPORT void symbol(void* comm, void* info, MPI_Fint* error) { \
    set(error, MPI_Comm_set_info(comm_of(comm), info_of(info)));        \
  }
#define LACONIC_DUP_WITH_INFO(symbol)                                                        \
  LACONIC_EXPORT void symbol(void* comm, void* info, MPI_Fint* duplicate, MPI_Fint* error) { \
    MPI_Comm made = MPI_COMM_NULL;                                                           \
    const int code = MPI_Comm_dup_with_info(comm_of(comm), info_of(info), &made);            \
    if (code == MPI_SUCCESS) *duplicate = PMPI_Comm_c2f(made);                               \
    set(error, code);                                                                        \
  }
#if MPI_VERSION >= 4
#define LACONIC_IDUP_WITH_INFO(symbol)                                                                          \
  LACONIC_EXPORT void symbol(void* comm, void* info, MPI_Fint* duplicate, MPI_Fint* request, MPI_Fint* error) { \
    MPI_Comm made = MPI_COMM_NULL;                                                                              \
    MPI_Request begun = MPI_REQUEST_NULL;                                                                       \
    const int code = MPI_Comm_idup_with_info(comm_of(comm), info_of(info), &made, &begun);                      \
    if (code == MPI_SUCCESS) *duplicate = PMPI_Comm_c2f(made);                                                  \
    if (code == MPI_SUCCESS) *request = PMPI_Request_c2f(begun);                                                \
    set(error, code);                                                                                           \
  }
LACONIC_FORTRAN(LACONIC_IDUP_WITH_INFO, comm_idup_with_info, COMM_IDUP_WITH_INFO)
#endif
#define LACONIC_GET_INFO(symbol)                                            \
  LACONIC_EXPORT void symbol(void* comm, MPI_Fint* info, MPI_Fint* error) { \
    MPI_Info made = MPI_INFO_NULL;                                          \
    const int code = MPI_Comm_get_info(comm_of(comm), &made);               \
    if (code == MPI_SUCCESS) *info = PMPI_Info_c2f(made);                   \
    set(error, code);                                                       \
  }
LACONIC_FORTRAN(LACONIC_SET_INFO, comm_set_info, COMM_SET_INFO)
LACONIC_FORTRAN(LACONIC_DUP_WITH_INFO, comm_dup_with_info, COMM_DUP_WITH_INFO)
LACONIC_FORTRAN(LACONIC_GET_INFO, comm_get_info, COMM_GET_INFO)
