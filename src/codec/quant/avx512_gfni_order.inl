// SPDX-License-Identifier: BSD-3-Clause
// The test whether sums of residuals are in the order that encoding their points would choose.  Included inside the
// target region of avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_words.inl"

// The residuals of the groups that decide the order, in runs, with a sub-block in each 128 bits: `own` holds the
// sampled sub-blocks, `before` the sub-block before each of them.
template <bool words>
struct Sampled {
  static_assert(sampled_subs[0] == 1 && sampled_subs[1] == 3 && sampled_subs[2] == 5 && sampled_subs[3] == 7);
  Runs<words> before;
  Runs<words> own;
};

// Samples the residuals given as rows.
LACONIC_INLINE Sampled<false> sampled(const __m512i* rows) {
  return {{{_mm512_permutex2var_epi8(rows[0], load(alternate_bytes[0]), rows[1])}},
          {{_mm512_permutex2var_epi8(rows[0], load(alternate_bytes[1]), rows[1])}}};
}
LACONIC_INLINE Runs<true> alternate(const Pair* rows, const ByteTable& table) {
  const __m512i a = _mm512_permutex2var_epi8(rows[0].low, load(table), rows[0].high);
  const __m512i b = _mm512_permutex2var_epi8(rows[1].low, load(table), rows[1].high);
  return {{_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee)}};
}
LACONIC_INLINE Sampled<true> sampled(const Pair* rows) {
  return {alternate(rows, alternate_words[0]), alternate(rows, alternate_words[1])};
}

// The sum of all runs before each run, starting from `base`.
struct Sums {
  __m512i before;
  __m512i own;
};
LACONIC_INLINE __m512i sums_in_sub(__m512i v) {
  v = _mm512_add_epi32(v, _mm512_bslli_epi128(v, 4));
  return _mm512_add_epi32(v, _mm512_bslli_epi128(v, 8));
}
LACONIC_INLINE Sums sums_before(const Sums& moves, __m512i base) {
  const __m512i zero = _mm512_setzero_si512();
  const Sums in_sub = {sums_in_sub(moves.before), sums_in_sub(moves.own)};
  const __m512i sub_before = _mm512_shuffle_epi32(in_sub.before, _MM_PERM_DDDD);
  const __m512i both = _mm512_add_epi32(sub_before, _mm512_shuffle_epi32(in_sub.own, _MM_PERM_DDDD));
  __m512i subs = _mm512_add_epi32(both, _mm512_alignr_epi64(both, zero, 6));
  subs = _mm512_add_epi32(subs, _mm512_alignr_epi64(subs, zero, 4));
  const __m512i start = _mm512_add_epi32(base, _mm512_sub_epi32(subs, both));
  return {_mm512_add_epi32(start, _mm512_sub_epi32(in_sub.before, moves.before)),
          _mm512_add_epi32(_mm512_add_epi32(start, sub_before), _mm512_sub_epi32(in_sub.own, moves.own))};
}

// The residual at position k of every run.
template <bool words>
LACONIC_INLINE __m512i residual(const Runs<words>& r, int k) {
  constexpr int bits = words ? 16 : 8;
  const __m512i part = r.parts[words ? k / 2 : 0];
  const int above = words ? 1 - k % 2 : 3 - k;
  return _mm512_srai_epi32(above == 0 ? part : _mm512_slli_epi32(part, static_cast<unsigned>(bits * above)), 32 - bits);
}

// The widths of the zigzags of the numbers that take() was given, as leading zeros: the zigzag of r has as many as r ^
// 2r.
class Widths {
 public:
  LACONIC_INLINE Widths() : bits_(_mm512_setzero_si512()) {}
  LACONIC_INLINE void take(__m512i r) { bits_ = _mm512_ternarylogic_epi32(bits_, r, _mm512_add_epi32(r, r), 0xf6); }
  // The leading zeros of each sub-block, in all of its lanes.
  LACONIC_INLINE __m512i zeros() const {
    const __m512i two = _mm512_or_si512(bits_, _mm512_shuffle_epi32(bits_, _MM_PERM_BADC));
    return _mm512_lzcnt_epi32(_mm512_or_si512(two, _mm512_shuffle_epi32(two, _MM_PERM_CDAB)));
  }

 private:
  __m512i bits_;
};

// True if encoding the points of a sum would choose the order that its residuals are in.
template <int order, bool words>
LACONIC_INLINE bool keeps_order(const Sampled<words>& r, std::int32_t base) {
  // The run before each one: only its last residuals are used.
  constexpr std::size_t last_part = words ? 1 : 0;
  Runs<words> previous = r.own;
  previous.parts[last_part] = _mm512_alignr_epi8(r.own.parts[last_part], r.before.parts[last_part], 12);
  const __m512i last = residual(previous, 3);
  __m512i point = last;
  __m512i move = last;
  if constexpr (order == 0) {
    move = _mm512_sub_epi32(last, residual(previous, 2));
  } else {
    Sums moves = {sums_of(r.before), sums_of(r.own)};
    if constexpr (order == 2) {
      const Sums slopes = sums_before(moves, _mm512_setzero_si512());
      move = slopes.own;
      moves = {moves_of(r.before, slopes.before), moves_of(r.own, slopes.own)};
    }
    point = sums_before(moves, _mm512_set1_epi32(base)).own;
  }
  Widths widths[3];
  for (int k = 0; k < 4; ++k) {
    const __m512i own = residual(r.own, k);
    const __m512i next_move = order == 0   ? _mm512_sub_epi32(own, point)
                              : order == 1 ? own
                                           : _mm512_add_epi32(move, own);
    const __m512i second = order == 2 ? own : _mm512_sub_epi32(next_move, move);
    move = next_move;
    point = order == 0 ? own : _mm512_add_epi32(point, move);
    widths[0].take(point);
    widths[1].take(move);
    widths[2].take(second);
  }
  // A smaller width means more leading zeros.  Their sums over four sub-blocks have 8 bits.
  const __m512i zeros = _mm512_or_si512(widths[0].zeros(), _mm512_or_si512(_mm512_slli_epi32(widths[1].zeros(), 8),
                                                                           _mm512_slli_epi32(widths[2].zeros(), 16)));
  const __m256i two = _mm256_add_epi32(_mm512_castsi512_si256(zeros), _mm512_extracti64x4_epi64(zeros, 1));
  const auto sums = static_cast<unsigned>(
      _mm_cvtsi128_si32(_mm_add_epi32(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1))));
  const unsigned zeros0 = sums & 255;
  const unsigned zeros1 = sums >> 8 & 255;
  const unsigned zeros2 = sums >> 16;
  return order == (zeros2 > zeros0 && zeros2 > zeros1 ? 2 : zeros1 > zeros0 ? 1 : 0);
}
