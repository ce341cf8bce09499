// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking with AVX2, also for processors that have AVX-512 but not the instructions of avx512_gfni.cpp.
// Included inside a target region.

#include "codec/quant/avx2_places.inl"

__m256i zigzag8(__m256i r) { return _mm256_xor_si256(_mm256_slli_epi32(r, 1), _mm256_srai_epi32(r, 31)); }

template <int order>
LACONIC_INLINE __m256i differences8(const std::int32_t* q) {
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(q));
  if constexpr (order == 0) return v;
  const __m256i v1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q - 1));
  const __m256i first = _mm256_sub_epi32(v, v1);
  if constexpr (order == 1) return first;
  const __m256i v2 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q - 2));
  return _mm256_sub_epi32(first, _mm256_sub_epi32(v1, v2));
}
template <int order>
__m256i residuals8(const std::int32_t* q) {
  return zigzag8(differences8<order>(q));
}

// The bits that are set in any of 16 residuals.
std::uint32_t bits16(__m256i low, __m256i high) {
  const __m256i both = _mm256_or_si256(low, high);
  __m128i v = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0x4e));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(v));
}

template <int order>
unsigned sampled_width(const Points& points, std::size_t subs) {
  unsigned width = 0;
  for (const std::size_t s : sampled_subs) {
    if (s >= subs) break;
    const std::int32_t* q = points.q + s * sub_values;
    width += static_cast<unsigned>(std::bit_width(bits16(residuals8<order>(q), residuals8<order>(q + 8))));
  }
  return width;
}

// There are no lambdas here because GCC does not give a lambda the target of its enclosing function.
__m256i swap_bits(__m256i v, int by, long long mask) {
  const __m256i t = _mm256_and_si256(_mm256_xor_si256(v, _mm256_srli_epi64(v, by)), _mm256_set1_epi64x(mask));
  return _mm256_xor_si256(v, _mm256_xor_si256(t, _mm256_slli_epi64(t, by)));
}

// Transposes the 8x8 bits of each 64-bit lane: byte i bit k becomes byte k bit i.  (Warren, Hacker's Delight, 7-3.)
__m256i transpose_bits(__m256i x) {
  x = swap_bits(x, 7, 0x00aa00aa00aa00aaLL);
  x = swap_bits(x, 14, 0x0000cccc0000ccccLL);
  return swap_bits(x, 28, 0x00000000f0f0f0f0LL);
}

// The low bytes of 32 residuals, two sub-blocks, in order.
__m256i low_bytes(const __m256i* z) {
  const __m256i byte = _mm256_set1_epi32(255);
  const __m256i a = _mm256_packus_epi32(_mm256_and_si256(z[0], byte), _mm256_and_si256(z[1], byte));
  const __m256i b = _mm256_packus_epi32(_mm256_and_si256(z[2], byte), _mm256_and_si256(z[3], byte));
  // Packing works inside 128-bit lanes and leaves runs of four out of order.
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// Eight planes of each of two sub-blocks, as words, from one byte of each residual.
__m256i planes_of(__m256i bytes) {
  const __m256i interleave = _mm256_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,  //
                                              0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  return _mm256_shuffle_epi8(transpose_bits(bytes), interleave);
}

// The planes of all groups of a block, by byte of the residuals, and which of them are not 0.
struct StagedPlanes {
  alignas(32) std::byte planes[4][block_groups][group_subs][16];
  alignas(32) std::uint8_t present[4][block_subs];
  std::uint8_t bytes[block_groups];  // how many bytes the residuals of a group have
};

// Stages one byte of each of 32 residuals, which are two sub-blocks.
LACONIC_INLINE void stage_bytes(__m256i bytes, std::size_t byte, std::size_t g, std::size_t pair,
                                StagedPlanes& staged) {
  const __m256i words = planes_of(bytes);
  _mm256_store_si256(reinterpret_cast<__m256i*>(staged.planes[byte][g][2 * pair]), words);
  const auto zero = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi16(words, _mm256_setzero_si256())));
  const auto present = static_cast<std::uint16_t>(_pext_u32(~zero, 0x55555555u));
  std::memcpy(staged.present[byte] + g * group_subs + 2 * pair, &present, 2);
}

template <int order>
void stage_group(const std::int32_t* q, std::size_t g, StagedPlanes& staged) {
  __m256i z[8];
  __m256i any = _mm256_setzero_si256();
  for (std::size_t k = 0; k < 8; ++k) {
    z[k] = residuals8<order>(q + 8 * k);
    any = _mm256_or_si256(any, z[k]);
  }
  const std::size_t bytes = _mm256_testz_si256(any, _mm256_set1_epi32(~0xff)) != 0     ? 1
                            : _mm256_testz_si256(any, _mm256_set1_epi32(~0xffff)) != 0 ? 2
                                                                                       : 4;
  staged.bytes[g] = static_cast<std::uint8_t>(bytes);
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    for (std::size_t pair = 0; pair < 2; ++pair) stage_bytes(low_bytes(z + 4 * pair), byte, g, pair, staged);
    for (__m256i& v : z) v = _mm256_srli_epi32(v, 8);
  }
}

// Stages a group of 16-bit zigzags with a sub-block in each vector; the high bytes are staged only if `wide`.
LACONIC_INLINE void stage_words(const __m256i* z, bool wide, std::size_t g, StagedPlanes& staged) {
  staged.bytes[g] = wide ? 2 : 1;
  const __m256i byte = _mm256_set1_epi16(255);
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const __m256i low =
        _mm256_packus_epi16(_mm256_and_si256(z[2 * pair], byte), _mm256_and_si256(z[2 * pair + 1], byte));
    stage_bytes(_mm256_permute4x64_epi64(low, 0xd8), 0, g, pair, staged);
  }
  for (std::size_t pair = 0; pair < 2 && wide; ++pair) {
    const __m256i high = _mm256_packus_epi16(_mm256_srli_epi16(z[2 * pair], 8), _mm256_srli_epi16(z[2 * pair + 1], 8));
    stage_bytes(_mm256_permute4x64_epi64(high, 0xd8), 1, g, pair, staged);
  }
}

// A table that moves eight planes down by `first`.
struct ShiftTable {
  std::uint8_t at[2][16];
};
constexpr ShiftTable make_shift_table() {
  ShiftTable t{};
  for (unsigned first = 0; first < 2; ++first)
    for (unsigned byte = 0; byte < 16; ++byte)
      t.at[first][byte] = static_cast<std::uint8_t>(byte + 2 * first < 16 ? byte + 2 * first : 128);
  return t;
}
alignas(16) constexpr ShiftTable shift_table = make_shift_table();

// The planes of bits 0..7 of a sub-block, without the first plane if it is absent.
LACONIC_INLINE __m128i low_words(const StagedPlanes& staged, std::size_t g, std::size_t k, Planes planes) {
  return _mm_shuffle_epi8(load16(staged.planes[0][g][k]), load16(shift_table.at[planes.first]));
}
LACONIC_INLINE void put16(std::byte* at, __m128i words) { _mm_storeu_si128(reinterpret_cast<__m128i*>(at), words); }

// Writes a block in which some residuals have more than 16 bits.  A plane is present when some residual has that bit.
Entry write_long(int order, std::int32_t base, const StagedPlanes& staged, std::size_t groups, std::byte* out) {
  std::uint32_t bits[block_subs];
  for (std::size_t s = 0; s < block_subs; ++s)
    bits[s] = static_cast<std::uint32_t>(staged.present[0][s]) | static_cast<std::uint32_t>(staged.present[1][s]) << 8 |
              static_cast<std::uint32_t>(staged.present[2][s]) << 16 |
              static_cast<std::uint32_t>(staged.present[3][s]) << 24;
  const Head head = write_head(order, base, bits, out);
  const LongPlaces places(head.planes);
  std::byte* at = out + head.bytes;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t s = g * group_subs;
    for (std::size_t k = 0; k < group_subs; ++k) {
      put16(at, low_words(staged, g, k, head.planes[s + k]));
      at += places.low().bytes[s + k];
    }
    for (std::size_t byte = 1; byte < staged.bytes[g]; ++byte)
      for (std::size_t k = 0; k < group_subs; ++k) {
        put16(at, load16(staged.planes[byte][g][k]));
        at += places.parts[byte].bytes[s + k];
      }
  }
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
}

Entry write_staged(int order, std::int32_t base, const StagedPlanes& staged, std::size_t groups, std::byte* out) {
  __m256i above = _mm256_setzero_si256();
  for (std::size_t byte = 2; byte < 4; ++byte)
    for (std::size_t s = 0; s < block_subs; s += 32)
      above = _mm256_or_si256(above, _mm256_load_si256(reinterpret_cast<const __m256i*>(staged.present[byte] + s)));
  if (_mm256_testz_si256(above, above) == 0) return write_long(order, base, staged, groups, out);
  const Head head = write_full_head(order, base, staged.present[0], staged.present[1], out);
  const Places places(head.planes);
  std::byte* at = out + head.bytes;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t s = g * group_subs;
    for (std::size_t k = 0; k < group_subs; ++k) {
      put16(at, low_words(staged, g, k, head.planes[s + k]));
      at += places.low().bytes[s + k];
    }
    if (staged.bytes[g] == 1) continue;
    for (std::size_t k = 0; k < group_subs; ++k) {
      put16(at, load16(staged.planes[1][g][k]));
      at += places.high().bytes[s + k];
    }
  }
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
}

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  StagedPlanes staged;
  std::memset(staged.present, 0, sizeof staged.present);
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  for (std::size_t g = 0; g < groups; ++g) stage_group<order>(points.q + g * group_subs * sub_values, g, staged);
  return write_staged(order, points.q[0], staged, groups, out);
}

__m256i unzigzag8(__m256i z) {
  const __m256i odd = _mm256_and_si256(z, _mm256_set1_epi32(1));
  return _mm256_xor_si256(_mm256_srli_epi32(z, 1), _mm256_sub_epi32(_mm256_setzero_si256(), odd));
}

// The prefix sum of the lanes, plus `carry`; the last sum is broadcast to every lane of `carry`.
__m256i prefix8(__m256i r, __m256i& carry) {
  r = _mm256_add_epi32(r, _mm256_slli_si256(r, 4));
  r = _mm256_add_epi32(r, _mm256_slli_si256(r, 8));
  const __m256i low_total = _mm256_permutevar8x32_epi32(r, _mm256_set1_epi32(3));
  r = _mm256_add_epi32(r, _mm256_blend_epi32(_mm256_setzero_si256(), low_total, 0xf0));
  const __m256i sums = _mm256_add_epi32(r, carry);
  // There is only one addition from carry to carry, so the next sums wait for nothing else.
  carry = _mm256_add_epi32(carry, _mm256_permutevar8x32_epi32(r, _mm256_set1_epi32(7)));
  return sums;
}

__m256i both(__m128i lower, __m128i upper) { return _mm256_inserti128_si256(_mm256_castsi128_si256(lower), upper, 1); }

// Whole vectors are read, also beyond the last plane.  This is a copy of the planes where the memory after them must
// not be read.
struct Tail {
  std::byte bytes[largest_packed_block + 16];
};
const std::byte* readable(const std::byte* planes, const std::byte* end, Tail& tail) {
  const auto left = static_cast<std::size_t>(end - planes);
  if (left >= sizeof tail.bytes) return planes;
  std::memcpy(tail.bytes, planes, left);
  return tail.bytes;
}

// One byte of each of 32 residuals, from sub-blocks s and s + 1.
LACONIC_INLINE __m256i next_bytes(const Part& part, std::size_t s, const std::byte*& at) {
  const __m128i lower = next_planes(byte_places, part, s, at);
  return transpose_bits(both(lower, next_planes(byte_places, part, s + 1, at)));
}

LACONIC_INLINE int widest_of(const Planes* planes) {
  return std::max(std::max(planes[0].count, planes[1].count), std::max(planes[2].count, planes[3].count));
}

// The residuals of group g, with a sub-block in each vector.  None has more than 8 bits, or 16 if `wide`.
template <bool wide>
LACONIC_INLINE const std::byte* unpack_words(const Places& places, std::size_t g, const std::byte* at, __m256i* r) {
  const std::size_t s = g * group_subs;
  if constexpr (!wide) {
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const __m256i z = next_bytes(places.low(), s + 2 * pair, at);
      const __m256i odd = _mm256_and_si256(z, _mm256_set1_epi8(1));
      const __m256i half = _mm256_and_si256(_mm256_srli_epi16(z, 1), _mm256_set1_epi8(127));
      const __m256i bytes = _mm256_xor_si256(half, _mm256_sub_epi8(_mm256_setzero_si256(), odd));
      r[2 * pair] = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(bytes));
      r[2 * pair + 1] = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(bytes, 1));
    }
    return at;
  }
  __m256i z[2][2];
  for (std::size_t pair = 0; pair < 2; ++pair) z[0][pair] = next_bytes(places.low(), s + 2 * pair, at);
  for (std::size_t pair = 0; pair < 2; ++pair) z[1][pair] = next_bytes(places.high(), s + 2 * pair, at);
  for (std::size_t pair = 0; pair < 2; ++pair) {
    __m256i words[2] = {_mm256_unpacklo_epi8(z[0][pair], z[1][pair]), _mm256_unpackhi_epi8(z[0][pair], z[1][pair])};
    for (__m256i& w : words) {
      const __m256i odd = _mm256_and_si256(w, _mm256_set1_epi16(1));
      w = _mm256_xor_si256(_mm256_srli_epi16(w, 1), _mm256_sub_epi16(_mm256_setzero_si256(), odd));
    }
    r[2 * pair] = _mm256_permute2x128_si256(words[0], words[1], 0x20);
    r[2 * pair + 1] = _mm256_permute2x128_si256(words[0], words[1], 0x31);
  }
  return at;
}

// Unpacks residuals of any width.
LACONIC_INLINE const std::byte* unpack_group(const LongPlaces& places, std::size_t g, int widest, const std::byte* at,
                                             std::int32_t* to) {
  const std::size_t s = g * group_subs;
  __m256i z[4][2];
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (std::size_t pair = 0; pair < 2; ++pair)
      z[byte][pair] = widest > static_cast<int>(8 * byte) ? next_bytes(places.parts[byte], s + 2 * pair, at)
                                                          : _mm256_setzero_si256();
  for (std::size_t pair = 0; pair < 2; ++pair) {
    auto* const place = reinterpret_cast<__m256i*>(to + 2 * pair * sub_values);
    const __m256i low[2] = {_mm256_unpacklo_epi8(z[0][pair], z[1][pair]), _mm256_unpackhi_epi8(z[0][pair], z[1][pair])};
    const __m256i high[2] = {_mm256_unpacklo_epi8(z[2][pair], z[3][pair]),
                             _mm256_unpackhi_epi8(z[2][pair], z[3][pair])};
    for (int k = 0; k < 2; ++k) {
      const __m256i four = _mm256_unpacklo_epi16(low[k], high[k]);
      const __m256i next = _mm256_unpackhi_epi16(low[k], high[k]);
      _mm256_store_si256(place + k, unzigzag8(_mm256_permute2x128_si256(four, next, 0x20)));
      _mm256_store_si256(place + 2 + k, unzigzag8(_mm256_permute2x128_si256(four, next, 0x31)));
    }
  }
  return at;
}

bool up_to_16(const Head& head) {
  __m256i most = _mm256_setzero_si256();
  for (std::size_t s = 0; s < block_subs; s += 16)
    most = _mm256_max_epu8(most, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(head.planes + s)));
  // Counts are the second bytes.
  return _mm256_testz_si256(_mm256_subs_epu8(most, _mm256_set1_epi16(16 << 8 | 255)), _mm256_set1_epi8(-1)) != 0;
}

// Converts the residuals in points.q to points.
template <int order>
void sum_up(Points& points, std::size_t subs, std::int32_t base) {
  if constexpr (order == 0) return;
  __m256i last = _mm256_set1_epi32(base);
  __m256i difference = _mm256_setzero_si256();
  for (std::size_t i = 0; i < subs * sub_values; i += 8) {
    auto* place = reinterpret_cast<__m256i*>(points.q + i);
    __m256i r = _mm256_load_si256(place);
    if constexpr (order == 2) r = prefix8(r, difference);
    _mm256_store_si256(place, prefix8(r, last));
  }
}

// The same for residuals of up to 16 bits, with a sub-block in each vector.  Two residuals share a lane, so there are
// half as many sums over lanes.
template <int order>
LACONIC_INLINE void sum_up_words(const __m256i* r, std::size_t subs, std::int32_t base, std::int32_t* to) {
  __m256i last = _mm256_set1_epi32(base);
  __m256i difference = _mm256_setzero_si256();
  for (std::size_t s = 0; s < subs; ++s) {
    auto* const place = reinterpret_cast<__m256i*>(to + s * sub_values);
    if constexpr (order == 0) {
      _mm256_store_si256(place, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(r[s])));
      _mm256_store_si256(place + 1, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(r[s], 1)));
      continue;
    }
    const __m256i sum = _mm256_madd_epi16(r[s], _mm256_set1_epi16(1));
    __m256i move = sum;
    __m256i second_difference = _mm256_srai_epi32(r[s], 16);
    if constexpr (order == 2) {
      // If d is the difference before the two residuals, the moves are d + a and d + a + b, together 2d + 2a + b.
      second_difference = prefix8(sum, difference);
      const __m256i before = _mm256_sub_epi32(second_difference, sum);
      move = _mm256_add_epi32(_mm256_madd_epi16(r[s], _mm256_set1_epi32(1 << 16 | 2)), _mm256_add_epi32(before, before));
    }
    const __m256i second = prefix8(move, last);
    const __m256i first = _mm256_sub_epi32(second, second_difference);
    const __m256i low = _mm256_unpacklo_epi32(first, second);
    const __m256i high = _mm256_unpackhi_epi32(first, second);
    _mm256_store_si256(place, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_store_si256(place + 1, _mm256_permute2x128_si256(low, high, 0x31));
  }
}

// Unpacks a block of residuals of up to 8 or 16 bits in passes, as in avx512_gfni_output.inl: all residuals first, then
// their sums.
template <int order, bool wide>
void unpack_words_of(const Head& head, const std::byte* at, std::size_t subs, Points& points) {
  const Places places(head.planes);
  __m256i r[block_subs];
  for (std::size_t g = 0; g * group_subs < subs; ++g) at = unpack_words<wide>(places, g, at, r + g * group_subs);
  sum_up_words<order>(r, subs, head.base, points.q);
}

template <int order>
void unpack_planes(const Head& head, const std::byte* at, const std::byte* end, std::size_t subs, Points& points) {
  Tail tail;
  at = readable(at, end, tail);
  // The branch is taken per block and not per group: near the limit, branches per group would be mispredicted.
  if (!is_wide(head.kind)) return unpack_words_of<order, false>(head, at, subs, points);
  if (up_to_16(head)) return unpack_words_of<order, true>(head, at, subs, points);
  const LongPlaces places(head.planes);
  for (std::size_t g = 0; g * group_subs < subs; ++g) {
    const std::size_t s = g * group_subs;
    at = unpack_group(places, g, widest_of(head.planes + s), at, points.q + s * sub_values);
  }
  sum_up<order>(points, subs, head.base);
}
