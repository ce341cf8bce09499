// SPDX-License-Identifier: BSD-3-Clause
// The contexts of the emulated devices, and which of them is current on a thread.
#pragma once

#include "emulator/driver.hpp"

namespace laconic::emulator {

struct Context {
  int device = 0;
  int retained = 0;  // primary contexts: by the runtime and by callers of the driver
};

// The device of this thread's current context, or the one that cudaSetDevice() has chosen.
int current_device();
void choose_device(int device);

// The current context; null: none.  The runtime makes one current where it needs one.
CUcontext current_context();
CUcontext need_context();

// The capture mode of this thread: it decides which calls the thread may make while a stream is captured.
CUstreamCaptureMode& capture_mode();

}  // namespace laconic::emulator
