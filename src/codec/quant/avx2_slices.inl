// SPDX-License-Identifier: BSD-3-Clause
// Sums of residuals in bit-plane form: frames hold bits in planes, and a sum is formed plane by plane, 256 residuals at
// a time, without unpacking and repacking the bits.  Included inside a target region.

#include "codec/quant/avx2_planes.inl"

// A slice is four groups.  Bit i of a 16-bit word in plane k is bit k of residual i of a sub-block.  Sub-blocks 0, 2, 4
// ... 14 are in the first half, the others in the second.
constexpr std::size_t slice_groups = 4;
constexpr std::size_t slice_pairs = 2 * slice_groups;

// Bit planes of two's complement residuals.  Without `wide` residuals are bytes, and a sum of two has nine bits.
struct Slice {
  __m256i planes[16];
};

// Transposes 8x8 words in each half: word k of vector s becomes word s of vector k.
LACONIC_INLINE void transpose_words(__m256i* v) {
  __m256i a[8];
  for (std::size_t k = 0; k < 4; ++k) {
    a[2 * k] = _mm256_unpacklo_epi16(v[2 * k], v[2 * k + 1]);
    a[2 * k + 1] = _mm256_unpackhi_epi16(v[2 * k], v[2 * k + 1]);
  }
  __m256i b[8];
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t half = 0; half < 2; ++half) {
      b[4 * k + 2 * half] = _mm256_unpacklo_epi32(a[4 * k + half], a[4 * k + 2 + half]);
      b[4 * k + 2 * half + 1] = _mm256_unpackhi_epi32(a[4 * k + half], a[4 * k + 2 + half]);
    }
  for (std::size_t k = 0; k < 4; ++k) {
    v[2 * k] = _mm256_unpacklo_epi64(b[k], b[k + 4]);
    v[2 * k + 1] = _mm256_unpackhi_epi64(b[k], b[k + 4]);
  }
}

// Transposes 8x8 bits across vectors: bit k of every byte of vector i becomes bit i of the same byte of vector k.
LACONIC_INLINE void swap_bits_between(__m256i& a, __m256i& b, int by, int mask) {
  const __m256i t =
      _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(a, by), b), _mm256_set1_epi8(static_cast<char>(mask)));
  b = _mm256_xor_si256(b, t);
  a = _mm256_xor_si256(a, _mm256_slli_epi16(t, by));
}
LACONIC_INLINE void transpose_bits_between(__m256i* v) {
  for (std::size_t i = 0; i < 4; ++i) swap_bits_between(v[i], v[i + 4], 4, 0x0f);
  for (std::size_t i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) swap_bits_between(v[i], v[i + 2], 2, 0x33);
  for (std::size_t i = 0; i < 8; i += 2) swap_bits_between(v[i], v[i + 1], 1, 0x55);
}

// Makes a slice from the residuals of four groups, with a sub-block in each vector.
template <bool wide>
LACONIC_INLINE void slice_words(const __m256i* r, Slice& slice) {
  __m256i low[slice_pairs];
  __m256i high[slice_pairs];
  const __m256i byte = _mm256_set1_epi16(255);
  for (std::size_t p = 0; p < slice_pairs; ++p) {
    // Residuals i and i + 8 of a sub-block become the two bytes of a word.
    const __m256i first = _mm256_permute2x128_si256(r[2 * p], r[2 * p + 1], 0x20);
    const __m256i second = _mm256_permute2x128_si256(r[2 * p], r[2 * p + 1], 0x31);
    low[p] = _mm256_or_si256(_mm256_and_si256(first, byte), _mm256_slli_epi16(second, 8));
    if constexpr (wide) high[p] = _mm256_or_si256(_mm256_srli_epi16(first, 8), _mm256_andnot_si256(byte, second));
  }
  transpose_words(low);
  transpose_bits_between(low);
  for (std::size_t k = 0; k < 8; ++k) slice.planes[k] = low[k];
  if constexpr (wide) {
    transpose_words(high);
    transpose_bits_between(high);
    for (std::size_t k = 0; k < 8; ++k) slice.planes[8 + k] = high[k];
  }
}

// Makes a slice from the planes of four groups of a packed block, starting at group `first`.
template <bool wide>
LACONIC_INLINE const std::byte* slice_planes(const Places& places, std::size_t first, const std::byte* at,
                                             Slice& slice) {
  __m256i low[slice_pairs];
  __m256i high[slice_pairs];
  for (std::size_t g = 0; g < slice_groups; ++g) {
    const std::size_t s = (first + g) * group_subs;
    __m128i words[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k) words[k] = next_planes(word_places, places.low(), s + k, at);
    low[2 * g] = both(words[0], words[1]);
    low[2 * g + 1] = both(words[2], words[3]);
    if constexpr (wide) {
      for (std::size_t k = 0; k < group_subs; ++k) words[k] = next_planes(word_places, places.high(), s + k, at);
      high[2 * g] = both(words[0], words[1]);
      high[2 * g + 1] = both(words[2], words[3]);
    }
  }
  // Plane k is plane k + 1 of the zigzag, exclusive or the sign, which is plane 0 there.
  transpose_words(low);
  const __m256i sign = low[0];
  for (std::size_t k = 0; k < 7; ++k) slice.planes[k] = _mm256_xor_si256(low[k + 1], sign);
  slice.planes[7] = sign;
  if constexpr (wide) {
    transpose_words(high);
    for (std::size_t k = 0; k < 8; ++k) slice.planes[7 + k] = _mm256_xor_si256(high[k], sign);
    slice.planes[15] = sign;
  }
  return at;
}

// a += b.  Adds to `off` the places where a sum of words overflows.  For bytes, plane 8 becomes the sign.
template <bool wide>
LACONIC_INLINE void add_slice(Slice& a, const Slice& b, __m256i& off) {
  constexpr std::size_t bits = wide ? 16 : 8;
  __m256i carry = _mm256_setzero_si256();
  __m256i into_sign = carry;
  __m256i differ = carry;
  for (std::size_t k = 0; k < bits; ++k) {
    into_sign = carry;
    differ = _mm256_xor_si256(a.planes[k], b.planes[k]);
    const __m256i both_set = _mm256_and_si256(a.planes[k], b.planes[k]);
    a.planes[k] = _mm256_xor_si256(differ, carry);
    carry = _mm256_or_si256(both_set, _mm256_and_si256(differ, carry));
  }
  if constexpr (wide)
    off = _mm256_or_si256(off, _mm256_xor_si256(into_sign, carry));
  else
    a.planes[8] = _mm256_xor_si256(differ, carry);  // one more bit of each, which is their sign again
}

// Puts eight planes of all sub-blocks of slice s back into the memory from which they are written.
LACONIC_INLINE void stage_byte(__m256i* z, std::size_t byte, std::size_t s, StagedPlanes& staged) {
  transpose_words(z);
  for (std::size_t p = 0; p < slice_pairs; ++p)
    _mm256_store_si256(reinterpret_cast<__m256i*>(staged.planes[byte][s * slice_groups + p / 2][2 * (p % 2)]), z[p]);
}

// Stages the zigzags of a slice as slice s; returns the planes that any of them has.
template <bool wide>
LACONIC_INLINE __m256i stage_slice(const Slice& slice, std::size_t s, StagedPlanes& staged) {
  constexpr std::size_t bits = wide ? 16 : 9;
  const __m256i zero = _mm256_setzero_si256();
  const __m256i sign = slice.planes[bits - 1];
  __m256i z[16];
  z[0] = sign;
  for (std::size_t k = 1; k < bits; ++k) z[k] = _mm256_xor_si256(slice.planes[k - 1], sign);
  __m256i present = zero;
  for (std::size_t k = 0; k < bits; ++k)
    present = _mm256_or_si256(present, _mm256_andnot_si256(_mm256_cmpeq_epi16(z[k], zero),
                                                           _mm256_set1_epi16(static_cast<std::int16_t>(1 << k))));
  for (std::size_t k = bits; k < 16; ++k) z[k] = zero;
  stage_byte(z, 0, s, staged);
  // Without a ninth plane the second byte is never read.
  if (wide || _mm256_testz_si256(z[8], z[8]) == 0) stage_byte(z + 8, 1, s, staged);
  // Reorders from even and odd sub-blocks to all sub-blocks in sequence.
  const __m128i even = _mm256_castsi256_si128(present);
  const __m128i odd = _mm256_extracti128_si256(present, 1);
  const __m128i first = _mm_unpacklo_epi16(even, odd);
  const __m128i second = _mm_unpackhi_epi16(even, odd);
  const __m128i byte = _mm_set1_epi16(255);
  const std::size_t sub = s * slice_groups * group_subs;
  _mm_store_si128(reinterpret_cast<__m128i*>(staged.present[0] + sub),
                  _mm_packus_epi16(_mm_and_si128(first, byte), _mm_and_si128(second, byte)));
  _mm_store_si128(reinterpret_cast<__m128i*>(staged.present[1] + sub),
                  _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8)));
  return present;
}
