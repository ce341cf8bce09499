// SPDX-License-Identifier: BSD-3-Clause
// Memory for objects that live as long as a message, an operation or a call. Released memory goes to a pool, so that
// repeated similar calls allocate nothing.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace laconic::dropin {

// Thread-safe. Never destroyed: a program may call MPI while it exits.
std::pmr::memory_resource& records();

// Base class for objects created with `new`: they use the pool.
struct Record {
  static void* operator new(std::size_t bytes) { return records().allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) { records().deallocate(memory, bytes); }
};

}  // namespace laconic::dropin
