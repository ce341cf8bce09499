// SPDX-License-Identifier: BSD-3-Clause
// Includes the file LACONIC_DEFINITIONS for int counts and, from MPI 4 on, for MPI_Count. The file defines functions of
// MPI by LACONIC_NAME(name), whose counts are LACONIC_COUNT and whose displacements, in items or bytes, LACONIC_DISPL.

#define LACONIC_NAME(name) name
#define LACONIC_COUNT int
#define LACONIC_DISPL int
#include LACONIC_DEFINITIONS
#undef LACONIC_NAME
#undef LACONIC_COUNT
#undef LACONIC_DISPL

#if MPI_VERSION >= 4
#define LACONIC_NAME(name) name##_c
#define LACONIC_COUNT MPI_Count
#define LACONIC_DISPL MPI_Aint
#include LACONIC_DEFINITIONS
#undef LACONIC_NAME
#undef LACONIC_COUNT
#undef LACONIC_DISPL
#endif

#undef LACONIC_DEFINITIONS
