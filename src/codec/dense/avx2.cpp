// SPDX-License-Identifier: BSD-3-Clause
// AVX2 kernels: one step of the coder is four vectors of 16 states, and a table is looked up by shuffles of bytes.
#if defined(__x86_64__)

#include <bit>
#include <cstring>

#include "base/target.hpp"
#include "codec/dense/avx2_tables.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/dense/lag.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt")

namespace laconic::dense {
namespace {

#include "codec/dense/avx2_predict.inl"

#include "codec/dense/avx2_split.inl"

#include "codec/dense/x86_widths.inl"

#include "codec/dense/avx2_code.inl"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels table{"avx2", find_lag, predict, split, encode, decode, restore};
  return table;
}

}  // namespace laconic::dense

LACONIC_TARGET_END

#endif
