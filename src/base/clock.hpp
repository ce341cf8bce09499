// SPDX-License-Identifier: BSD-3-Clause
// Wall time in seconds, for the statistics.
#pragma once

#include <chrono>

namespace laconic {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace laconic
