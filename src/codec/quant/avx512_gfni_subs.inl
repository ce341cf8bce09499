// SPDX-License-Identifier: BSD-3-Clause
// Residuals of 32 bits, a sub-block at a time.  Included inside the target region of avx512_gfni.cpp.

#include "codec/quant/avx512_numbers.inl"

__m512i zigzag16(__m512i r) { return _mm512_xor_si512(_mm512_slli_epi32(r, 1), _mm512_srai_epi32(r, 31)); }

template <int order>
__m512i residuals16(const std::int32_t* q) {
  const __m512i v = _mm512_load_si512(q);
  if constexpr (order == 0) return zigzag16(v);
  const __m512i v1 = _mm512_loadu_si512(q - 1);
  const __m512i first = _mm512_sub_epi32(v, v1);
  if constexpr (order == 1) return zigzag16(first);
  return zigzag16(_mm512_sub_epi32(first, _mm512_sub_epi32(v1, _mm512_loadu_si512(q - 2))));
}

__m512i unzigzag16(__m512i z) {
  const __m512i odd = _mm512_and_si512(z, _mm512_set1_epi32(1));
  return _mm512_xor_si512(_mm512_srli_epi32(z, 1), _mm512_sub_epi32(_mm512_setzero_si512(), odd));
}

// The prefix sum of the lanes, plus `carry`; the last sum is broadcast to every lane of `carry`.
__m512i prefix16(__m512i r, __m512i& carry) {
  const __m512i zero = _mm512_setzero_si512();
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 15));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 14));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 12));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 8));
  r = _mm512_add_epi32(r, carry);
  carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), r);
  return r;
}

// The sum of the widths of four sub-blocks.
unsigned width_of_four(const __m512i* z) {
  // Four reductions are done at once, as in a transpose.
  const __m512i t0 = _mm512_or_si512(_mm512_unpacklo_epi32(z[0], z[1]), _mm512_unpackhi_epi32(z[0], z[1]));
  const __m512i t1 = _mm512_or_si512(_mm512_unpacklo_epi32(z[2], z[3]), _mm512_unpackhi_epi32(z[2], z[3]));
  const __m512i t = _mm512_or_si512(_mm512_unpacklo_epi64(t0, t1), _mm512_unpackhi_epi64(t0, t1));
  const __m256i half = _mm256_or_si256(_mm512_castsi512_si256(t), _mm512_extracti64x4_epi64(t, 1));
  const __m128i bits = _mm_or_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  // A width is 32 minus the leading zeros.
  const __m128i zeros = _mm_lzcnt_epi32(bits);
  const __m128i two = _mm_add_epi32(zeros, _mm_shuffle_epi32(zeros, 0x4e));
  return 128 - static_cast<unsigned>(_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1))));
}

template <int order>
unsigned sampled_width(const Points& points, std::size_t subs) {
  __m512i z[4];
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t s = sampled_subs[k];
    z[k] = s < subs ? residuals16<order>(points.q + s * sub_values) : _mm512_setzero_si512();
  }
  return width_of_four(z);
}
