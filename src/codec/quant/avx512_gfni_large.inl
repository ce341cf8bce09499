// SPDX-License-Identifier: BSD-3-Clause
// Blocks of points that are too large for words of 16 bits, as smooth numbers have them under a small allowance.  Their
// residuals may fit words all the same.  Included inside the target region of avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_order.inl"

// Encodes any points; some_long: a summand has residuals of more than 16 bits, so the sum is likely to.
template <std::size_t groups>
void encode_large(Points& points, bool some_long, Output& o) {
  points.before[14] = points.before[15] = points.q[0];
  const unsigned width0 = sampled_width<0>(points, groups * group_subs);
  const unsigned width1 = sampled_width<1>(points, groups * group_subs);
  const unsigned width2 = sampled_width<2>(points, groups * group_subs);
  if (width2 < width0 && width2 < width1) return take_points<2>(points, groups, some_long || likely_long(width2), o);
  if (width1 < width0) return take_points<1>(points, groups, some_long || likely_long(width1), o);
  take_points<0>(points, groups, some_long || likely_long(width0), o);
}

// True if a number at the beginning of a block has a point that is too large for words: then the others need not be
// tried as words.
bool starts_large(const float* x, const Lattice& lattice) {
  const __m512 y = _mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(lattice.inverse_single));
  return _mm512_cmp_ps_mask(_mm512_abs_ps(y), _mm512_set1_ps(largest_point16), _CMP_NLE_UQ) != 0;
}

template <std::size_t groups>
bool quantise_large(const float* x, const Lattice& lattice, Points& points) {
  constexpr std::size_t n = groups * group_values;
  if (!quantise_single_all(x, n, lattice, points) && !quantise_mixed_all(x, n, lattice, points)) return false;
  points.before[14] = points.before[15] = points.q[0];
  return true;
}

template <std::size_t groups>
void to_points(const Points16& words, Points& points) {
  for (std::size_t i = 0; i < groups * group_values; i += 16)
    _mm512_store_si512(points.q + i,
                       _mm512_cvtepi16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(words.q + i))));
}

// Adds the points of a packed block, times 2^up.
struct AddPoints {
  std::int32_t* sum;
  __m128i up;

  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    _mm512_store_si512(sum + i, _mm512_add_epi32(_mm512_load_si512(sum + i), _mm512_sll_epi32(q, up)));
  }
};
template <std::size_t groups>
void add_points(const GroupHead& h, Source in, int up, Points& sum) {
  AddPoints sink{sum.q, _mm_cvtsi32_si128(up)};
  switch (h.order) {
    case 0: any_to_points<0>(h, in, groups, sink); break;
    case 1: any_to_points<1>(h, in, groups, sink); break;
    default: any_to_points<2>(h, in, groups, sink); break;
  }
}
