// SPDX-License-Identifier: BSD-3-Clause
// Sets the current CUDA device of this thread for the lifetime of an object.  The destructor restores the device that
// the application has chosen.
#pragma once

#include "device/cuda/runtime.hpp"

namespace laconic {

class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = device;
    if (before_ != device) (void)cudaSetDevice(device);
    device_ = device;
  }
  ~CurrentDevice() {
    if (before_ != device_) (void)cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
  int device_ = 0;
};

}  // namespace laconic
