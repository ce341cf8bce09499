// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "device/caller_queue.hpp"
#include "device/cuda/current_context.hpp"
#include "device/cuda/runtime.hpp"

namespace laconic {

class CudaCallerQueue final : public CallerQueue {
 public:
  CudaCallerQueue() = default;
  ~CudaCallerQueue() override;
  CudaCallerQueue(const CudaCallerQueue&) = delete;
  CudaCallerQueue& operator=(const CudaCallerQueue&) = delete;

  Status prepare(std::size_t words) override;
  Status open() override;
  int device() const override { return device_; }
  Status begin(void* stream, std::size_t words) override;
  void end() override { current_.reset(); }
  std::byte* notes() override { return memory() + report_bytes; }

  Status copy(void* to, const void* from, std::size_t bytes) override;
  Status clear(void* to, std::size_t bytes) override;
  Status divide(Dtype dtype, const void* numbers, void* result, std::size_t count, double divisor) override;
  Workspace& workspace(std::size_t words) override;
  // The report is in device memory, and there is one.
  std::byte* report_memory() override { return memory(); }
  void* native() override { return stream_; }

  // These are errors: the host would have to wait for the answer.
  Status range(Dtype, const void*, std::size_t, Extremes*) override { return needs_host(); }
  Status sum(const std::byte*, const std::uint32_t*, std::size_t, unsigned) override { return needs_host(); }
  std::uint64_t summed(unsigned) const override { return 0; }
  Status mark() override { return needs_host(); }
  bool reached(Status& status) override {
    status = needs_host();
    return true;
  }

 private:
  struct Block {
    std::byte* bytes = nullptr;
    std::size_t words = 0;
  };

  static Status needs_host();
  std::byte* memory() { return blocks_.back().bytes; }
  bool has(std::size_t words) const { return !blocks_.empty() && blocks_.back().words >= words; }
  Status allocate(std::size_t words);
  Status capturing(bool& captured) const;

  CUcontext context_ = nullptr;
  int device_ = -1;
  cudaStream_t stream_ = nullptr;
  std::vector<Block> blocks_;  // graphs may hold those before the last one
  Workspace workspace_;
  std::optional<CurrentContext> current_;
};

}  // namespace laconic
