// SPDX-License-Identifier: BSD-3-Clause
// Headers that only the device can read, because the frames do not exist yet when the host enqueues the kernels that
// read them.  A kernel reads and checks such a header, and the kernels after it take what they need from its notes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.hpp"
#include "base/status.hpp"
#include "device/queue.hpp"
#include "wire/frame.hpp"

namespace laconic {

// A fault in a header.  The numbers differ from those of faults that kernels of codecs report.
enum class HeaderFault : std::uint32_t {
  none = 0,
  magic = 64,
  version,
  failed,
  codec,
  flags,
  dtype,
  count,
  payload,
  step,
  error,
};

// The error for a fault in a header.
Status status_of(HeaderFault fault);

// A header as a kernel has read it, in device memory.  With a fault the other members are 0.
struct DeviceHeader {
  HeaderFault fault = HeaderFault::none;
  std::uint32_t payload = 0;
  double step = 0;
  double error = 0;
};

// The headers that an operation accepts.
struct HeaderRules {
  static constexpr double any_step = -1;

  std::uint8_t codec = 0;
  std::uint8_t flags = 0;
  Dtype dtype = Dtype::f32;
  bool exact = false;  // the error is 0
  std::uint32_t count = 0;
  std::uint32_t least_payload = 0;
  std::uint32_t most_payload = 0;
  double step = 0;  // or any_step
};

// Enqueues the kernel that reads the header of a frame at a multiple of 8 bytes.
Status read_header_on_device(const std::byte* frame, const HeaderRules& rules, DeviceHeader* header, Queue& queue);

}  // namespace laconic
