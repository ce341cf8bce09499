// SPDX-License-Identifier: BSD-3-Clause
// Captures and graphs of the emulator.
#include "device/cuda/language.hpp"
#include "device/scratch.hpp"
#include "emulator/control.hpp"
#include "emulator/driver.hpp"

namespace laconic {
namespace {

__global__ void double_kernel(int* x) { x[threadIdx.x] *= 2; }

class EmulatedGraphs : public DeviceTest {
 protected:
  void SetUp() override { ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamDefault), cudaSuccess); }
  void TearDown() override {
    (void)emulator::take_fault();
    (void)cudaGetLastError();
    EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }
  void begin() { ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess); }
  void end() {
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess);
  }
  static void relax(CUstreamCaptureMode mode) { ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS); }

  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

TEST_F(EmulatedGraphs, ReplayWhatIsInTheBuffersThen) {
  OnDevice<int> from(std::vector<int>{1, 2, 3}), to(4, 7);
  begin();
  ASSERT_EQ(cudaMemsetAsync(to.data() + 3, 0, sizeof(int), stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(to.data(), from.data(), 3 * sizeof(int), cudaMemcpyDeviceToDevice, stream_), cudaSuccess);
  ASSERT_TRUE(launch(double_kernel, 1, 3, stream_, to.data()));
  end();
  EXPECT_EQ(to.get(), (std::vector<int>{7, 7, 7, 7}));
  for (const int x : {1, 10, 100}) {
    from.set({x, 2 * x, 3 * x});
    to.set({9, 9, 9, 9});
    ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
    EXPECT_EQ(to.get(), (std::vector<int>{2 * x, 4 * x, 6 * x, 0}));
  }
}

TEST_F(EmulatedGraphs, SynchronisingEndsTheCapture) {
  begin();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaMemsetAsync(nullptr, 0, 0, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph_, nullptr);
}

TEST_F(EmulatedGraphs, SynchronisingTheStreamItselfIsNeverAllowed) {
  begin();
  relax(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  relax(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaErrorStreamCaptureInvalidated);
}

TEST_F(EmulatedGraphs, TheDefaultStreamCannotBeUsedMeanwhile) {
  int* there = nullptr;
  ASSERT_EQ(cudaMalloc(&there, sizeof(int)), cudaSuccess);
  begin();
  EXPECT_FALSE(launch(double_kernel, 1, 1, nullptr, there));
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaFree(there), cudaSuccess);
}

TEST_F(EmulatedGraphs, MemoryThatIsGoneIsAFault) {
  int* there = nullptr;
  ASSERT_EQ(cudaMalloc(&there, sizeof(int)), cudaSuccess);
  begin();
  ASSERT_TRUE(launch(double_kernel, 1, 1, stream_, there));
  end();
  ASSERT_EQ(cudaFree(there), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec_, stream_), cudaErrorLaunchFailure);
  EXPECT_NE(emulator::take_fault().find("has been freed"), std::string::npos);
}

}  // namespace
}  // namespace laconic
