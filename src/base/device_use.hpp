// SPDX-License-Identifier: BSD-3-Clause
// The environment variable LACONIC_DEVICE_MEMORY: where numbers in device memory are coded, and how their frames reach
// MPI.
#pragma once

#include <string_view>

#include "base/status.hpp"

namespace laconic {

enum class DeviceUse {
  direct,  // kernels code them, and MPI gets frames in device memory where it takes that
  staged,  // kernels code them, and frames go through pinned memory of the host
  host,    // they are copied to the host, which codes them
};

// The value for this process.  An invalid value has the effect of `direct`; check_device_use() reports it.
DeviceUse device_use();

Status check_device_use(std::string_view value);

}  // namespace laconic
