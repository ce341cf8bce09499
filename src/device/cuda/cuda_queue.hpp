// SPDX-License-Identifier: BSD-3-Clause
// A queue that is implemented by a CUDA stream, with a CUDA event as its mark.
#pragma once

#include "device/cuda/memory_pool.hpp"
#include "device/cuda/runtime.hpp"
#include "device/queue.hpp"

namespace laconic {

class CudaQueue final : public Queue {
 public:
  // Memory for kernels comes from the pools, which must outlive the queue.
  CudaQueue(MemoryPool& device_memory, MemoryPool& shared_memory);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  // Creates the stream on the current device.  If it fails, no other function may be called.
  Status open();

  Status copy(void* to, const void* from, std::size_t bytes) override;
  Status clear(void* to, std::size_t bytes) override;
  Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) override;
  Status range(Dtype dtype, const void* numbers, std::size_t count, Extremes* extremes) override;
  Status sum(const std::byte* bytes, const std::uint32_t* count, std::size_t most, unsigned place) override;
  std::uint64_t summed(unsigned place) const override;
  Status mark() override;
  bool reached(Status& status) override;
  Workspace& workspace(std::size_t words) override;
  std::byte* report_memory() override { return report_.data(); }
  void* native() override { return stream_; }

  // Work enqueued after this call waits for the event.
  Status follow(cudaEvent_t event);

  // Waits for all enqueued work.
  Status wait();

 private:
  std::uint64_t* parts_of(unsigned place) const;

  MemoryPool& device_memory_;
  MemoryPool& shared_memory_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t mark_ = nullptr;
  std::span<std::byte> report_;
  std::span<std::byte> parts_;  // partial sums of all places
  Workspace workspace_;
};

}  // namespace laconic
