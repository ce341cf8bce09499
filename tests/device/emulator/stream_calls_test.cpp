// SPDX-License-Identifier: BSD-3-Clause
// The functions *_on_stream of laconic/codec.h: what they ask of the runtime, and of which devices.
#include <thread>

#include "device/on_stream.hpp"
#include "device/scratch.hpp"
#include "emulator/control.hpp"
#include "emulator/driver.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t count = 5000;

struct Buffers {
  There numbers{std::vector<float>(count, 1.0f)};
  There a, b, out;
  ResultThere result;

  explicit Buffers(const HeldCoder& coder)
      : a(coder.encode(std::vector<float>(count, 1.0f))), b(a.first(a.size())), out(coder.capacity(count)) {}
};

int call_all(const HeldCoder& coder, const Buffers& of, void* stream) {
  int worst =
      laconic_coder_encode_on_stream(coder, of.numbers.get(), count, of.out.get(), of.out.size(), of.result, stream);
  worst |= laconic_coder_fold_on_stream(coder, of.a.get(), of.a.size(), of.numbers.get(), count, of.out.get(),
                                        of.out.size(), of.result, stream);
  worst |= laconic_coder_add_on_stream(coder, of.a.get(), of.a.size(), of.b.get(), of.b.size(), count, of.out.get(),
                                       of.out.size(), of.result, stream);
  return worst |
         laconic_coder_decode_on_stream(coder, of.a.get(), of.a.size(), of.numbers.get(), count, 1, of.result, stream);
}

class StreamCalls : public DeviceTest {};

TEST_F(StreamCalls, NeitherWaitNorAllocate) {
  for (const Way& way : {Way{LACONIC_CODEC_QUANT, "abs:1e-3"}, Way{LACONIC_CODEC_QUANT, "rms:1e-2"},
                         Way{LACONIC_CODEC_RAW, "lossless"}}) {
    const HeldCoder coder(coding_of<float>(way));
    const Buffers buffers(coder);
    const OwnStream stream;
    ASSERT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_OK) << laconic_codec_error();
    const char* const forbidden[] = {"cudaMalloc",
                                     "cudaHostAlloc",
                                     "cudaFree",
                                     "cudaFreeHost",
                                     "cudaStreamSynchronize",
                                     "cudaDeviceSynchronize",
                                     "cudaMemcpy",
                                     "cudaMemset",
                                     "cudaEventSynchronize",
                                     "cudaStreamQuery",
                                     "cudaEventQuery",
                                     "cudaEventRecord"};
    std::uint64_t before = 0, after = 0;
    for (const char* name : forbidden) before += emulator::calls(name);
    ASSERT_EQ(call_all(coder, buffers, stream), LACONIC_OK) << laconic_codec_error();
    for (const char* name : forbidden) after += emulator::calls(name);
    EXPECT_EQ(after, before);
    stream.wait();
    EXPECT_EQ(buffers.result.check(), LACONIC_OK) << laconic_codec_error();
  }
}

TEST_F(StreamCalls, LeaveTheContextAsItWas) {
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  const Buffers buffers(coder);
  CUcontext before = nullptr, after = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&before), CUDA_SUCCESS);
  ASSERT_EQ(call_all(coder, buffers, nullptr), LACONIC_OK) << laconic_codec_error();
  ASSERT_EQ(cuCtxGetCurrent(&after), CUDA_SUCCESS);
  EXPECT_EQ(after, before);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  must(cudaDeviceSynchronize());
}

// No context is made on a thread that has none.
TEST_F(StreamCalls, NeedAContext) {
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  std::string message;
  CUcontext context = nullptr;
  std::thread([&] {
    EXPECT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_ERROR_DEVICE);
    message = laconic_codec_error();
    EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(context, nullptr);
  EXPECT_NE(message.find("no CUDA context"), std::string::npos) << message;
}

// A coder stays in the context of its first call, and refuses memory of other devices.
TEST_F(StreamCalls, StayOnOneDevice) {
  emulator::set_devices(2);
  {
    const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
    const Buffers buffers(coder);
    ASSERT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_OK) << laconic_codec_error();
    must(cudaSetDevice(1));
    const Buffers elsewhere(coder);
    EXPECT_EQ(call_all(coder, elsewhere, nullptr), LACONIC_ERROR_ARGUMENT);
    EXPECT_NE(std::string(laconic_codec_error()).find("memory of device 1; valid is memory of device 0"),
              std::string::npos)
        << laconic_codec_error();
    must(cudaSetDevice(0));
  }
  emulator::set_devices(1);
}

TEST_F(StreamCalls, NeedAnAmpere) {
  emulator::set_capability(7);
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  EXPECT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_ERROR_DEVICE);
  EXPECT_NE(std::string(laconic_codec_error()).find("8.0"), std::string::npos) << laconic_codec_error();
  emulator::set_capability(9);
}

TEST_F(StreamCalls, FailWithTheRuntime) {
  const HeldCoder coder(coding_of<float>({LACONIC_CODEC_QUANT, "abs:1e-3"}));
  const Buffers buffers(coder);
  emulator::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation);
  EXPECT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_ERROR_MEMORY);
  ASSERT_EQ(laconic_coder_prepare_device(coder, count), LACONIC_OK);
  const emulator::Holdings held = emulator::holdings();
  for (const char* function : {"cudaMemsetAsync", "kernel"}) {
    emulator::fail_call(function, 1, cudaErrorLaunchFailure);
    EXPECT_EQ(call_all(coder, buffers, nullptr), LACONIC_ERROR_DEVICE) << function;
    (void)cudaGetLastError();
  }
  EXPECT_EQ(call_all(coder, buffers, nullptr), LACONIC_OK) << laconic_codec_error();
  must(cudaDeviceSynchronize());
  EXPECT_EQ(emulator::holdings().bytes, held.bytes);
}

}  // namespace
}  // namespace laconic::test
