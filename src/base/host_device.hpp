// SPDX-License-Identifier: BSD-3-Clause
// Functions that kernels share with the host: what decides a byte or a bit of a result is written once.
#pragma once

#if defined(__CUDACC__)
#define LACONIC_HOST_DEVICE __host__ __device__
#else
#define LACONIC_HOST_DEVICE
#endif

// Before loops over arrays that must be in registers: every index has to be a constant.
#if defined(__CUDACC__)
#define LACONIC_UNROLL _Pragma("unroll")
#define LACONIC_NO_UNROLL _Pragma("unroll 1")
#else
#define LACONIC_UNROLL
#define LACONIC_NO_UNROLL
#endif
