// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#ifdef OPEN_MPI

#include "call/arguments.hpp"
#include "calls/call.hpp"
#include "mpi/exports.hpp"
#include "mpi/fortran.hpp"

using namespace laconic::dropin;
using namespace laconic::dropin::fortran;

// Parameter and argument lists of the bindings, by length.
#define P4 void *a, void *b, void *c, void *d
#define P5 P4, void* e
#define P6 P5, void* f
#define P7 P6, void* g
#define P8 P7, void* h
#define A4 a, b, c, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h

#define LACONIC_DESCRIBE(name) \
  [](Call& call, auto... values) { laconic::set_arguments<laconic::Routine::name>(call, values...); }

#define LACONIC_FORTRAN_AS(symbol, isymbol, name, n, ...)                                                              \
  LACONIC_EXPORT void symbol(P##n, void* comm, MPI_Fint* error) {                                                      \
    static void* const next = behind(#symbol);                                                                         \
    blocking<__VA_ARGS__>(next, Operation::name, LACONIC_DESCRIBE(name), LACONIC_SITE, error, comm, A##n);             \
  }                                                                                                                    \
  LACONIC_EXPORT void isymbol(P##n, void* comm, void* request, MPI_Fint* error) {                                      \
    static void* const next = behind(#isymbol);                                                                        \
    nonblocking<__VA_ARGS__>(next, Operation::name, LACONIC_DESCRIBE(name), LACONIC_SITE, error, comm, request, A##n); \
  }

// Compilers append different suffixes to names; the first line is gfortran's.
#define LACONIC_FORTRAN(name, n, ...)                                       \
  LACONIC_FORTRAN_AS(mpi_##name##_, mpi_i##name##_, name, n, __VA_ARGS__)   \
  LACONIC_FORTRAN_AS(mpi_##name##__, mpi_i##name##__, name, n, __VA_ARGS__) \
  LACONIC_FORTRAN_AS(mpi_##name, mpi_i##name, name, n, __VA_ARGS__)         \
  LACONIC_FORTRAN_AS(mpi_##name##_f08_, mpi_i##name##_f08_, name, n, __VA_ARGS__)

LACONIC_FORTRAN(allreduce, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(reduce, 6, Buffer, Buffer, Number, Type, Op, Number)
LACONIC_FORTRAN(reduce_scatter, 5, Buffer, Buffer, Array, Type, Op)
LACONIC_FORTRAN(reduce_scatter_block, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(bcast, 4, Buffer, Number, Type, Number)
LACONIC_FORTRAN(allgather, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(allgatherv, 7, Buffer, Number, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(scatter, 7, Buffer, Number, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(scatterv, 8, Buffer, Array, Array, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(gather, 7, Buffer, Number, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(gatherv, 8, Buffer, Number, Type, Buffer, Array, Array, Type, Number)
LACONIC_FORTRAN(alltoall, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(alltoallv, 8, Buffer, Array, Array, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(scan, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(exscan, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(neighbor_allgather, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(neighbor_allgatherv, 7, Buffer, Number, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(neighbor_alltoall, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(neighbor_alltoallv, 8, Buffer, Array, Array, Type, Buffer, Array, Array, Type)

#endif
