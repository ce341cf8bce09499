// SPDX-License-Identifier: BSD-3-Clause
// Macros for functions that kernels share with the host, so that code that decides a bit of a result is written once.
#pragma once

#if defined(__CUDACC__)
#define LACONIC_HOST_DEVICE __host__ __device__
#else
#define LACONIC_HOST_DEVICE
#endif

// Used before loops over arrays that must stay in registers, where every index has to be a constant.
#if defined(__CUDACC__)
#define LACONIC_UNROLL _Pragma("unroll")
#define LACONIC_NO_UNROLL _Pragma("unroll 1")
#define LACONIC_NO_INLINE __noinline__
#else
#define LACONIC_UNROLL
#define LACONIC_NO_UNROLL
#define LACONIC_NO_INLINE
#endif
