// SPDX-License-Identifier: BSD-3-Clause
// AVX-512 kernels for processors without the bit instructions that avx512_gfni.cpp uses.  They round 16 numbers at a
// time and pack as AVX2 does.
#if defined(__x86_64__)

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>

#include "base/target.hpp"
#include "codec/quant/block_range.hpp"
#include "codec/quant/far.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/scaled_rules.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,lzcnt,popcnt",
                     "prefer-vector-width=512")

namespace laconic::quant {
namespace {

#include "codec/quant/avx512_numbers.inl"
#include "codec/quant/avx512_range.inl"
#include "codec/quant/far.inl"
#include "codec/quant/masks.inl"
#include "codec/quant/scales.inl"

#include "codec/quant/avx512_masks.inl"

#include "codec/quant/avx2_sums.inl"
#include "codec/quant/pack.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table{
      "avx512",
      quantise_all<float>,
      quantise_all<double>,
      dequantise_all<float>,
      dequantise_all<double>,
      pack,
      unpack,
      combine_points,
      far_kernels,
      masks_in_vectors,
      scale_kernels,
      {encode_block<block_groups>, nullptr, fold_block, add_block, put_staged<block_groups>, nullptr},
      {encode_block<scaled_groups>, nullptr, fold_scaled, add_scaled, put_staged<scaled_groups>, is_odd}};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
