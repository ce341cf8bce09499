// SPDX-License-Identifier: BSD-3-Clause
// The two smallest and the two largest numbers of a block, with AVX2.  Included inside a target region.

struct SingleLanes {
  using Number = float;
  using Vector = __m256;
  static constexpr std::size_t lanes = 8;
  LACONIC_INLINE static Vector load(const float* x) { return _mm256_loadu_ps(x); }
  LACONIC_INLINE static Vector all(float v) { return _mm256_set1_ps(v); }
  LACONIC_INLINE static Vector min(Vector a, Vector b) { return _mm256_min_ps(a, b); }
  LACONIC_INLINE static Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
  LACONIC_INLINE static int some_nan(Vector a, Vector b) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
  }
  // Every lane meets every other one by these.
  template <int step>
  LACONIC_INLINE static Vector turned(Vector v) {
    if constexpr (step == 0) return _mm256_permute2f128_ps(v, v, 1);
    return _mm256_permute_ps(v, step == 1 ? 0x4e : 0xb1);
  }
  static constexpr int steps = 3;
  LACONIC_INLINE static float first(Vector v) { return _mm256_cvtss_f32(v); }
};
struct DoubleLanes {
  using Number = double;
  using Vector = __m256d;
  static constexpr std::size_t lanes = 4;
  LACONIC_INLINE static Vector load(const double* x) { return _mm256_loadu_pd(x); }
  LACONIC_INLINE static Vector all(double v) { return _mm256_set1_pd(v); }
  LACONIC_INLINE static Vector min(Vector a, Vector b) { return _mm256_min_pd(a, b); }
  LACONIC_INLINE static Vector max(Vector a, Vector b) { return _mm256_max_pd(a, b); }
  LACONIC_INLINE static int some_nan(Vector a, Vector b) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q));
  }
  template <int step>
  LACONIC_INLINE static Vector turned(Vector v) {
    if constexpr (step == 0) return _mm256_permute2f128_pd(v, v, 1);
    return _mm256_permute_pd(v, 0x5);
  }
  static constexpr int steps = 2;
  LACONIC_INLINE static double first(Vector v) { return _mm256_cvtsd_f64(v); }
};

#include "codec/quant/range.inl"
