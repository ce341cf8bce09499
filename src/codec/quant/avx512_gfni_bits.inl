// SPDX-License-Identifier: BSD-3-Clause
// Bit planes of 64 residuals at a time, included inside the target region of avx512_gfni.cpp.
//
// gf2p8affineqb(x, A) computes, for every byte x of a 64-bit lane, eight parities of x with the rows of the 8x8 bit
// matrix A.  With eight residuals as the rows and a single bit as x, the result is a bit plane of eight residuals, so
// one instruction transposes 64 of them.  With two bits as x it is the exclusive or of two planes, which zigzag needs.
// vpcompressw and vpexpandw then keep the planes that the widths require.
//
// Rows of the matrix count from the last byte.  In this file, "rows" therefore means bytes in which residual i of every
// run of eight is in place 7 - i.

#include "codec/quant/avx512_gfni_subs.inl"


// A table of bytes 0..63, computed at compile time.
struct alignas(64) ByteTable {
  std::uint8_t at[64];
};
LACONIC_INLINE __m512i load(const ByteTable& table) { return _mm512_load_si512(table.at); }

// The position of residual `value` among rows.
constexpr unsigned row_of(unsigned value) { return value / 8 * 8 + 7 - value % 8; }

// The low or the high bytes of 64 words in two vectors, as rows.
constexpr ByteTable rows_of_words_table(unsigned byte) {
  ByteTable t{};
  for (unsigned value = 0; value < 64; ++value) t.at[row_of(value)] = static_cast<std::uint8_t>(2 * value + byte);
  return t;
}

// The residuals of every second sub-block of two groups, in order, starting at the first or the second sub-block.  The
// input is their rows as bytes.
constexpr ByteTable alternate_bytes_table(unsigned first) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const unsigned value = (2 * (byte / 16) + first) * 16 + byte % 16;
    t.at[byte] = static_cast<std::uint8_t>(value / 64 * 64 + row_of(value % 64));
  }
  return t;
}
// The same for one group, from the rows of the low and of the high bytes of words: the first half holds the first two
// of each four residuals, the second half the others.
constexpr ByteTable alternate_words_table(unsigned first) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const unsigned value = (2 * (byte % 32 / 16) + first) * 16 + byte % 16 / 4 * 4 + byte / 32 * 2 + byte % 4 / 2;
    t.at[byte] = static_cast<std::uint8_t>(byte % 2 * 64 + row_of(value));
  }
  return t;
}

// Converts two runs of eight plane bytes, of residuals 0..7 and 8..15, to eight 16-bit planes; and back, rows last
// first.
constexpr ByteTable interleave_planes_table() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = static_cast<std::uint8_t>(byte % 16 / 2 + (byte % 2) * 8);
  return t;
}
constexpr ByteTable rows_of_planes_table() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = static_cast<std::uint8_t>(2 * (7 - byte % 8) + byte % 16 / 8);
  return t;
}

// The same for residuals of 16 bits, whose planes of bits 0..7 and 8..15 are in two vectors.  Plane k of a residual is
// plane k + 1 of its zigzag, exclusive or the sign.  The sign itself is plane 0 in the zigzag and plane 15 in the
// residual.
constexpr std::uint8_t no_plane = 128;
constexpr ByteTable zigzag_of_planes_table(unsigned byte) {
  ByteTable t{};
  for (unsigned at = 0; at < 64; ++at) {
    const unsigned plane = 8 * byte + at % 16 / 2;
    const unsigned place = at / 16 * 16 + at % 2 * 8 + (plane + 7) % 8;
    t.at[at] = static_cast<std::uint8_t>(plane == 0 ? no_plane : plane > 8 ? 64 + place : place);
  }
  return t;
}
constexpr ByteTable signs_of_planes_table() {
  ByteTable t{};
  for (unsigned at = 0; at < 64; ++at) t.at[at] = static_cast<std::uint8_t>(at % 2 * 8 + 7);
  return t;
}
// The inverse: the source plane, out of 8 planes and those of the next byte, for each position.  The result is rows, or
// runs of eight such that interleaving the low and the high bytes leaves words in order.
constexpr std::uint8_t place_of_plane(unsigned at, unsigned plane, bool in_order) {
  const unsigned run = in_order ? at / 16 + at / 8 % 2 * 4 : at / 8;
  return static_cast<std::uint8_t>(plane / 8 * 64 + run / 2 * 16 + plane % 8 * 2 + run % 2);
}
constexpr ByteTable rows_of_zigzag_table(bool in_order) {
  ByteTable t{};
  for (unsigned at = 0; at < 64; ++at) t.at[at] = place_of_plane(at, 8 - at % 8, in_order);
  return t;
}
constexpr ByteTable signs_of_zigzag_table(bool in_order) {
  ByteTable t{};
  for (unsigned at = 0; at < 64; ++at) t.at[at] = place_of_plane(at, 0, in_order);
  return t;
}

constexpr ByteTable rows_of_words[2] = {rows_of_words_table(0), rows_of_words_table(1)};
constexpr ByteTable alternate_bytes[2] = {alternate_bytes_table(0), alternate_bytes_table(1)};
constexpr ByteTable alternate_words[2] = {alternate_words_table(0), alternate_words_table(1)};
constexpr ByteTable interleave_planes = interleave_planes_table();
constexpr ByteTable rows_of_planes = rows_of_planes_table();
constexpr ByteTable zigzag_of_planes[2] = {zigzag_of_planes_table(0), zigzag_of_planes_table(1)};
constexpr ByteTable signs_of_planes = signs_of_planes_table();
constexpr ByteTable rows_of_zigzag[2] = {rows_of_zigzag_table(false), rows_of_zigzag_table(true)};
constexpr ByteTable signs_of_zigzag[2] = {signs_of_zigzag_table(false), signs_of_zigzag_table(true)};

// Byte k selects plane k; the reversed constant produces rows instead of residuals in order.
constexpr long long each_bit = static_cast<long long>(0x8040201008040201ULL);
constexpr long long each_bit_in_runs = static_cast<long long>(0x80400804'20100201ULL);
constexpr long long each_bit_reversed = static_cast<long long>(0x0102040810204080ULL);
// Byte k selects bit k of the zigzag of a signed byte: the sign for k = 0, else bit k-1 exclusive or the sign.
constexpr long long each_zigzag_bit = static_cast<long long>(0xc0a0908884828180ULL);
// The matrix of unzigzag: bit k of the result is bit k+1 exclusive or bit 0, bit 7 is bit 0.
constexpr long long unzigzag_matrix = static_cast<long long>(0x0305091121418101ULL);

// 64 residuals of 16 bits, split into their low and their high bytes.
struct Pair {
  __m512i low;
  __m512i high;
};
LACONIC_INLINE Pair rows_of(__m512i r0, __m512i r1) {
  return {_mm512_permutex2var_epi8(r0, load(rows_of_words[0]), r1),
          _mm512_permutex2var_epi8(r0, load(rows_of_words[1]), r1)};
}

// Eight planes of each of four sub-blocks, as words, computed from rows.
LACONIC_INLINE __m512i planes_of(__m512i rows, long long selector) {
  const __m512i planes = _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(selector), rows, 0);
  return _mm512_shuffle_epi8(planes, load(interleave_planes));
}

// The planes of the zigzags of residuals given as rows.
LACONIC_INLINE Pair zigzag_planes(const Pair& rows) {
  const __m512i low = _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(each_bit), rows.low, 0);
  const __m512i high = _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(each_bit), rows.high, 0);
  const __m512i signs = _mm512_shuffle_epi8(high, load(signs_of_planes));
  return {_mm512_xor_si512(signs, _mm512_shuffle_epi8(low, load(zigzag_of_planes[0]))),
          _mm512_xor_si512(signs, _mm512_permutex2var_epi8(low, load(zigzag_of_planes[1]), high))};
}

// 64 zigzagged residuals of 32 bits, split into their bytes.
struct Quad {
  __m512i bytes[4];
};

// The rows of a byte of 64 residuals, from the bytes as rows_of_longs() leaves them.
constexpr ByteTable rows_of_packed_bytes_table() {
  ByteTable t{};
  for (unsigned value = 0; value < 64; ++value)
    t.at[row_of(value)] = static_cast<std::uint8_t>(value % 16 / 4 * 16 + value / 16 * 4 + value % 4);
  return t;
}
constexpr ByteTable rows_of_packed_bytes = rows_of_packed_bytes_table();

LACONIC_INLINE Quad rows_of_longs(const __m512i* z) {
  const __m512i word = _mm512_set1_epi32(0xffff);
  const __m512i byte = _mm512_set1_epi16(255);
  Quad rows;
  for (int half = 0; half < 2; ++half) {
    __m512i words[4];
    for (int k = 0; k < 4; ++k) words[k] = half == 0 ? _mm512_and_si512(z[k], word) : _mm512_srli_epi32(z[k], 16);
    const __m512i a = _mm512_packus_epi32(words[0], words[1]);
    const __m512i b = _mm512_packus_epi32(words[2], words[3]);
    const __m512i low = _mm512_packus_epi16(_mm512_and_si512(a, byte), _mm512_and_si512(b, byte));
    const __m512i high = _mm512_packus_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    rows.bytes[2 * half] = _mm512_permutexvar_epi8(load(rows_of_packed_bytes), low);
    rows.bytes[2 * half + 1] = _mm512_permutexvar_epi8(load(rows_of_packed_bytes), high);
  }
  return rows;
}

// The inverse, from bytes in order.
LACONIC_INLINE void longs_of_bytes(const Quad& in_order, __m512i* z) {
  const __m512i runs = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i b[4];
  for (int k = 0; k < 4; ++k) b[k] = _mm512_permutexvar_epi32(runs, in_order.bytes[k]);
  const __m512i low[2] = {_mm512_unpacklo_epi8(b[0], b[1]), _mm512_unpackhi_epi8(b[0], b[1])};
  const __m512i high[2] = {_mm512_unpacklo_epi8(b[2], b[3]), _mm512_unpackhi_epi8(b[2], b[3])};
  for (int k = 0; k < 2; ++k) {
    z[2 * k] = _mm512_unpacklo_epi16(low[k], high[k]);
    z[2 * k + 1] = _mm512_unpackhi_epi16(low[k], high[k]);
  }
}

// The layout of residuals.  rows: as rows.  words: interleaving low and high bytes leaves words in order.  runs: it
// leaves the first two of each four and, in the other half of each 128 bits, the last two.
enum class Layout { rows, words, runs };

// The inverse of zigzag_planes(): the residuals in the given layout.
template <Layout layout>
LACONIC_INLINE Pair residuals_of(__m512i low, __m512i high) {
  constexpr bool in_order = layout == Layout::words;
  const __m512i selector = _mm512_set1_epi64(layout == Layout::rows ? each_bit_reversed
                                             : in_order             ? each_bit
                                                                    : each_bit_in_runs);
  const __m512i rows = load(rows_of_zigzag[in_order]);
  const __m512i signs = _mm512_permutexvar_epi8(load(signs_of_zigzag[in_order]), low);
  const __m512i first = _mm512_xor_si512(signs, _mm512_permutex2var_epi8(low, rows, high));
  const __m512i second = _mm512_xor_si512(signs, _mm512_permutex2var_epi8(high, rows, _mm512_setzero_si512()));
  return {_mm512_gf2p8affine_epi64_epi8(selector, first, 0), _mm512_gf2p8affine_epi64_epi8(selector, second, 0)};
}

// One byte of each of 64 residuals from eight planes of four sub-blocks: in order, or with each_bit_reversed as rows.
LACONIC_INLINE __m512i bytes_of_planes(__m512i words, long long selector) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(selector), _mm512_shuffle_epi8(words, load(rows_of_planes)),
                                       0);
}

// Moves the words that `keep` selects together.  On some processors the instruction waits for the old value of its
// destination even when it does not use it; a fresh zero that the compiler cannot see through avoids that.
LACONIC_INLINE __m512i compress_words(__mmask32 keep, __m512i words) {
  __m512i fresh = _mm512_setzero_si512();
  __asm__("" : "+v"(fresh));
  return _mm512_mask_compress_epi16(fresh, keep, words);
}
LACONIC_INLINE __m512i expand_words(__mmask32 keep, __m512i words) {
  __m512i fresh = _mm512_setzero_si512();
  __asm__("" : "+v"(fresh), "+v"(words));
  return _mm512_mask_expand_epi16(fresh, keep, words);
}

// The position of the next planes.  Whole vectors are read, also beyond the last plane.
struct Source {
  const std::byte* at;
};

// A copy of a body, used where the memory after the body must not be read.
struct Tail {
  std::byte bytes[largest_packed_block + 64];
};
LACONIC_INLINE Source source_of(const std::byte* planes, const Packed& in, Tail& tail) {
  const std::size_t size = bytes_of(in.entry) - static_cast<std::size_t>(planes - in.body);
  if (in.end - planes >= static_cast<std::ptrdiff_t>(size + sizeof(__m512i))) return {planes};
  std::memcpy(tail.bytes, planes, size);
  return {tail.bytes};
}

// Reads the words for which `keep` has a place and puts each in its place.
LACONIC_INLINE __m512i next_words(std::uint32_t keep, Source& in) {
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(keep));
  const __m512i packed = _mm512_loadu_si512(in.at);
  in.at += 2 * count;
  return expand_words(keep, packed);
}

// Sets bits above the eighth where one of the words does not fit a signed byte.
LACONIC_INLINE __m512i beyond_bytes(__m512i a, __m512i b) {
  const __m512i offset = _mm512_set1_epi16(128);
  return _mm512_or_si512(_mm512_add_epi16(a, offset), _mm512_add_epi16(b, offset));
}
LACONIC_INLINE bool all_bytes(__m512i beyond) { return _mm512_test_epi16_mask(beyond, _mm512_set1_epi16(~255)) == 0; }

LACONIC_INLINE __m512i zigzag_words(__m512i r) {
  return _mm512_xor_si512(_mm512_slli_epi16(r, 1), _mm512_srai_epi16(r, 15));
}

// The description of the planes in the head of a block.
struct GroupHead {
  // The planes of each sub-block: of bits 0..7, 8..15, 16..23 and 24..31.  The last two are set only if is_long.
  alignas(64) std::uint8_t bytes[4][block_subs];
  bool is_wide = false;   // some groups are wide or long
  bool is_long = false;   // some groups are long
  bool is_full = false;  // some have 8 bits or more: a sum with others like them does not fit bytes
  int order = 0;
  std::int32_t base = 0;
  const std::byte* planes = nullptr;

  // The planes of one byte of the sub-blocks of a group.
  LACONIC_INLINE std::uint32_t planes_of_group(std::size_t g, unsigned byte) const {
    std::uint32_t four;
    std::memcpy(&four, bytes[byte] + g * group_subs, sizeof four);
    return four;
  }
  LACONIC_INLINE std::uint32_t low_planes(std::size_t g) const { return planes_of_group(g, 0); }
  LACONIC_INLINE std::uint32_t high_planes(std::size_t g) const { return planes_of_group(g, 1); }

  // The width of the zigzag of the largest residual.
  int widest() const {
    for (int byte = is_long ? 3 : is_wide ? 1 : 0; byte >= 0; --byte) {
      std::uint64_t any = static_cast<std::uint64_t>(_mm512_reduce_or_epi64(_mm512_load_si512(bytes[byte])));
      any |= any >> 32;
      any |= any >> 16;
      any = (any | any >> 8) & 255;
      if (any != 0) return 8 * byte + static_cast<int>(std::bit_width(any));
    }
    return 0;
  }
};

// The planes for each code, repeated in each 16 bytes.
constexpr ByteTable planes_table(GroupKind kind, unsigned part) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const Planes p = part_of(planes_of_code(byte % 16, kind), part);
    t.at[byte] = static_cast<std::uint8_t>(((1u << p.count) - 1) << (p.count == 0 ? 0 : p.first % 8));
  }
  return t;
}
constexpr ByteTable widths_table(GroupKind kind) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = static_cast<std::uint8_t>(width_of_code(byte % 16, kind));
  return t;
}
constexpr ByteTable narrow_planes = planes_table(GroupKind::narrow_group, 0);
constexpr ByteTable wide_low_planes = planes_table(GroupKind::wide_group, 0);
constexpr ByteTable wide_high_planes = planes_table(GroupKind::wide_group, 1);
constexpr ByteTable wide_widths = widths_table(GroupKind::wide_group);
constexpr ByteTable long_widths = widths_table(GroupKind::long_group);
constexpr ByteTable long_planes[4] = {
    planes_table(GroupKind::long_group, 0), planes_table(GroupKind::long_group, 1),
    planes_table(GroupKind::long_group, 2), planes_table(GroupKind::long_group, 3)};

// A mask of the sub-blocks of these groups.
LACONIC_INLINE std::uint64_t subs_of_groups(unsigned bitmap) { return _pdep_u64(bitmap, 0x1111111111111111ULL) * 15; }

// The counterpart of read_head of layout.hpp.
bool read_groups(const Packed& in, std::size_t n, GroupHead& h) {
  const std::size_t size = bytes_of(in.entry);
  const Kind kind = kind_of(in.entry);
  h.order = order_of(kind);
  const bool some_wide = is_wide(kind);
  const std::byte* at = in.body + (h.order != 0 ? 4 : 0);
  const std::byte* const body_end = in.body + size;
  if (body_end - at < (some_wide ? 4 : 2)) return false;
  if (h.order != 0) std::memcpy(&h.base, in.body, 4);
  std::uint16_t first;
  std::uint16_t second = 0;
  std::memcpy(&first, at, 2);
  at += 2;
  if (some_wide) {
    std::memcpy(&second, at, 2);
    at += 2;
  }
  const auto present = static_cast<__mmask16>(first | second);
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(present));
  if (body_end - at < 2 * static_cast<std::ptrdiff_t>(count)) return false;
  const __m256i words =
      _mm256_maskz_expand_epi16(present, _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << count) - 1), at));
  h.planes = at + 2 * count;
  // Spreads the four nibbles of a word to four bytes: byte k takes bits 4k and up of its 32-bit half.
  const __m512i spread =
      _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x2c2824200c080400LL), _mm512_cvtepu16_epi32(words));
  const __m512i codes = _mm512_and_si512(spread, _mm512_set1_epi8(15));
  const std::size_t subs = subs_of(n);
  if (subs < block_subs && _mm512_mask_test_epi8_mask(~std::uint64_t{0} << subs, codes, codes) != 0) return false;
  __m512i low = _mm512_shuffle_epi8(load(narrow_planes), codes);
  __m512i widths = _mm512_popcnt_epi8(low);
  __m512i high = _mm512_setzero_si512();
  h.is_wide = second != 0;
  h.is_long = false;
  if (h.is_wide) {
    const std::uint64_t in_wide = subs_of_groups(first & second);
    const std::uint64_t in_long = subs_of_groups(second & ~unsigned{first});
    widths = _mm512_mask_shuffle_epi8(widths, in_wide, load(wide_widths), codes);
    low = _mm512_mask_shuffle_epi8(low, in_wide, load(wide_low_planes), codes);
    high = _mm512_maskz_shuffle_epi8(in_wide, load(wide_high_planes), codes);
    h.is_long = in_long != 0;
    widths = _mm512_mask_shuffle_epi8(widths, in_long, load(long_widths), codes);
    low = _mm512_mask_shuffle_epi8(low, in_long, load(long_planes[0]), codes);
    high = _mm512_mask_shuffle_epi8(high, in_long, load(long_planes[1]), codes);
    _mm512_store_si512(h.bytes[2], _mm512_maskz_shuffle_epi8(in_long, load(long_planes[2]), codes));
    _mm512_store_si512(h.bytes[3], _mm512_maskz_shuffle_epi8(in_long, load(long_planes[3]), codes));
  }
  h.is_full = _mm512_movepi8_mask(low) != 0;
  _mm512_store_si512(h.bytes[0], low);
  _mm512_store_si512(h.bytes[1], high);
  const auto planes =
      static_cast<std::ptrdiff_t>(_mm512_reduce_add_epi64(_mm512_sad_epu8(widths, _mm512_setzero_si512())));
  return body_end - h.planes == 2 * planes;
}

// The residuals of a narrow group as signed bytes, in order or, with each_bit_reversed, as rows.
LACONIC_INLINE __m512i next_narrow(std::uint32_t keep, Source& in, long long selector) {
  const __m512i z = bytes_of_planes(next_words(keep, in), selector);
  return _mm512_gf2p8affine_epi64_epi8(z, _mm512_set1_epi64(unzigzag_matrix), 0);
}

// The residuals of a group of up to 16 bits, in a layout as for residuals_of.
template <Layout layout>
LACONIC_INLINE Pair next_pair(const GroupHead& h, std::size_t g, Source& in) {
  const __m512i low = next_words(h.low_planes(g), in);
  const __m512i high = next_words(h.high_planes(g), in);
  return residuals_of<layout>(low, high);
}

// The residuals of a group of any widths, in order.
LACONIC_INLINE void next_longs(const GroupHead& h, std::size_t g, Source& in, __m512i* r) {
  Quad bytes;
  for (unsigned byte = 0; byte < 4; ++byte)
    bytes.bytes[byte] = bytes_of_planes(next_words(h.planes_of_group(g, byte), in), each_bit);
  longs_of_bytes(bytes, r);
  for (std::size_t k = 0; k < group_subs; ++k) r[k] = unzigzag16(r[k]);
}
