// SPDX-License-Identifier: BSD-3-Clause
// The environment variable LACONIC_DEVICE_MEMORY: what numbers on devices are used for.
#pragma once

#include <string_view>

#include "base/status.hpp"

namespace laconic {

enum class DeviceUse {
  direct,  // kernels code them, and MPI gets frames in device memory where it takes that
  staged,  // kernels code them, and frames go through pinned memory of the host
  host,    // they are copied to the host, which codes them
};

// Of this process.  A value that is not valid is reported by check_device_use(), and `direct` here.
DeviceUse device_use();

Status check_device_use(std::string_view value);

}  // namespace laconic
