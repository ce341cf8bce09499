// SPDX-License-Identifier: BSD-3-Clause
// Makes a context current on this thread for the lifetime of an object.  The application's context is then current
// again, or none, as before: cudaSetDevice() would make one on the first device where there was none, and replace one
// that the application has made by the driver's functions.  Meanwhile this thread may query events and allocate memory
// although the application captures one of its streams, which would otherwise end the capture.
#pragma once

#include "device/cuda/driver.hpp"

namespace laconic {

class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context) : pushed_(driver()->push(context) == CUDA_SUCCESS) {
    (void)driver()->exchange_capture_mode(&mode_);
  }
  ~CurrentContext() {
    (void)driver()->exchange_capture_mode(&mode_);
    CUcontext mine = nullptr;
    if (pushed_) (void)driver()->pop(&mine);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  // Whether the context is current; false where it no longer exists.
  bool made() const { return pushed_; }

 private:
  bool pushed_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace laconic
