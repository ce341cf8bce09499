// SPDX-License-Identifier: BSD-3-Clause
// The least and greatest finite number of what a rank contributes, wherever it is.
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

  // One operation at a time.  The device is that of the parts, and outlives the job's work.
  Status begin(Device& device);

  std::vector<Part> parts;
  Dtype dtype = Dtype::f32;

  // Of a job that is done.
  Status status;
  Range range{};

  void run() noexcept override;
  bool step(Queue& queue) noexcept override;

 private:
  bool end(Status outcome);

  Device* device_ = nullptr;
  std::span<std::byte> room_;  // for what kernels find, until it has been read
  std::size_t next_ = 0;       // of parts
  bool under_way_ = false;
};

}  // namespace laconic
