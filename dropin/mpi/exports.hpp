// SPDX-License-Identifier: BSD-3-Clause
// Macros for definitions of MPI functions that replace MPI's own.
#pragma once

#define LACONIC_EXPORT extern "C" __attribute__((visibility("default")))

// The return address of the current function: the place in the program that called it.
#define LACONIC_SITE __builtin_return_address(0)

// Defines PMPI_Name as an alias of MPI_Name, so that a call of either name is intercepted.
#define LACONIC_ALIAS(name) \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) decltype(PMPI_##name) PMPI_##name;
#define LACONIC_ALSO_AS_PMPI(name) LACONIC_ALIAS(name)
