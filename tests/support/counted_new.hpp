// SPDX-License-Identifier: BSD-3-Clause
// Counts allocations. Replaces operator new in the whole program, and in the libraries that it loads if the program
// exports its functions. Include it in only one source file of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace counted_new {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

inline void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counting) ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment)) return p;
  throw std::bad_alloc();
}

// The number of allocations that all threads make while `act` runs.
template <class Act>
long during(Act act) {
  allocations = 0;
  counting = true;
  act();
  counting = false;
  return allocations;
}

}  // namespace counted_new

void* operator new(std::size_t bytes) { return counted_new::allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted_new::allocate(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
