// SPDX-License-Identifier: BSD-3-Clause
// For functions of MPI's that this library stands in front of by both of their names: whoever calls PMPI_Name gets the
// same as who calls MPI_Name.
#pragma once

#define LACONIC_ALIAS(name) \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) decltype(PMPI_##name) PMPI_##name;
#define LACONIC_ALSO_AS_PMPI(name) LACONIC_ALIAS(name)
