// SPDX-License-Identifier: BSD-3-Clause
// AVX-512 kernels with GFNI and VBMI2: 64 residuals at a time.
#if defined(__x86_64__)

#include <cmath>
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

LACONIC_TARGET_BEGIN(
    "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,avx512vnni,avx512bitalg,gfni,bmi,bmi2,"
    "lzcnt,popcnt",
    "prefer-vector-width=512")

namespace laconic::quant {
namespace {

#include "codec/quant/avx512_range.inl"
#include "codec/quant/far.inl"
#include "codec/quant/masks.inl"
#include "codec/quant/scales.inl"

#include "codec/quant/avx512_gfni_blocks.inl"
#include "codec/quant/avx512_masks.inl"
#include "codec/quant/pack.inl"

}  // namespace

const Kernels& avx512_gfni_kernels() {
  static const Kernels table{
      "avx512gfni",
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
      {encode_block<block_groups>, decode_block<block_groups>, fold_block, add_block, put_staged<block_groups>, settle},
      {encode_block<scaled_groups>, decode_block<scaled_groups>, fold_scaled, add_scaled, put_staged<scaled_groups>,
       is_odd}};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
