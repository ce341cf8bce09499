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

// The arguments of LACONIC_FORTRAN_AS become strings there, so they are spelled before.
#define LACONIC_FORTRAN_SPELLED(...) LACONIC_FORTRAN_AS(__VA_ARGS__)
#define LACONIC_FORTRAN(name, NAME, n, ...)                                                                       \
  LACONIC_FORTRAN_SPELLED(LACONIC_SPELLED(name, NAME), LACONIC_SPELLED(i##name, I##NAME), name, n, __VA_ARGS__)   \
  LACONIC_FORTRAN_SPELLED(LACONIC_SPELLED(name##_f08, NAME##_F08), LACONIC_SPELLED(i##name##_f08, I##NAME##_F08), \
                          name, n, __VA_ARGS__)

LACONIC_FORTRAN(allreduce, ALLREDUCE, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(reduce, REDUCE, 6, Buffer, Buffer, Number, Type, Op, Number)
LACONIC_FORTRAN(reduce_scatter, REDUCE_SCATTER, 5, Buffer, Buffer, Array, Type, Op)
LACONIC_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(bcast, BCAST, 4, Buffer, Number, Type, Number)
LACONIC_FORTRAN(allgather, ALLGATHER, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(allgatherv, ALLGATHERV, 7, Buffer, Number, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(scatter, SCATTER, 7, Buffer, Number, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(scatterv, SCATTERV, 8, Buffer, Array, Array, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(gather, GATHER, 7, Buffer, Number, Type, Buffer, Number, Type, Number)
LACONIC_FORTRAN(gatherv, GATHERV, 8, Buffer, Number, Type, Buffer, Array, Array, Type, Number)
LACONIC_FORTRAN(alltoall, ALLTOALL, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(alltoallv, ALLTOALLV, 8, Buffer, Array, Array, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(scan, SCAN, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(exscan, EXSCAN, 5, Buffer, Buffer, Number, Type, Op)
LACONIC_FORTRAN(neighbor_allgather, NEIGHBOR_ALLGATHER, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 7, Buffer, Number, Type, Buffer, Array, Array, Type)
LACONIC_FORTRAN(neighbor_alltoall, NEIGHBOR_ALLTOALL, 6, Buffer, Number, Type, Buffer, Number, Type)
LACONIC_FORTRAN(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 8, Buffer, Array, Array, Type, Buffer, Array, Array, Type)

#endif
