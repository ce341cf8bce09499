// SPDX-License-Identifier: BSD-3-Clause
// Functions between LACONIC_TARGET_BEGIN and LACONIC_TARGET_END may use the instructions named, whatever the rest of
// the library is compiled for.  Open the region after all headers: an inline function of a header that is compiled
// inside the region could be the copy that the linker keeps for the whole program.
#pragma once

#define LACONIC_PRAGMA(...) _Pragma(#__VA_ARGS__)

#if defined(__clang__)
// The arguments after the first are tuning options for g++, which clang does not know.
#define LACONIC_TARGET_BEGIN(features, ...) \
  LACONIC_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define LACONIC_TARGET_END LACONIC_PRAGMA(clang attribute pop)
#else
// GCC 12 warns about the deliberately undefined operands inside its own intrinsics (GCC PR 105593).
#define LACONIC_TARGET_BEGIN(...)                                \
  LACONIC_PRAGMA(GCC diagnostic push)                            \
  LACONIC_PRAGMA(GCC diagnostic ignored "-Wuninitialized")       \
  LACONIC_PRAGMA(GCC diagnostic ignored "-Wmaybe-uninitialized") \
  LACONIC_PRAGMA(GCC push_options)                               \
  LACONIC_PRAGMA(GCC target(__VA_ARGS__))
#define LACONIC_TARGET_END LACONIC_PRAGMA(GCC pop_options) LACONIC_PRAGMA(GCC diagnostic pop)
#endif

// For the functions of an inner loop.  A function that is not inlined passes vectors through memory, and every step of
// the loop then waits for these stores and loads.
#define LACONIC_INLINE __attribute__((always_inline)) inline
