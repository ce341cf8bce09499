// SPDX-License-Identifier: BSD-3-Clause
// The range of a rank's contribution, in host or device memory; only on the host it leaves out fill values.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.hpp"
#include "codec/range.hpp"
#include "device/device.hpp"

namespace laconic {

class RangeJob final : public Job {
 public:
  struct Part {
    const void* numbers = nullptr;
    std::size_t count = 0;
  };

  // Starts one operation; only one may be in progress.  `device` is the device that holds the parts; it must outlive
  // the job's work.
  Status begin(Device& device);

  std::vector<Part> parts;
  Dtype dtype = Dtype::f32;

  // The result; valid once the job is done.
  Status status;
  Range range{};

  void run() noexcept override;
  bool step(Queue& queue) noexcept override;

 private:
  bool end(Status outcome);

  Device* device_ = nullptr;
  std::span<std::byte> room_;  // holds the results of the kernels until the host has read them
  std::size_t next_ = 0;       // index into parts
  bool under_way_ = false;
};

}  // namespace laconic
