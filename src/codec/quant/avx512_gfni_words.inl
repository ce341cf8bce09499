// SPDX-License-Identifier: BSD-3-Clause
// Points as words of 16 bits, and the encoding of blocks of numbers through them.  Included inside the target region of
// avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_points.inl"

struct alignas(64) Points16 {
  std::int16_t before[32];
  std::int16_t q[block_values];
};

// Points up to the first limit can be rounded in float32; differences of points up to the second limit fit 16 bits.
constexpr int largest_point16 = 31999;
constexpr int largest_half = 16383;

// The minimum and the maximum of several points, in each lane.
struct Extent {
  __m512i most;
  __m512i least;

  LACONIC_INLINE Extent()
      : most(_mm512_set1_epi16(std::numeric_limits<std::int16_t>::min())),
        least(_mm512_set1_epi16(std::numeric_limits<std::int16_t>::max())) {}
  LACONIC_INLINE void take(__m512i q) {
    most = _mm512_max_epi16(most, q);
    least = _mm512_min_epi16(least, q);
  }
  LACONIC_INLINE bool within(std::int16_t magnitude) const {
    return (_mm512_cmpgt_epi16_mask(most, _mm512_set1_epi16(magnitude)) |
            _mm512_cmplt_epi16_mask(least, _mm512_set1_epi16(static_cast<std::int16_t>(-magnitude)))) == 0;
  }
  // The overall maximum minus the overall minimum.
  int spread() const {
    const __m512i high =
        _mm512_max_epi32(_mm512_srai_epi32(most, 16), _mm512_srai_epi32(_mm512_slli_epi32(most, 16), 16));
    const __m512i low =
        _mm512_min_epi32(_mm512_srai_epi32(least, 16), _mm512_srai_epi32(_mm512_slli_epi32(least, 16), 16));
    return _mm512_reduce_max_epi32(high) - _mm512_reduce_min_epi32(low);
  }
};

// True if points of this extent, and the differences of neighbouring points, are small enough for this path.
template <std::size_t groups>
LACONIC_INLINE bool in_words(Points16& points, const Extent& extent) {
  points.before[30] = points.before[31] = points.q[0];
  if (extent.within(largest_half)) return true;
  if (!extent.within(largest_point16)) return false;
  if (extent.spread() <= std::numeric_limits<std::int16_t>::max()) return true;
  __m512i off = _mm512_setzero_si512();
  for (std::size_t i = 0; i < groups * group_values; i += 32) {
    const __m512i v = _mm512_load_si512(points.q + i);
    const __m512i v1 = _mm512_loadu_si512(points.q + i - 1);
    // off |= difference ^ saturated difference
    off = _mm512_ternarylogic_epi64(off, _mm512_sub_epi16(v, v1), _mm512_subs_epi16(v, v1), 0xf6);
  }
  return _mm512_test_epi16_mask(off, off) == 0;
}

// Own numbers are prefetched two blocks ahead: while residuals are packed, memory serves only earlier requests.
constexpr std::ptrdiff_t own_ahead = 2 * block_values * sizeof(float);

// Rounds in float32; false when a point is too large for this path.
template <std::size_t groups>
LACONIC_INLINE bool quantise_words(const float* x, const Lattice& lattice, Points16& points) {
  if (!(lattice.largest_single > largest_point16)) return false;
  const __m512 inverse = _mm512_set1_ps(lattice.inverse_single);
  const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  Extent extent;
  for (std::size_t i = 0; i < groups * group_values; i += 32) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + own_ahead, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + own_ahead + 64, _MM_HINT_T0);
    // A number that does not fit an integer becomes the smallest integer, and then the smallest word.
    const __m512i a = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i), inverse));
    const __m512i b = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i + 16), inverse));
    const __m512i q = _mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(a, b));
    extent.take(q);
    _mm512_store_si512(points.q + i, q);
  }
  return in_words<groups>(points, extent);
}

// 32 residuals in order.  Those of order 2 saturate: see saturated().
template <int order>
LACONIC_INLINE __m512i residuals32(const std::int16_t* q) {
  const __m512i v = _mm512_loadu_si512(q);
  if constexpr (order == 0) return v;
  __m512i v1 = _mm512_loadu_si512(q - 1);
  if constexpr (order == 2) __asm__("" : "+v"(v1));  // loaded once: it lies in two cache lines
  const __m512i first = _mm512_sub_epi16(v, v1);
  if constexpr (order == 1) return first;
  return _mm512_subs_epi16(first, _mm512_sub_epi16(v1, _mm512_loadu_si512(q - 2)));
}
LACONIC_INLINE __m512i load_two(const std::int16_t* first, const std::int16_t* second) {
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
  return _mm512_inserti64x4(_mm512_castsi256_si512(a), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second)), 1);
}

// The leading zeros of the bits that are set in the sub-blocks in a and in b, two in each.  A smaller width means more
// of them.
LACONIC_INLINE int leading_zeros(__m512i a, __m512i b) {
  a = zigzag_words(a);
  b = zigzag_words(b);
  __m512i t = _mm512_or_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
  t = _mm512_or_si512(t, _mm512_shuffle_i64x2(t, t, 0xb1));
  t = _mm512_or_si512(t, _mm512_srli_epi64(t, 32));
  t = _mm512_and_si512(_mm512_or_si512(t, _mm512_srli_epi64(t, 16)), _mm512_set1_epi64(0xffff));
  return static_cast<int>(_mm512_reduce_add_epi64(_mm512_lzcnt_epi64(t)));
}

struct Choice {
  int order = -1;  // -1: cannot be determined in 16 bits
  bool wide = false;
};

Choice best_order(const Points16& points) {
  static_assert(sampled_subs[0] == 1 && sampled_subs[1] == 3 && sampled_subs[2] == 5 && sampled_subs[3] == 7);
  const std::int16_t* q = points.q + sub_values;
  constexpr std::size_t apart = 2 * sub_values;
  const __m512i a = load_two(q, q + apart);
  const __m512i b = load_two(q + 2 * apart, q + 3 * apart);
  const __m512i a1 = load_two(q - 1, q + apart - 1);
  const __m512i b1 = load_two(q + 2 * apart - 1, q + 3 * apart - 1);
  const __m512i a2 = load_two(q - 2, q + apart - 2);
  const __m512i b2 = load_two(q + 2 * apart - 2, q + 3 * apart - 2);
  const __m512i da = _mm512_sub_epi16(a, a1);
  const __m512i db = _mm512_sub_epi16(b, b1);
  const __m512i sa = _mm512_subs_epi16(da, _mm512_sub_epi16(a1, a2));
  const __m512i sb = _mm512_subs_epi16(db, _mm512_sub_epi16(b1, b2));
  if (saturated(_mm512_max_epi16(sa, sb), _mm512_min_epi16(sa, sb))) return {};
  const int zeros0 = leading_zeros(a, b);
  const int zeros1 = leading_zeros(da, db);
  const int zeros2 = leading_zeros(sa, sb);
  if (zeros2 > zeros0 && zeros2 > zeros1) return {2, !all_bytes(beyond_bytes(sa, sb))};
  return zeros1 > zeros0 ? Choice{1, !all_bytes(beyond_bytes(da, db))} : Choice{0, !all_bytes(beyond_bytes(a, b))};
}

// The residuals of own numbers as rows, to be used only if valid() is true at the end.
template <int order>
struct OwnRows {
  const Points16& points;
  __m512i beyond = _mm512_setzero_si512();

  LACONIC_INLINE __m512i operator()(std::size_t g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    beyond = _mm512_or_si512(beyond, beyond_bytes(r0, r1));
    return _mm512_permutex2var_epi8(r0, load(rows_of_words[0]), r1);
  }
  bool valid() const { return all_bytes(beyond); }
};

// The residuals of own numbers as rows of words, to be used only if valid() is true at the end.
template <int order>
struct OwnWords {
  const Points16& points;
  __m512i most = _mm512_setzero_si512();
  __m512i least = _mm512_setzero_si512();

  LACONIC_INLINE Pair operator()(std::size_t g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if constexpr (order == 2) {
      most = _mm512_max_epi16(most, _mm512_max_epi16(r0, r1));
      least = _mm512_min_epi16(least, _mm512_min_epi16(r0, r1));
    }
    return rows_of(r0, r1);
  }
  bool valid() const { return !saturated(most, least); }
};

template <int order, std::size_t groups>
bool encode_order(const Points16& points, bool wide, Output& o) {
  OwnRows<order> rows{points};
  if (!wide) o.narrow(rows, groups);
  if (wide || !rows.valid()) {
    OwnWords<order> words{points};
    o.words(words, groups);
    if (!words.valid()) return false;
  }
  o.name(order, points.q[0]);
  return true;
}

template <std::size_t groups>
bool encode_points(const Points16& points, Output& o) {
  const Choice choice = best_order(points);
  switch (choice.order) {
    case 0: return encode_order<0, groups>(points, choice.wide, o);
    case 1: return encode_order<1, groups>(points, choice.wide, o);
    case 2: return encode_order<2, groups>(points, choice.wide, o);
    default: return false;
  }
}
