// Functions marked STACKING_VECTORISED are compiled for several instruction sets, and the fastest one of the
// machine runs.  The loops hold no sums over lanes and the build contracts no multiply-adds
// (-ffp-contract=off), so every instruction set gives the same bits.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sanitizers start after the resolvers of such functions have run, and other compilers differ in what
// they accept: plain code there.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STACKING_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STACKING_VECTORISED
#endif
