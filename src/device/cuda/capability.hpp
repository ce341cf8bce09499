// SPDX-License-Identifier: BSD-3-Clause
// The devices that kernels run on.
#pragma once

#include "device/cuda/runtime.hpp"

namespace laconic {

// The kernels are compiled for compute capability 8.0 and later (cmake/LaconicCudaArchitectures.cmake).
inline constexpr int least_capability = 8;

inline int capability_of(int device) {
  int major = 0;
  (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major;
}

}  // namespace laconic
