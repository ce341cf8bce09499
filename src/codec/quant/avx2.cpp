// SPDX-License-Identifier: BSD-3-Clause
// AVX2 kernels.
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

LACONIC_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt")

namespace laconic::quant {
namespace {

__m256d load4(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
__m256d load4(const double* x) { return _mm256_loadu_pd(x); }
void store4(float* x, __m256d v) { _mm_storeu_ps(x, _mm256_cvtpd_ps(v)); }
void store4(double* x, __m256d v) { _mm256_storeu_pd(x, v); }

// Rounds all of a block in float32; false when some number needs float64.
bool quantise_single_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (lattice.largest_single == 0) return false;
  const __m256 inverse = _mm256_set1_ps(lattice.inverse_single);
  const __m256 largest = _mm256_set1_ps(lattice.largest_single);
  const __m256 sign = _mm256_set1_ps(-0.0F);
  __m256 good = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 y = _mm256_mul_ps(_mm256_loadu_ps(x + i), inverse);
    good = _mm256_and_ps(good, _mm256_cmp_ps(_mm256_andnot_ps(sign, y), largest, _CMP_LE_OQ));
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_cvtps_epi32(y));
  }
  if (_mm256_movemask_ps(good) != 255) return false;
  for (; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

// Adding this constant rounds a number of at most 31 bits to the nearest integer, ties to even.  The low half of the
// bits of the sum is the integer.
constexpr double round_double = 0x1.8p52;

// Rounds four numbers, and adds their distances from their lattice points to `most`.
LACONIC_INLINE __m256d quantise4(__m256d x, __m256d inverse, __m256d step, __m256d& most) {
  const __m256d shift = _mm256_set1_pd(round_double);
  const __m256d sum = _mm256_add_pd(_mm256_mul_pd(x, inverse), shift);
  const __m256d off = _mm256_sub_pd(x, _mm256_mul_pd(_mm256_sub_pd(sum, shift), step));
  most = _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), off), most);
  return sum;
}

// Rounds a block of which some numbers need float64.  False where some number may have no lattice point, or n is not a
// multiple of 8.  It is stricter than quantise(), as in avx512_numbers.inl.
bool quantise_mixed_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (n % 8 != 0 || lattice.largest_single == 0) return false;
  const __m256 inverse_single = _mm256_set1_ps(lattice.inverse_single);
  const __m256 reach = _mm256_set1_ps(lattice.largest_single);
  const __m256 largest = _mm256_set1_ps(static_cast<float>(lattice.largest * (1 - 0x1p-20)));
  const __m256d inverse = _mm256_set1_pd(lattice.inverse);
  const __m256d step = _mm256_set1_pd(lattice.step);
  __m256d most = _mm256_setzero_pd();
  int small = 255;
  for (std::size_t i = 0; i < n && small == 255; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    const __m256 y = _mm256_mul_ps(v, inverse_single);
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), y);
    small = _mm256_movemask_ps(_mm256_cmp_ps(size, largest, _CMP_LE_OQ));  // false for NaN, too
    const __m256d low = quantise4(_mm256_cvtps_pd(_mm256_castps256_ps128(v)), inverse, step, most);
    const __m256d high = quantise4(_mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)), inverse, step, most);
    const __m256 halves = _mm256_shuffle_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high), 0x88);
    const __m256d q = _mm256_permute4x64_pd(_mm256_castps_pd(halves), 0xd8);
    const __m256 single = _mm256_castsi256_ps(_mm256_cvtps_epi32(y));
    const __m256 mixed = _mm256_blendv_ps(_mm256_castpd_ps(q), single, _mm256_cmp_ps(size, reach, _CMP_LE_OQ));
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_castps_si256(mixed));
  }
  return small == 255 && _mm256_movemask_pd(_mm256_cmp_pd(most, _mm256_set1_pd(lattice.allowance), _CMP_LE_OQ)) == 15;
}
bool quantise_mixed_all(const double*, std::size_t, const Lattice&, Points&) { return false; }

// The lanes that can be rounded in float32, as a mask over four doubles, and their points.
__m256d single4(const float* x, const Lattice& lattice, __m128i& q) {
  const __m128 y = _mm_mul_ps(_mm_loadu_ps(x), _mm_set1_ps(lattice.inverse_single));
  q = _mm_cvtps_epi32(y);
  const float limit = lattice.largest_single > 0 ? lattice.largest_single : -1;
  const __m128 in = _mm_cmple_ps(_mm_andnot_ps(_mm_set1_ps(-0.0F), y), _mm_set1_ps(limit));
  return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_castps_si128(in)));
}
__m256d single4(const double*, const Lattice&, __m128i& q) {
  q = _mm_setzero_si128();
  return _mm256_setzero_pd();
}

template <class T>
bool quantise_all(const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  if constexpr (sizeof(T) == 4)
    if (quantise_single_all(x, n, lattice, points)) return true;
  if (quantise_mixed_all(x, n, lattice, points)) return true;
  const __m256d inverse = _mm256_set1_pd(lattice.inverse);
  const __m256d step = _mm256_set1_pd(lattice.step);
  const __m256d largest = _mm256_set1_pd(lattice.largest);
  const __m256d allowance = _mm256_set1_pd(lattice.allowance);
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    __m128i single;
    const __m256d in_single = single4(x + i, lattice, single);
    const __m256d v = load4(x + i);
    const __m256d y = _mm256_mul_pd(v, inverse);
    const __m256d r = _mm256_round_pd(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256d off = _mm256_andnot_pd(sign, _mm256_sub_pd(v, _mm256_mul_pd(r, step)));
    const __m256d fits = _mm256_and_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, y), largest, _CMP_LE_OQ),
                                       _mm256_cmp_pd(off, allowance, _CMP_LE_OQ));
    good = _mm256_and_pd(good, _mm256_or_pd(in_single, fits));
    const __m128i halves = _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(_mm256_castpd_si256(in_single), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    _mm_store_si128(reinterpret_cast<__m128i*>(points.q + i), _mm_blendv_epi8(_mm256_cvtpd_epi32(r), single, halves));
  }
  if (_mm256_movemask_pd(good) != 15) return false;
  for (; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

// Works in float32; false when a point is too large for that, or the divisor needs float64.
bool dequantise_single_all(const Points& points, std::size_t n, double step, double divisor, float* x) {
  if (divisor != 1 || !single_step(step)) return false;
  const __m256 s = _mm256_set1_ps(static_cast<float>(step));
  __m256i most = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i q = _mm256_load_si256(reinterpret_cast<const __m256i*>(points.q + i));
    most = _mm256_or_si256(most, _mm256_xor_si256(q, _mm256_srai_epi32(q, 31)));
    _mm256_storeu_ps(x + i, _mm256_mul_ps(_mm256_cvtepi32_ps(q), s));
  }
  for (; i < n; ++i) x[i] = dequantise<float>(points.q[i], step, 1);
  const __m256i above = _mm256_set1_epi32(~(largest_exact_single - 1));
  return _mm256_testz_si256(most, above) != 0;
}
bool dequantise_single_all(const Points&, std::size_t, double, double, double*) { return false; }

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  if (dequantise_single_all(points, n, step, divisor, x)) return;
  const __m256d s = _mm256_set1_pd(step);
  const __m256d d = _mm256_set1_pd(divisor);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128i q = _mm_load_si128(reinterpret_cast<const __m128i*>(points.q + i));
    __m256d v = _mm256_mul_pd(_mm256_cvtepi32_pd(q), s);
    if (divisor != 1) v = _mm256_div_pd(v, d);
    store4(x + i, v);
  }
  for (; i < n; ++i) x[i] = dequantise<T>(points.q[i], step, divisor);
}

#include "codec/quant/avx2_range.inl"
#include "codec/quant/combine.inl"
#include "codec/quant/far.inl"
#include "codec/quant/masks.inl"
#include "codec/quant/scales.inl"

#include "codec/quant/avx2_sums.inl"
#include "codec/quant/pack.inl"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels table{
      "avx2",
      quantise_all<float>,
      quantise_all<double>,
      dequantise_all<float>,
      dequantise_all<double>,
      pack,
      unpack,
      combine_points,
      far_kernels,
      mask_kernels,
      scale_kernels,
      {encode_block<block_groups>, nullptr, fold_block, add_block, put_staged<block_groups>, nullptr},
      {encode_block<scaled_groups>, nullptr, fold_scaled, add_scaled, put_staged<scaled_groups>, is_odd}};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
