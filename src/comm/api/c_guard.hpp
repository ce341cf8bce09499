// SPDX-License-Identifier: BSD-3-Clause
// The entry of the C API functions: exceptions (in practice: no memory for a small allocation) end here as error codes.
#pragma once

#include <mpi.h>

#include <new>
#include <string>

#include "base/status.hpp"
#include "comm/core/errors.hpp"

namespace laconic {

// Runs body, which returns an MPI error code.
template <class Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    try {
      return report(comm, {Code::memory, "out of memory"});
    } catch (...) {
      return MPI_ERR_NO_MEM;
    }
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

inline Status null_argument(const char* name, const char* valid) {
  return {Code::argument, std::string(name) + " is NULL; valid is " + valid};
}

}  // namespace laconic
