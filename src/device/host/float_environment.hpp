// SPDX-License-Identifier: BSD-3-Clause
// Standard floating-point arithmetic for the lifetime of an object: round to nearest, denormals kept, no traps.
//
// Programs built with -ffast-math or by some Fortran compilers run with denormals flushed to zero; others change
// the rounding mode.  Under such a mode, kernels would produce other bytes than on the other ranks and break the bound.
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace laconic {

class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved_); }
#else
  FloatEnvironment() { std::feholdexcept(&saved_), std::fesetenv(FE_DFL_ENV); }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
#endif
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace laconic
