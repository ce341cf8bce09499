// SPDX-License-Identifier: BSD-3-Clause
// Memory for what lives as long as a message, an operation or a call. What is given back is kept, so that calls like
// those before allocate nothing.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace laconic::dropin {

// For any thread; never destroyed: programs call MPI until their very end.
std::pmr::memory_resource& records();

// A base of what is made by `new`.
struct Record {
  static void* operator new(std::size_t bytes) { return records().allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) { records().deallocate(memory, bytes); }
};

}  // namespace laconic::dropin
