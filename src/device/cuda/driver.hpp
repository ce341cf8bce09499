// SPDX-License-Identifier: BSD-3-Clause
// The functions of the CUDA driver, for what the runtime cannot do without making a context on a device: a context
// takes hundreds of MiB of it, and an application on hosts alone must not get one from Laconic.
#pragma once

#include "base/build.hpp"

#if LACONIC_CUDA_EMULATED
#include "emulator/driver.hpp"
#else
#include <cuda.h>
#endif

namespace laconic {

struct Driver {
  decltype(&cuPointerGetAttributes) pointer_attributes;
  decltype(&cuCtxPushCurrent) push;
  decltype(&cuCtxPopCurrent) pop;
  decltype(&cuCtxGetCurrent) get_current;
  decltype(&cuDeviceGetName) device_name;
  decltype(&cuDevicePrimaryCtxGetState) primary_state;
  decltype(&cuDevicePrimaryCtxRetain) retain_primary;
  decltype(&cuDevicePrimaryCtxRelease) release_primary;
  decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode;
};

// Null if nothing in this process has loaded the driver.  Then no memory is on a device.
const Driver* driver();

}  // namespace laconic
