// SPDX-License-Identifier: BSD-3-Clause
// For the functions of MPI's that this library stands in front of.
#pragma once

#define LACONIC_EXPORT extern "C" __attribute__((visibility("default")))

// Where the program called the function that says this.
#define LACONIC_SITE __builtin_return_address(0)

// By both of MPI's names: a call of PMPI_Name does the same as one of MPI_Name.
#define LACONIC_ALIAS(name) \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) decltype(PMPI_##name) PMPI_##name;
#define LACONIC_ALSO_AS_PMPI(name) LACONIC_ALIAS(name)
