// SPDX-License-Identifier: BSD-3-Clause
// MPI's own functions, beside those of the drop-in.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

// The function with this name in MPI's library.  For messages the drop-in also defines the PMPI_ names.
template <class F>
F* itself(F*, const char* name) {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&PMPI_Get_library_version), &info);
  void* library = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  void* found = library != nullptr ? dlsym(library, name) : nullptr;
  if (found == nullptr) std::fprintf(stderr, "%s was not found in MPI's library\n", name), std::exit(1);
  return reinterpret_cast<F*>(found);
}
#define ITSELF(name) itself(&PMPI_##name, "PMPI_" #name)
