// SPDX-License-Identifier: BSD-3-Clause
// The data before the planes of a full block, for all its sub-blocks at once: read_head and write_head of layout.hpp,
// which would take as long as all the rest together.  Included inside a target region.

constexpr std::size_t head_lanes = 32;  // sub-blocks to a vector

struct LowNibbles {
  std::uint8_t at[16];
};

LACONIC_INLINE __m256i look_up(const LowNibbles& table, __m256i index) {
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.at));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), index);
}

// Stores the planes of 32 sub-blocks.
LACONIC_INLINE void store_planes(__m256i first, __m256i count, Planes* planes) {
  static_assert(sizeof(Planes) == 2 && offsetof(Planes, first) == 0);
  const __m256i a = _mm256_unpacklo_epi8(first, count);
  const __m256i b = _mm256_unpackhi_epi8(first, count);
  auto* const to = reinterpret_cast<__m256i*>(planes);
  _mm256_storeu_si256(to, _mm256_permute2x128_si256(a, b, 0x20));
  _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(a, b, 0x31));
}

constexpr LowNibbles make_counts_of_codes(GroupKind kind) {
  LowNibbles t{};
  for (unsigned code = 0; code < 16; ++code) t.at[code] = planes_of_code(code, kind).count;
  return t;
}
constexpr LowNibbles narrow_counts = make_counts_of_codes(GroupKind::narrow_group);
constexpr LowNibbles wide_counts = make_counts_of_codes(GroupKind::wide_group);
constexpr LowNibbles long_counts = make_counts_of_codes(GroupKind::long_group);

// A mask of the groups, four sub-blocks each, whose bits are set among the low eight.
LACONIC_INLINE __m256i mask_of_groups(unsigned bitmap) {
  const __m256i each_group = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bitmap)), each_group), each_group);
}

bool read_full_head(const Packed& in, Head& head) {
  const std::size_t size = bytes_of(in.entry);
  head.kind = kind_of(in.entry);
  const bool some_wide = is_wide(head.kind);
  std::size_t at = order_of(head.kind) != 0 ? 4 : 0;
  if (size < at + (some_wide ? 4 : 2)) return false;
  if (at != 0) std::memcpy(&head.base, in.body, 4);
  std::uint16_t first_bitmap;
  std::uint16_t second_bitmap = 0;
  std::memcpy(&first_bitmap, in.body + at, 2);
  at += 2;
  if (some_wide) {
    std::memcpy(&second_bitmap, in.body + at, 2);
    at += 2;
  }
  const unsigned present = first_bitmap | second_bitmap;
  const std::size_t there = static_cast<std::size_t>(std::popcount(present));
  if (size < at + 2 * there) return false;
  std::uint16_t close[block_groups + 1];
  if (in.end - (in.body + at) >= static_cast<std::ptrdiff_t>(2 * block_groups))
    std::memcpy(close, in.body + at, 2 * block_groups);
  else
    std::memcpy(close, in.body + at, 2 * there);
  at += 2 * there;
  alignas(32) std::uint16_t words[block_groups];
  std::size_t next = 0;
  for (std::size_t g = 0; g < block_groups; ++g) {
    const unsigned is_there = present >> g & 1u;
    words[g] = static_cast<std::uint16_t>(is_there != 0 ? close[next] : 0);
    next += is_there;
  }
  const __m256i all = _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i even = _mm256_and_si256(all, nibble);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi16(all, 4), nibble);
  const __m256i a = _mm256_unpacklo_epi8(even, odd);
  const __m256i b = _mm256_unpackhi_epi8(even, odd);
  const __m256i codes[2] = {_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31)};
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t half = 0; half < 2; ++half) {
    const __m256i in_first = mask_of_groups(first_bitmap >> (8 * half));
    const __m256i in_second = mask_of_groups(second_bitmap >> (8 * half));
    const __m256i no_sign = _mm256_cmpgt_epi8(codes[half], _mm256_set1_epi8(narrow_bits));
    const __m256i if_second =
        _mm256_blendv_epi8(look_up(long_counts, codes[half]), look_up(wide_counts, codes[half]), in_first);
    const __m256i count = _mm256_blendv_epi8(look_up(narrow_counts, codes[half]), if_second, in_second);
    const __m256i first = _mm256_and_si256(_mm256_andnot_si256(in_second, no_sign), _mm256_set1_epi8(1));
    store_planes(first, count, head.planes + half * head_lanes);
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(count, _mm256_setzero_si256()));
  }
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  const auto planes = static_cast<std::size_t>(_mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1));
  head.bytes = at;
  return size == at + 2 * planes;
}

bool read_block(const Packed& in, std::size_t n, Head& head) {
  return n == block_values ? read_full_head(in, head) : read_head(in.entry, in.body, n, head);
}

// The width of each byte: the number of bits up to the highest set bit.
LACONIC_INLINE __m256i widths_of(__m256i bytes) {
  constexpr LowNibbles of_low = {{0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4}};
  constexpr LowNibbles of_high = {{0, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8}};
  const __m256i nibble = _mm256_set1_epi8(15);
  return _mm256_max_epu8(look_up(of_low, _mm256_and_si256(bytes, nibble)),
                         look_up(of_high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble)));
}

// Writes the head for residuals of up to 16 bits; low and high hold the bits that are set in each sub-block.
Head write_full_head(int order, std::int32_t base, const std::uint8_t* low, const std::uint8_t* high, std::byte* out) {
  Head head;
  unsigned present = 0;
  unsigned wide = 0;
  alignas(32) std::uint32_t words[block_groups];
  const __m256i zero = _mm256_setzero_si256();
  const __m256i one = _mm256_set1_epi8(1);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t s = half * head_lanes;
    const __m256i l = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low + s));
    const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high + s));
    const __m256i narrow_width = widths_of(l);
    const __m256i no_sign =
        _mm256_and_si256(_mm256_cmpgt_epi8(narrow_width, one), _mm256_cmpeq_epi8(_mm256_and_si256(l, one), zero));
    const __m256i narrow_code =
        _mm256_add_epi8(narrow_width, _mm256_and_si256(no_sign, _mm256_set1_epi8(narrow_bits - 1)));
    const __m256i width = _mm256_blendv_epi8(_mm256_add_epi8(widths_of(h), _mm256_set1_epi8(8)), narrow_width,
                                             _mm256_cmpeq_epi8(h, zero));
    // The same computation as wide_code and width_of_code.
    const __m256i some = _mm256_min_epi8(width, one);
    const __m256i wide_code = _mm256_max_epi8(_mm256_sub_epi8(width, one), some);
    const __m256i wide_count = _mm256_add_epi8(wide_code, some);
    const __m256i in_narrow = _mm256_cmpeq_epi32(h, zero);
    const __m256i absent = _mm256_cmpeq_epi32(_mm256_or_si256(l, h), zero);
    present |= (~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(absent))) & 255u) << (8 * half);
    wide |= (~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(in_narrow))) & 255u) << (8 * half);
    const __m256i code = _mm256_blendv_epi8(wide_code, narrow_code, in_narrow);
    store_planes(_mm256_and_si256(_mm256_and_si256(in_narrow, no_sign), one),
                 _mm256_blendv_epi8(wide_count, _mm256_add_epi8(narrow_width, no_sign), in_narrow), head.planes + s);
    // Two codes to a byte, four to a word.
    const __m256i pairs = _mm256_maddubs_epi16(code, _mm256_set1_epi16(0x1001));
    _mm256_store_si256(reinterpret_cast<__m256i*>(words + half * 8),
                       _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x01000001)));
  }
  head.kind = kind_of(order, wide != 0);
  head.base = base;
  if (order == 0 && present == 0) return head;
  std::byte* at = out;
  if (order != 0) {
    std::memcpy(at, &base, 4);
    at += 4;
  }
  at = write_bitmaps(present, wide, at);
  for (std::size_t g = 0; g < block_groups; ++g) {
    std::memcpy(at, words + g, 2);
    at += 2 * (present >> g & 1u);
  }
  head.bytes = static_cast<std::size_t>(at - out);
  return head;
}
