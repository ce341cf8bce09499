// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/cuda_caller_queue.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "device/cuda/capability.hpp"
#include "device/cuda/numbers.hpp"

namespace laconic {
namespace {

constexpr std::size_t least_words = 1024;

// Before the words: the report and the notes.
constexpr std::size_t head_bytes = Queue::report_bytes + CallerQueue::note_bytes;

}  // namespace

CudaCallerQueue::~CudaCallerQueue() {
  if (context_ == nullptr) return;
  const CurrentContext current(context_);
  // The application may have destroyed its context, and the memory with it.
  if (!current.made()) return;
  for (const Block& block : blocks_) (void)cudaFree(block.bytes);
}

Status CudaCallerQueue::needs_host() { return {Code::device, "a captured stream cannot report to the host"}; }

Status CudaCallerQueue::open() {
  if (context_ != nullptr) return {};
  CUcontext found = nullptr;
  if (driver() == nullptr || driver()->get_current(&found) != CUDA_SUCCESS || found == nullptr)
    return {Code::device,
            "no CUDA context is current on this thread; valid is a thread that has chosen a device (cudaSetDevice, "
            "cuCtxSetCurrent)"};
  const CurrentContext current(found);
  if (Status s = cuda_status(cudaGetDevice(&device_), "cudaGetDevice"); !s) return s;
  if (const int capability = capability_of(device_); capability < least_capability)
    return {Code::device, "device " + std::to_string(device_) + " has compute capability " +
                              std::to_string(capability) + ".x; kernels need " + std::to_string(least_capability) +
                              ".0"};
  context_ = found;
  return {};
}

Status CudaCallerQueue::prepare(std::size_t words) {
  if (Status s = open(); !s) return s;
  if (has(words)) return {};
  const CurrentContext current(context_);
  return allocate(words);
}

// The context is current.  Sizes are powers of two, so that all former blocks together are no larger than the last one.
Status CudaCallerQueue::allocate(std::size_t words) {
  words = std::bit_ceil(std::max(words, least_words));
  void* at = nullptr;
  if (cudaMalloc(&at, head_bytes + words * sizeof(std::uint64_t)) != cudaSuccess) {
    (void)cudaGetLastError();
    return {Code::memory, "no device memory for the workspace of kernels"};
  }
  blocks_.push_back({static_cast<std::byte*>(at), words});
  return {};
}

Status CudaCallerQueue::capturing(bool& captured) const {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream_, &capture);
  captured = capture != cudaStreamCaptureStatusNone;
  if (error == cudaSuccess && capture != cudaStreamCaptureStatusInvalidated) return {};
  (void)cudaGetLastError();
  if (error == cudaErrorStreamCaptureImplicit)
    return {Code::argument, "the default stream cannot be used while a stream that waits for it is captured"};
  if (error == cudaSuccess) return {Code::argument, "an earlier call has made the capture of the stream invalid"};
  return {Code::argument, "stream is not one that device " + std::to_string(device_) +
                              " knows; valid is a cudaStream_t of the coder's context, or NULL (" +
                              cudaGetErrorString(error) + ")"};
}

Status CudaCallerQueue::begin(void* stream, std::size_t words) {
  if (Status s = open(); !s) return s;
  current_.emplace(context_);
  stream_ = static_cast<cudaStream_t>(stream);
  bool captured = false;
  Status status = capturing(captured);
  if (status.ok() && !has(words))
    status = captured ? Status(Code::argument,
                               "memory cannot be allocated while a stream is captured; valid is a call of "
                               "laconic_coder_prepare_device() for as many numbers before the capture")
                      : allocate(words);
  if (status.ok()) status = clear(memory(), head_bytes + words * sizeof(std::uint64_t));
  if (!status.ok()) end();
  return status;
}

Status CudaCallerQueue::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  return cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
}

Status CudaCallerQueue::clear(void* to, std::size_t bytes) {
  if (bytes == 0) return {};
  return cuda_status(cudaMemsetAsync(to, 0, bytes, stream_), "cudaMemsetAsync");
}

Status CudaCallerQueue::divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) {
  return cuda::divide(dtype, numbers, result, count, divisor, stream_);
}

// The epoch is one after which no kernel asks for cleared words: begin() has cleared them.
Workspace& CudaCallerQueue::workspace(std::size_t words) {
  workspace_ = {};
  if (has(words)) workspace_ = {reinterpret_cast<std::uint64_t*>(memory() + head_bytes), words, 1, 0};
  return workspace_;
}

}  // namespace laconic
