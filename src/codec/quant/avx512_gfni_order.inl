// Whether sums of residuals are in the order that encoding their points would choose.  Included inside the target region
// of avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_words.inl"

// Lanes of two vectors in which the runs of every second sub-block are, and lanes `back` before these.
template <bool words>
LACONIC_INLINE __m512i sampled(__m512i a, __m512i b, int back) {
  const __m512i lanes = words ? _mm512_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
                              : _mm512_setr_epi32(4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  return _mm512_permutex2var_epi32(a, _mm512_sub_epi32(lanes, _mm512_set1_epi32(back)), b);
}

// Whether encoding the points of a sum would choose the order that its residuals are in; r are those of the groups that
// decide, in order, as bytes or words.
template <int order, bool words>
LACONIC_INLINE bool keeps_order(const __m512i* r, std::int32_t base) {
  constexpr unsigned positions = Runs<words>::positions;
  constexpr unsigned bits = 32 / positions;
  constexpr std::size_t parts = words ? 2 : 1;
  Starts<order, words> starts;
  starts.find(r, 2 * parts, base);
  __m512i set[3][parts];  // the bits of zigzagged points, differences and second differences, a run to a lane
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t v = 2 * part;
    const __m512i run = sampled<words>(r[v], r[v + 1], 0);
    const __m512i before = sampled<words>(r[v], r[v + 1], 1);
    const __m512i last = _mm512_srai_epi32(before, 32 - bits);
    __m512i point = order == 0 ? last : sampled<words>(starts.start(v), starts.start(v + 1), 0);
    __m512i move = last;
    if constexpr (order == 0)
      move = _mm512_sub_epi32(last, _mm512_srai_epi32(_mm512_slli_epi32(before, bits), 32 - bits));
    if constexpr (order == 2) move = sampled<words>(starts.slope(v), starts.slope(v + 1), 0);
    for (__m512i(&s)[parts] : set) s[part] = _mm512_setzero_si512();
    for (unsigned k = 0; k < positions; ++k) {
      const __m512i own = _mm512_srai_epi32(_mm512_slli_epi32(run, bits * (positions - 1 - k)), 32 - bits);
      const __m512i next_move = order == 0   ? _mm512_sub_epi32(own, point)
                                : order == 1 ? own
                                             : _mm512_add_epi32(move, own);
      const __m512i second = order == 2 ? own : _mm512_sub_epi32(next_move, move);
      move = next_move;
      point = order == 0 ? own : _mm512_add_epi32(point, move);
      set[0][part] = _mm512_or_si512(set[0][part], zigzag16(point));
      set[1][part] = _mm512_or_si512(set[1][part], zigzag16(move));
      set[2][part] = _mm512_or_si512(set[2][part], zigzag16(second));
    }
  }
  // Less width is more leading zeros.  Every sub-block is in four lanes in the end, so the sums of zeros have 10 bits.
  __m512i zeros[3];
  for (int k = 0; k < 3; ++k) {
    __m512i t = set[k][0];
    if constexpr (words) {
      t = _mm512_or_si512(_mm512_unpacklo_epi64(t, set[k][1]), _mm512_unpackhi_epi64(t, set[k][1]));
      t = _mm512_or_si512(t, _mm512_shuffle_i64x2(t, t, 0xb1));
    } else {
      t = _mm512_or_si512(t, _mm512_shuffle_epi32(t, _MM_PERM_BADC));
    }
    zeros[k] = _mm512_lzcnt_epi32(_mm512_or_si512(t, _mm512_shuffle_epi32(t, _MM_PERM_CDAB)));
  }
  const auto sums = static_cast<unsigned>(_mm512_reduce_add_epi32(_mm512_add_epi32(
      zeros[0], _mm512_add_epi32(_mm512_slli_epi32(zeros[1], 10), _mm512_slli_epi32(zeros[2], 20)))));
  const unsigned zeros0 = sums & 1023;
  const unsigned zeros1 = sums >> 10 & 1023;
  const unsigned zeros2 = sums >> 20;
  return order == (zeros2 > zeros0 && zeros2 > zeros1 ? 2 : zeros1 > zeros0 ? 1 : 0);
}
