// SPDX-License-Identifier: BSD-3-Clause
// Tests ask for more memory than there is; sanitizers must then return null as malloc does, instead of ending the
// test.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LACONIC_SEEN_BY_RUNTIME extern "C" __attribute__((visibility("default")))
LACONIC_SEEN_BY_RUNTIME const char* __asan_default_options() { return "allocator_may_return_null=1"; }
LACONIC_SEEN_BY_RUNTIME const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
#endif
