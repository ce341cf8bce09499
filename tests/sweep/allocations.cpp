// SPDX-License-Identifier: BSD-3-Clause
// malloc and related functions replace those of glibc, so that allocations of C libraries (libzfp) are counted as well
// as those of C++.
#include "allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LACONIC_SWEEP_SEES_ALLOCATIONS 1
#else
#define LACONIC_SWEEP_SEES_ALLOCATIONS 0
#endif

namespace {
std::atomic<bool> counting{false};
std::atomic<long> allocations{0};
}  // namespace

#if LACONIC_SWEEP_SEES_ALLOCATIONS
namespace {
void count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

__attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  count();
  return __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(std::size_t items, std::size_t bytes) {
  count();
  return __libc_calloc(items, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t bytes) {
  count();
  return __libc_realloc(old, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  count();
  *to = __libc_memalign(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}
}
#endif

namespace laconic::sweep {

long count_allocations(bool on) {
  counting = on;
  return allocations;
}

bool allocations_are_seen() { return LACONIC_SWEEP_SEES_ALLOCATIONS != 0; }

}  // namespace laconic::sweep
