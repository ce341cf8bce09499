// SPDX-License-Identifier: BSD-3-Clause
// The part of the CUDA driver API that the project uses, with CUDA's names and numbers, for the emulated devices.
// Each thread has a stack of contexts, as with CUDA.  A call of the runtime that needs a context and finds none makes
// the primary context of the thread's device current, which is what programs notice.
#pragma once

#include <cstdint>

#include "emulator/where.hpp"

enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201,
};

enum CUpointer_attribute {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
};

enum CUmemorytype { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

enum CUstreamCaptureMode {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};

namespace laconic::emulator {
struct Context;
}
using CUcontext = laconic::emulator::Context*;
using CUdevice = int;
using CUdeviceptr = std::uintptr_t;

#define LACONIC_DRIVER_CALL extern "C" LACONIC_EMULATOR_API CUresult

LACONIC_DRIVER_CALL cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                           CUdeviceptr pointer);
LACONIC_DRIVER_CALL cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device);
LACONIC_DRIVER_CALL cuCtxDestroy(CUcontext context);
LACONIC_DRIVER_CALL cuCtxGetCurrent(CUcontext* context);
LACONIC_DRIVER_CALL cuCtxPushCurrent(CUcontext context);
LACONIC_DRIVER_CALL cuCtxPopCurrent(CUcontext* context);
LACONIC_DRIVER_CALL cuDeviceGetName(char* name, int length, CUdevice device);
LACONIC_DRIVER_CALL cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active);
LACONIC_DRIVER_CALL cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
LACONIC_DRIVER_CALL cuDevicePrimaryCtxRelease(CUdevice device);
LACONIC_DRIVER_CALL cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode);

#undef LACONIC_DRIVER_CALL
