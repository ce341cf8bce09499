// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi_itself.hpp"

#include <dlfcn.h>

namespace laconic::dropin::mpi {
namespace {

// The handle of the MPI library. RTLD_NEXT does not find a library that was loaded as a dependency of a plugin, so the
// library is located by one of its functions. Any function would do that no tool has a reason to replace.
void* library() {
  static void* const handle = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&PMPI_Get_library_version), &info) == 0) return RTLD_NEXT;
    void* found = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    return found != nullptr ? found : RTLD_NEXT;
  }();
  return handle;
}

void* find(const char* name) { return dlsym(library(), name); }

const void* object_of(const void* address) {
  Dl_info info{};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

#define LACONIC_DEFINE(name) \
  decltype(&PMPI_##name) const name = reinterpret_cast<decltype(&PMPI_##name)>(find("PMPI_" #name));
LACONIC_MESSAGE_FUNCTIONS(LACONIC_DEFINE)
LACONIC_REQUEST_FUNCTIONS(LACONIC_DEFINE)
#undef LACONIC_DEFINE

const void* code() { return reinterpret_cast<const void*>(Recv); }

bool sees_all_receives(const char*& why) {
  const void* own = object_of(reinterpret_cast<const void*>(&sees_all_receives));
  if (Recv == nullptr || object_of(code()) == own) {
    why = "MPI's own functions were not found";
    return false;
  }
  if (object_of(dlsym(RTLD_DEFAULT, "PMPI_Recv")) != own) {
    why = "another library stands in front of PMPI_Recv";
    return false;
  }
  // Calls within one library may be bound directly, so that replacing the symbol does not intercept them.
  const void* fortran = dlsym(RTLD_DEFAULT, "mpi_recv_");
  if (fortran != nullptr && object_of(fortran) == object_of(code())) {
    why = "this MPI has its Fortran bindings and its C functions in one library";
    return false;
  }
  return true;
}

}  // namespace laconic::dropin::mpi
