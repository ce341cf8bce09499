// SPDX-License-Identifier: BSD-3-Clause
// Conversion of numbers to points and back with AVX-512.  Included inside a target region.

__mmask8 first(std::size_t n) { return static_cast<__mmask8>(n >= 8 ? 0xff : (1u << n) - 1); }

// Rounds eight numbers; adds the lanes that have no lattice point to `bad`.
__m256i quantise8(__m512d x, __m512d inverse, __m512d step, __m512d largest, __m512d allowance, __mmask8 lanes,
                  __mmask8& bad) {
  const __m512d y = _mm512_mul_pd(x, inverse);
  const __mmask8 fits = _mm512_mask_cmp_pd_mask(lanes, _mm512_abs_pd(y), largest, _CMP_LE_OQ);
  const __m512d r = _mm512_roundscale_pd(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512d off = _mm512_abs_pd(_mm512_sub_pd(x, _mm512_mul_pd(r, step)));
  const __mmask8 near = _mm512_mask_cmp_pd_mask(fits, off, allowance, _CMP_LE_OQ);
  bad = static_cast<__mmask8>(bad | (lanes & ~near));
  return _mm512_cvtpd_epi32(r);
}

__m512d load8(const float* x, __mmask8 lanes) { return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, x)); }
__m512d load8(const double* x, __mmask8 lanes) { return _mm512_maskz_loadu_pd(lanes, x); }

void store8(float* x, __mmask8 lanes, __m512d v) { _mm256_mask_storeu_ps(x, lanes, _mm512_cvtpd_ps(v)); }
void store8(double* x, __mmask8 lanes, __m512d v) { _mm512_mask_storeu_pd(x, lanes, v); }

// Numbers come from memory in order; prefetching this far ahead keeps more cache lines in flight than the hardware does
// by itself.
constexpr std::ptrdiff_t prefetch_bytes = 2048;

__mmask16 first16(std::size_t n) { return static_cast<__mmask16>(n >= 16 ? 0xffff : (1u << n) - 1); }

// Rounds all of a block in float32; false when some number needs float64.
bool quantise_single_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  const __m512 inverse = _mm512_set1_ps(lattice.inverse_single);
  const __m512 largest = _mm512_set1_ps(lattice.largest_single);
  __mmask16 bad = lattice.largest_single == 0;
  std::size_t i = 0;
  for (; i + 16 <= n && bad == 0; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + prefetch_bytes, _MM_HINT_T0);
    const __m512 y = _mm512_mul_ps(_mm512_loadu_ps(x + i), inverse);
    bad |= _mm512_cmp_ps_mask(_mm512_abs_ps(y), largest, _CMP_NLE_UQ);
    _mm512_store_si512(points.q + i, _mm512_cvtps_epi32(y));
  }
  if (i < n) {
    const __m512 y = _mm512_mul_ps(_mm512_maskz_loadu_ps(first16(n - i), x + i), inverse);
    bad |= _mm512_cmp_ps_mask(_mm512_abs_ps(y), largest, _CMP_NLE_UQ);
    _mm512_store_si512(points.q + i, _mm512_cvtps_epi32(y));
  }
  return bad == 0;
}

// The lanes that can be rounded in float32, and their points.
__mmask8 single8(const float* x, const Lattice& lattice, __mmask8 lanes, __m256i& q) {
  const __m256 y = _mm256_mul_ps(_mm256_maskz_loadu_ps(lanes, x), _mm256_set1_ps(lattice.inverse_single));
  q = _mm256_cvtps_epi32(y);
  const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), y);
  const auto some = static_cast<__mmask8>(lattice.largest_single > 0 ? 0xff : 0);
  return _mm256_mask_cmp_ps_mask(lanes & some, size, _mm256_set1_ps(lattice.largest_single), _CMP_LE_OQ);
}
__mmask8 single8(const double*, const Lattice&, __mmask8, __m256i& q) {
  q = _mm256_setzero_si256();
  return 0;
}

// Adding this constant rounds a number of at most 31 bits to the nearest integer, ties to even.  The low half of the
// bits of the sum is the integer: conversions take twice as long.
constexpr double round_double = 0x1.8p52;

// Rounds eight numbers, and adds their distances from their lattice points to `most`.  r * step is exact, so the fused
// operation rounds once, as the subtraction of the product does.
LACONIC_INLINE __m512i quantise8(__m512d x, __m512d inverse, __m512d step, __m512d& most) {
  constexpr int greater_magnitude = 0b1011;
  const __m512d shift = _mm512_set1_pd(round_double);
  const __m512d sum = _mm512_add_pd(_mm512_mul_pd(x, inverse), shift);
  const __m512d off = _mm512_fnmadd_pd(_mm512_sub_pd(sum, shift), step, x);
  most = _mm512_range_pd(most, off, greater_magnitude);
  return _mm512_castpd_si512(sum);
}

// Rounds a block of which some numbers need float64.  False where some number may have no lattice point, or n is not a
// multiple of 16.  It is stricter than quantise(): numbers that are rounded in float32 must be near in float64, too,
// and those close to the largest point are refused, since float32 does not tell them from larger ones.
bool quantise_mixed_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (n % 16 != 0 || lattice.largest_single == 0) return false;
  const __m512 inverse_single = _mm512_set1_ps(lattice.inverse_single);
  const __m512 reach = _mm512_set1_ps(lattice.largest_single);
  const __m512 largest = _mm512_set1_ps(static_cast<float>(lattice.largest * (1 - 0x1p-20)));
  const __m512d inverse = _mm512_set1_pd(lattice.inverse);
  const __m512d step = _mm512_set1_pd(lattice.step);
  const __m512i low_halves = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  __m512d most = _mm512_setzero_pd();
  __mmask16 small = 0xffff;
  for (std::size_t i = 0; i < n && small == 0xffff; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + prefetch_bytes, _MM_HINT_T0);
    const __m512 v = _mm512_loadu_ps(x + i);
    const __m512 y = _mm512_mul_ps(v, inverse_single);
    small = _mm512_cmp_ps_mask(_mm512_abs_ps(y), largest, _CMP_LE_OQ);  // false for NaN, too
    const __mmask16 in_single = _mm512_cmp_ps_mask(_mm512_abs_ps(y), reach, _CMP_LE_OQ);
    const __m512i low = quantise8(_mm512_cvtps_pd(_mm512_castps512_ps256(v)), inverse, step, most);
    const __m512i high = quantise8(_mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)), inverse, step, most);
    const __m512i q = _mm512_permutex2var_epi32(low, low_halves, high);
    _mm512_store_si512(points.q + i, _mm512_mask_cvtps_epi32(q, in_single, y));
  }
  return small == 0xffff &&
         _mm512_cmp_pd_mask(most, _mm512_set1_pd(lattice.allowance), _CMP_LE_OQ) == 0xff;
}
bool quantise_mixed_all(const double*, std::size_t, const Lattice&, Points&) { return false; }

template <class T>
bool quantise_all(const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  if constexpr (sizeof(T) == 4)
    if (quantise_single_all(x, n, lattice, points)) return true;
  if (quantise_mixed_all(x, n, lattice, points)) return true;
  const __m512d inverse = _mm512_set1_pd(lattice.inverse);
  const __m512d step = _mm512_set1_pd(lattice.step);
  const __m512d largest = _mm512_set1_pd(lattice.largest);
  const __m512d allowance = _mm512_set1_pd(lattice.allowance);
  __mmask8 bad = 0;
  for (std::size_t i = 0; i < n && bad == 0; i += 8) {
    const __mmask8 lanes = first(n - i);
    __m256i single;
    const __mmask8 in_single = single8(x + i, lattice, lanes, single);
    const auto rest = static_cast<__mmask8>(lanes & ~in_single);
    const __m256i q = quantise8(load8(x + i, lanes), inverse, step, largest, allowance, rest, bad);
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_mask_mov_epi32(q, in_single, single));
  }
  return bad == 0;
}

// Works in float32; false when a point is too large for that, or the divisor needs float64.
bool dequantise_single_all(const Points& points, std::size_t n, double step, double divisor, float* x) {
  if (divisor != 1 || !single_step(step)) return false;
  const __m512 s = _mm512_set1_ps(static_cast<float>(step));
  __m512i most = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i q = _mm512_load_si512(points.q + i);
    most = _mm512_or_si512(most, _mm512_xor_si512(q, _mm512_srai_epi32(q, 31)));
    _mm512_storeu_ps(x + i, _mm512_mul_ps(_mm512_cvtepi32_ps(q), s));
  }
  if (i < n) {
    const __m512i q = _mm512_load_si512(points.q + i);
    most = _mm512_or_si512(most, _mm512_maskz_xor_epi32(first16(n - i), q, _mm512_srai_epi32(q, 31)));
    _mm512_mask_storeu_ps(x + i, first16(n - i), _mm512_mul_ps(_mm512_cvtepi32_ps(q), s));
  }
  return _mm512_cmpge_epu32_mask(most, _mm512_set1_epi32(largest_exact_single)) == 0;
}
bool dequantise_single_all(const Points&, std::size_t, double, double, double*) { return false; }

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  if (dequantise_single_all(points, n, step, divisor, x)) return;
  const __m512d s = _mm512_set1_pd(step);
  const __m512d d = _mm512_set1_pd(divisor);
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i q = _mm256_load_si256(reinterpret_cast<const __m256i*>(points.q + i));
    __m512d v = _mm512_mul_pd(_mm512_cvtepi32_pd(q), s);
    if (divisor != 1) v = _mm512_div_pd(v, d);
    store8(x + i, first(n - i), v);
  }
}

#include "codec/quant/combine.inl"
