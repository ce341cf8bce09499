// SPDX-License-Identifier: BSD-3-Clause
// AVX-512 kernels with VBMI2: one step of the coder is one vector of 32 states.
#if defined(__x86_64__)

#include <bit>
#include <cstring>

#include "base/target.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/dense/lag.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt",
                     "prefer-vector-width=512")

namespace laconic::dense {
namespace {

#include "codec/dense/avx512_predict.inl"

#include "codec/dense/avx512_split.inl"

#include "codec/dense/x86_widths.inl"

#include "codec/dense/avx512_code.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table{"avx512", find_lag, predict, split, encode, decode, restore};
  return table;
}

}  // namespace laconic::dense

LACONIC_TARGET_END

#endif
