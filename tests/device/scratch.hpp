// SPDX-License-Identifier: BSD-3-Clause
// Device memory for kernel tests, with copies to the device and back.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "device/cuda/runtime.hpp"

namespace laconic {

// Tests of kernels are skipped where there is no device.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      (void)cudaGetLastError();
      GTEST_SKIP() << "no GPU";
    }
  }
};

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : count_(values.size()) {
    EXPECT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    set(values);
  }
  explicit OnDevice(std::size_t count, T value = T{}) : OnDevice(std::vector<T>(count, value)) {}
  // Frees the memory even after a failed kernel; the call then returns the kernel's error again.
  ~OnDevice() {
    const cudaError_t error = cudaFree(memory_);
    EXPECT_TRUE(error == cudaSuccess || error == cudaErrorLaunchFailure) << cudaGetErrorString(error);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  void set(const std::vector<T>& values) {
    EXPECT_EQ(cudaMemcpy(memory_, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  // Waits for all pending work of the device.
  std::vector<T> get() const {
    std::vector<T> values(count_);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << cudaGetErrorString(cudaPeekAtLastError());
    EXPECT_EQ(cudaMemcpy(values.data(), memory_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  T* data() const { return memory_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* memory_ = nullptr;
  std::size_t count_;
};

}  // namespace laconic
