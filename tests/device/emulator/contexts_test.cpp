// SPDX-License-Identifier: BSD-3-Clause
// Contexts, streams that are captured, and devices that are too old: the application keeps what it has, and gets no
// context that it did not ask for.
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "device/devices.hpp"
#include "emulator/control.hpp"
#include "emulator/driver.hpp"
#include "emulator/runtime.hpp"

namespace laconic::test {
namespace {

// A thread of its own has no context at first.
void on_a_new_thread(const std::function<void()>& f) { std::thread(f).join(); }

CUcontext current_context() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  return context;
}

// All that a device does for a caller.
void use(Device& device) {
  std::vector<int> numbers{1, 2, 3};
  const std::size_t bytes = numbers.size() * sizeof(int);
  const auto there = device.lease(std::size_t{1} << 20);
  const auto here = device.lease_shared(100);
  ASSERT_FALSE(there.empty() || here.empty());
  EXPECT_TRUE(device.copy(there.data(), numbers.data(), bytes).ok());
  numbers.assign(3, 0);
  EXPECT_TRUE(device.copy(numbers.data(), there.data(), bytes).ok());
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(device.prepare(100));
  EXPECT_TRUE(device.follow(nullptr).ok());
  device.progress();
  device.give_back(there);
  device.give_back_shared(here);
}

TEST(Contexts, AreNotMadeForMemoryOfTheHost) {
  on_a_new_thread([] {
    const std::vector<float> numbers(100);
    EXPECT_EQ(memory_type_of(numbers.data()).memory, Memory::host);
    EXPECT_EQ(current_context(), nullptr);
  });
}

TEST(Contexts, AreAfterwardsAsBefore) {
  emulator::set_devices(2);
  on_a_new_thread([] {
    {
      Status status;
      const auto device = open_device(1, status, 2);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(current_context(), nullptr);
      use(*device);
      EXPECT_EQ(current_context(), nullptr);
    }
    EXPECT_EQ(current_context(), nullptr);

    CUcontext own = nullptr;
    ASSERT_EQ(cuCtxCreate(&own, 0, 0), CUDA_SUCCESS);
    {
      Status status;
      const auto device = open_device(1, status, 2);
      use(*device);
      EXPECT_EQ(current_context(), own);
    }
    EXPECT_EQ(current_context(), own);
    ASSERT_EQ(cuCtxDestroy(own), CUDA_SUCCESS);
    EXPECT_EQ(current_context(), nullptr);
  });
  emulator::set_devices(1);
}

TEST(Contexts, OfTheApplicationAreUsedForItsMemory) {
  on_a_new_thread([] {
    void* usual = nullptr;
    ASSERT_EQ(cudaMalloc(&usual, 100), cudaSuccess);
    CUcontext own = nullptr;
    ASSERT_EQ(cuCtxCreate(&own, 0, 0), CUDA_SUCCESS);
    void* there = nullptr;
    ASSERT_EQ(cudaMalloc(&there, 100), cudaSuccess);
    EXPECT_EQ(memory_type_of(usual).context, nullptr);
    EXPECT_EQ(memory_type_of(there).context, own);
    EXPECT_EQ(memory_type_of(there).device, 0);
    CUcontext popped = nullptr;
    ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    {
      Status status;
      const auto device = open_device(0, status, 2, own);
      ASSERT_TRUE(status.ok()) << status.message();
      use(*device);
      const auto mine = device->lease(std::size_t{1} << 20);
      EXPECT_EQ(memory_type_of(mine.data()).context, own);
      device->give_back(mine);
    }
    ASSERT_EQ(cuCtxPushCurrent(own), CUDA_SUCCESS);
    EXPECT_EQ(cudaFree(there), cudaSuccess);
    EXPECT_EQ(cuCtxDestroy(own), CUDA_SUCCESS);
    EXPECT_EQ(cudaFree(usual), cudaSuccess);
  });
}

TEST(Captures, AreNotEndedByWorkOnOtherStreams) {
  Status status;
  const auto device = open_device(0, status, 2);
  ASSERT_TRUE(status.ok()) << status.message();
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    cudaStream_t captured = nullptr;
    cudaStream_t other = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&captured, flags), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_TRUE(device->follow(other).ok());
    std::vector<float> numbers(1000);
    const auto there = device->lease(std::size_t{4} << 20);
    EXPECT_TRUE(device->copy(there.data(), numbers.data(), numbers.size() * sizeof(float)).ok());
    device->give_back(there);

    const Status refused = device->follow(captured);
    EXPECT_EQ(refused.code(), Code::argument);
    EXPECT_NE(refused.message().find("options->stream"), std::string::npos) << refused.message();
    EXPECT_EQ(device->follow(nullptr).ok(), flags == cudaStreamNonBlocking)
        << "the default stream cannot be waited for while a stream is captured that waits for it";
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_TRUE(device->follow(captured).ok());
    EXPECT_TRUE(device->follow(nullptr).ok());
    EXPECT_EQ(cudaStreamDestroy(captured), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
  }
}

// That the emulator would notice.
TEST(Captures, AreEndedByQuestionsAboutOtherStreams) {
  cudaStream_t captured = nullptr;
  ASSERT_EQ(cudaStreamCreate(&captured), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  void* there = nullptr;
  EXPECT_EQ(cudaMalloc(&there, 100), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaErrorStreamCaptureInvalidated);
  (void)cudaGetLastError();
  EXPECT_EQ(cudaStreamDestroy(captured), cudaSuccess);
}

TEST(OldDevices, RunNoKernels) {
  for (const int capability : {7, 8}) {
    emulator::set_capability(capability);
    Status status;
    const auto device = open_device(0, status, 2);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(device->runs_kernels(), capability >= 8);
    use(*device);
  }
  emulator::set_capability(9);
}

}  // namespace
}  // namespace laconic::test
