// Functions that kernels share with the host: what decides a byte or a bit of a result is written once.
#pragma once

#if defined(__CUDACC__)
#define LACONIC_HOST_DEVICE __host__ __device__
#else
#define LACONIC_HOST_DEVICE
#endif
