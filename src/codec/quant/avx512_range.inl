// SPDX-License-Identifier: BSD-3-Clause
// The two smallest and the two largest numbers of a block, with AVX-512.  Included inside a target region.

struct SingleLanes {
  using Number = float;
  using Vector = __m512;
  static constexpr std::size_t lanes = 16;
  LACONIC_INLINE static Vector load(const float* x) { return _mm512_loadu_ps(x); }
  LACONIC_INLINE static Vector all(float v) { return _mm512_set1_ps(v); }
  LACONIC_INLINE static Vector min(Vector a, Vector b) { return _mm512_min_ps(a, b); }
  LACONIC_INLINE static Vector max(Vector a, Vector b) { return _mm512_max_ps(a, b); }
  LACONIC_INLINE static int some_nan(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
  // Every lane meets every other one by these.
  template <int step>
  LACONIC_INLINE static Vector turned(Vector v) {
    if constexpr (step == 0) return _mm512_shuffle_f32x4(v, v, 0x4e);
    if constexpr (step == 1) return _mm512_shuffle_f32x4(v, v, 0xb1);
    return _mm512_permute_ps(v, step == 2 ? 0x4e : 0xb1);
  }
  static constexpr int steps = 4;
  LACONIC_INLINE static float first(Vector v) { return _mm512_cvtss_f32(v); }
};
struct DoubleLanes {
  using Number = double;
  using Vector = __m512d;
  static constexpr std::size_t lanes = 8;
  LACONIC_INLINE static Vector load(const double* x) { return _mm512_loadu_pd(x); }
  LACONIC_INLINE static Vector all(double v) { return _mm512_set1_pd(v); }
  LACONIC_INLINE static Vector min(Vector a, Vector b) { return _mm512_min_pd(a, b); }
  LACONIC_INLINE static Vector max(Vector a, Vector b) { return _mm512_max_pd(a, b); }
  LACONIC_INLINE static int some_nan(Vector a, Vector b) { return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q); }
  template <int step>
  LACONIC_INLINE static Vector turned(Vector v) {
    if constexpr (step == 0) return _mm512_shuffle_f64x2(v, v, 0x4e);
    if constexpr (step == 1) return _mm512_shuffle_f64x2(v, v, 0xb1);
    return _mm512_permute_pd(v, 0x55);
  }
  static constexpr int steps = 3;
  LACONIC_INLINE static double first(Vector v) { return _mm512_cvtsd_f64(v); }
};

#include "codec/quant/range.inl"
