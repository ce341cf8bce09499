// SPDX-License-Identifier: BSD-3-Clause
// Functions between LACONIC_TARGET_BEGIN and LACONIC_TARGET_END may use the instructions named, whatever the rest of
// the library is compiled for.  Open the region after all headers: an inline function of a header, compiled inside,
// could be the copy that the linker keeps for everybody.
#pragma once

#define LACONIC_PRAGMA(...) _Pragma(#__VA_ARGS__)

#if defined(__clang__)
// What follows the first argument is tuning for g++, which clang does not know.
#define LACONIC_TARGET_BEGIN(features, ...) \
  LACONIC_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define LACONIC_TARGET_END LACONIC_PRAGMA(clang attribute pop)
#else
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (its PR 105593).
#define LACONIC_TARGET_BEGIN(...)                                \
  LACONIC_PRAGMA(GCC diagnostic push)                            \
  LACONIC_PRAGMA(GCC diagnostic ignored "-Wuninitialized")       \
  LACONIC_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized") \
  LACONIC_PRAGMA(GCC push_options)                               \
  LACONIC_PRAGMA(GCC target(__VA_ARGS__))
#define LACONIC_TARGET_END LACONIC_PRAGMA(GCC pop_options) LACONIC_PRAGMA(GCC diagnostic pop)
#endif

// For the parts of an inner loop.  What the compiler leaves as calls passes vectors, and with them what every step
// waits for, through memory.
#define LACONIC_INLINE __attribute__((always_inline)) inline
