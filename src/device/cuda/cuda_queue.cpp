// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/cuda_queue.hpp"

#include <cstring>
#include <numeric>

#include "device/cuda/numbers.hpp"

namespace laconic {

CudaQueue::CudaQueue(MemoryPool& device_memory, MemoryPool& shared_memory)
    : device_memory_(device_memory), shared_memory_(shared_memory) {}

CudaQueue::~CudaQueue() {
  if (stream_ != nullptr) (void)cudaStreamSynchronize(stream_);
  if (workspace_.words != nullptr)
    device_memory_.give_back(
        {reinterpret_cast<std::byte*>(workspace_.words), workspace_.count * sizeof(std::uint64_t)});
  if (!parts_.empty()) shared_memory_.give_back(parts_);
  if (!report_.empty()) shared_memory_.give_back(report_);
  if (mark_ != nullptr) (void)cudaEventDestroy(mark_);
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
}

Status CudaQueue::open() {
  // Non-blocking: this stream waits for work on the application's default stream only when follow() asks for it.
  if (Status s = cuda_status(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); !s)
    return s;
  if (Status s = cuda_status(cudaEventCreateWithFlags(&mark_, cudaEventDisableTiming), "cudaEventCreate"); !s) return s;
  report_ = shared_memory_.lease(reports * report_bytes);
  if (report_.empty()) return {Code::memory, "no pinned memory for the reports of kernels"};
  std::memset(report_.data(), 0, reports * report_bytes);
  parts_ = shared_memory_.lease(sums * cuda::sum_parts * sizeof(std::uint64_t));
  if (parts_.empty()) return {Code::memory, "no pinned memory for the checksums of kernels"};
  return {};
}

Status CudaQueue::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  return cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
}

Status CudaQueue::clear(void* to, std::size_t bytes) {
  if (bytes == 0) return {};
  return cuda_status(cudaMemsetAsync(to, 0, bytes, stream_), "cudaMemsetAsync");
}

Status CudaQueue::divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) {
  return cuda::divide(dtype, numbers, result, count, divisor, stream_);
}

Status CudaQueue::range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes) {
  return cuda::range(dtype, numbers, count, extremes, stream_);
}

std::uint64_t* CudaQueue::parts_of(unsigned place) const {
  return reinterpret_cast<std::uint64_t*>(parts_.data()) + std::size_t{place} * cuda::sum_parts;
}

Status CudaQueue::sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, unsigned place) {
  return cuda::sum(bytes, count, most, parts_of(place), stream_);
}

std::uint64_t CudaQueue::summed(unsigned place) const {
  const std::uint64_t* parts = parts_of(place);
  return std::accumulate(parts, parts + cuda::sum_parts, std::uint64_t{0});
}

Status CudaQueue::mark() { return cuda_status(cudaEventRecord(mark_, stream_), "cudaEventRecord"); }

bool CudaQueue::reached(Status& status) {
  const cudaError_t error = cudaEventQuery(mark_);
  if (error == cudaErrorNotReady) {
    (void)cudaGetLastError();  // otherwise the next launch would report it
    return false;
  }
  status = cuda_status(error, "the work on a device");
  return true;
}

Workspace& CudaQueue::workspace(std::size_t words) {
  if (words <= workspace_.count) return workspace_;
  const auto memory = device_memory_.lease(words * sizeof(std::uint64_t));
  Workspace fresh{reinterpret_cast<std::uint64_t*>(memory.data()), words, 0, 0};
  // Kernels that use the old words may still be running, and the next lease of these words may be for another stream.
  bool ok = !memory.empty() && wait().ok();
  ok = ok && cudaMemsetAsync(fresh.words, 0, memory.size(), stream_) == cudaSuccess;
  if (workspace_.words != nullptr)
    device_memory_.give_back(
        {reinterpret_cast<std::byte*>(workspace_.words), workspace_.count * sizeof(std::uint64_t)});
  if (!ok) {
    device_memory_.give_back(memory);
    fresh = {};
  }
  workspace_ = fresh;
  return workspace_;
}

Status CudaQueue::follow(cudaEvent_t event) {
  return cuda_status(cudaStreamWaitEvent(stream_, event, 0), "cudaStreamWaitEvent");
}

Status CudaQueue::wait() { return cuda_status(cudaStreamSynchronize(stream_), "the work on a device"); }

}  // namespace laconic
