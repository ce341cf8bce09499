// SPDX-License-Identifier: BSD-3-Clause
// The CUDA runtime API, for files that call it: CUDA's own, or the emulator's in builds with LACONIC_CUDA=EMULATED.
#pragma once

#include <string>

#include "base/build.hpp"
#include "base/status.hpp"

#if LACONIC_CUDA_EMULATED
#include "emulator/runtime.hpp"  // of tests/, which only these builds have on the include path
#else
#include <cuda_runtime.h>
#endif

namespace laconic {

// The result of a CUDA call as a Status, for callers that do not use CUDA.
inline Status cuda_status(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  const Code code = error == cudaErrorMemoryAllocation ? Code::memory : Code::device;
  return {code, std::string(what) + " failed: " + cudaGetErrorString(error)};
}

}  // namespace laconic
