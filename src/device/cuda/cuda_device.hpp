// SPDX-License-Identifier: BSD-3-Clause
// A GPU: jobs run on a few streams, each of which serves one job at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_queue.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/memory_pool.hpp"
#include "device/device.hpp"

namespace laconic {

class CudaDevice final : public Device {
 public:
  // number: the CUDA runtime's number of the device.  context: in which it works; null: the device's primary context.
  // The constructor allocates the streams, and the little memory that they need.
  CudaDevice(int number, CUcontext context, int queues);
  ~CudaDevice() override;

  // Whether the device can be used, and the reason if not.  If not, no other function may be called.
  const Status& status() const { return status_; }

  bool on_host() const override { return false; }
  bool runs_kernels() const override { return runs_kernels_; }
  std::string name() const override;
  std::span<std::byte> lease(std::size_t bytes) override;
  void give_back(std::span<std::byte> memory) override { device_memory_.give_back(memory); }
  std::span<std::byte> lease_shared(std::size_t bytes) override;
  void give_back_shared(std::span<std::byte> memory) override { shared_memory_.give_back(memory); }
  bool prepare(std::size_t words) override;
  void submit(Job& job) override;
  bool runs_inline() const override { return false; }
  void progress() override;
  Status follow(void* stream) override;
  Status copy(void* to, const void* from, std::size_t bytes) override;

 private:
  struct Line {
    Line(MemoryPool& device_memory, MemoryPool& shared_memory) : queue(device_memory, shared_memory) {}
    CudaQueue queue;
    Job* job = nullptr;
  };

  Status open(int queues);
  bool advance(Line& line);

  int number_;
  CUcontext context_;
  bool primary_retained_ = false;
  bool runs_kernels_ = false;
  Status status_;
  MemoryPool device_memory_;
  MemoryPool shared_memory_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::unique_ptr<CudaQueue> copies_;  // for copy()
  std::vector<Job*> waiting_;          // jobs that wait for a free line, the oldest first
  cudaEvent_t followed_ = nullptr;
};

}  // namespace laconic
