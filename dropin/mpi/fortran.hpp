// SPDX-License-Identifier: BSD-3-Clause
// Support for Fortran bindings that call PMPI functions and so bypass MPI's C functions: all of Open MPI's, and some of
// MPICH's `mpi_f08`. Bindings take every argument by address. Those of `mpi_f08` have separate names, and their error
// argument is null if the program omits it.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstddef>
#include <utility>

#include "calls/intercept.hpp"
#include "core/process.hpp"

#ifdef OPEN_MPI
// Variables of Open MPI's library whose addresses represent MPI_IN_PLACE and MPI_BOTTOM in Fortran.
extern "C" {
extern int mpi_fortran_in_place_;
extern int mpi_fortran_bottom_;
}
#endif

// MPI_NAME as the Fortran compiler of the programs spells it. Other spellings are not defined, though MPI libraries
// have them: a program may have functions of these names, whose place a preloaded library would take.
#if LACONIC_FORTRAN_SPELLING == 0
#define LACONIC_SPELLED(name, NAME) mpi_##name##_
#elif LACONIC_FORTRAN_SPELLING == 1
#define LACONIC_SPELLED(name, NAME) mpi_##name##__
#elif LACONIC_FORTRAN_SPELLING == 2
#define LACONIC_SPELLED(name, NAME) mpi_##name
#else
#define LACONIC_SPELLED(name, NAME) MPI_##NAME
#endif

namespace laconic::dropin::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are used as they are");

// The original binding of this name. It may be in a library that was loaded only for a plugin.
void* behind(const char* name);

#ifdef OPEN_MPI
inline void* buffer_of(void* argument) {
  if (argument == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return argument == &mpi_fortran_bottom_ ? MPI_BOTTOM : argument;
}

// Conversions of Fortran arguments to C.
struct Buffer {
  static void* of(void* argument) { return buffer_of(argument); }
};
struct Number {
  static int of(void* argument) { return *static_cast<int*>(argument); }
};
struct Array {
  static const int* of(void* argument) { return static_cast<const int*>(argument); }
};
struct Type {
  static MPI_Datatype of(void* argument) { return PMPI_Type_f2c(*static_cast<MPI_Fint*>(argument)); }
};
struct Op {
  static MPI_Op of(void* argument) { return PMPI_Op_f2c(*static_cast<MPI_Fint*>(argument)); }
};
#endif

inline void set(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

// Calls the original binding, which takes only addresses.
template <class... Address>
int original(void* function, Address... arguments) {
  if (function == nullptr) return MPI_ERR_INTERN;
  MPI_Fint error = MPI_SUCCESS;
  reinterpret_cast<void (*)(Address..., MPI_Fint*)>(function)(arguments..., &error);
  return error;
}

// Intercepts a collective. Kind... are the kinds of the arguments before the communicator.
template <class... Kind, class Describe, class... Address>
void blocking(void* next, Operation operation, Describe describe, const void* site, MPI_Fint* error, void* comm,
              Address... arguments) {
  const auto plain = [&] { return original<Address..., void*>(next, arguments..., comm); };
  if (!watched(operation)) return set(error, plain());
  Call call;
  call.operation = operation;
  call.comm = PMPI_Comm_f2c(*static_cast<MPI_Fint*>(comm));
  call.site = site;
  describe(call, Kind::of(arguments)...);
  set(error, intercept(call, plain));
}

template <class... Kind, class Describe, class... Address>
void nonblocking(void* next, Operation operation, Describe describe, const void* site, MPI_Fint* error, void* comm,
                 void* request, Address... arguments) {
  bool made_by_mpi = false;
  const auto plain = [&] {
    made_by_mpi = true;
    return original<Address..., void*, void*>(next, arguments..., comm, request);
  };
  if (!watched(operation, Form::nonblocking)) return set(error, plain());
  MPI_Request made = MPI_REQUEST_NULL;
  Call call;
  call.operation = operation;
  call.form = Form::nonblocking;
  call.comm = PMPI_Comm_f2c(*static_cast<MPI_Fint*>(comm));
  call.request = &made;
  call.site = site;
  describe(call, Kind::of(arguments)...);
  const int code = intercept(call, plain);
  if (!made_by_mpi && code == MPI_SUCCESS) *static_cast<MPI_Fint*>(request) = PMPI_Request_c2f(made);
  set(error, code);
}

}  // namespace laconic::dropin::fortran
