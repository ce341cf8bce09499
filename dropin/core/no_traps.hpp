// SPDX-License-Identifier: BSD-3-Clause
// Floating-point arithmetic that traps nothing and leaves no flags, for the lifetime of an object. Programs may have
// enabled traps (OpenFOAM does), and what they send need not be numbers: operations on a signalling NaN would end them.
#pragma once

#include <cfenv>

namespace laconic::dropin {

class NoTraps {
 public:
  NoTraps() { std::feholdexcept(&saved_); }
  ~NoTraps() { std::fesetenv(&saved_); }
  NoTraps(const NoTraps&) = delete;
  NoTraps& operator=(const NoTraps&) = delete;

 private:
  std::fenv_t saved_{};
};

}  // namespace laconic::dropin
