// Bit planes of 64 residuals at a time, included inside the target region of avx512_gfni.cpp.
//
// gf2p8affineqb(x, A) computes, for every byte x of a 64-bit lane, eight parities of x with the rows of the 8x8 bit
// matrix A.  With eight residuals as the rows and a single bit as x that is a bit plane of eight residuals, so one
// instruction transposes 64 of them; with two bits as x it is the exclusive or of two planes, which is what zigzag asks
// for.  vpcompressw and vpexpandw then keep the planes that the widths call for.
//
// Rows of the matrix count from the last byte.  "Rows" below are therefore bytes in which residual i of every run of
// eight is in place 7 - i.

#include "codec/quant/avx512_gfni_subs.inl"

constexpr std::size_t group_values = group_subs * sub_values;

// Bytes 0..63 of a table computed when compiled.
struct alignas(64) ByteTable {
  std::uint8_t at[64];
};
struct alignas(64) WordTable {
  std::uint16_t at[32];
};
LACONIC_INLINE __m512i load(const ByteTable& table) { return _mm512_load_si512(table.at); }
LACONIC_INLINE __m512i load(const WordTable& table) { return _mm512_load_si512(table.at); }

// The low bytes of 64 words in two vectors, as rows.
constexpr ByteTable rows_of_words_table() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const unsigned value = byte / 8 * 8 + 7 - byte % 8;
    t.at[byte] = static_cast<std::uint8_t>(value < 32 ? 2 * value : 64 + 2 * (value - 32));
  }
  return t;
}

// Of 64 words in two vectors, those of the first (second) half of each of four sub-blocks, each run of eight reversed:
// the words of "halves" below.
constexpr WordTable half_of_words_table(unsigned half) {
  WordTable t{};
  for (unsigned word = 0; word < 32; ++word)
    t.at[word] = static_cast<std::uint16_t>(word / 8 * 16 + half * 8 + 7 - word % 8);
  return t;
}

// Two runs of eight plane bytes, of residuals 0..7 and 8..15, to eight 16-bit planes; and back, rows last first.
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

// Back to 64 words in order: the first (last) 32 of them.
constexpr WordTable words_of_halves_table(unsigned part) {
  WordTable t{};
  for (unsigned word = 0; word < 32; ++word) {
    const unsigned sub = 2 * part + word / 16;
    t.at[word] = static_cast<std::uint16_t>(word / 8 % 2 * 32 + sub * 8 + 7 - word % 8);
  }
  return t;
}

constexpr ByteTable rows_of_words = rows_of_words_table();
constexpr WordTable words_of_halves[2] = {words_of_halves_table(0), words_of_halves_table(1)};
constexpr WordTable half_of_words[2] = {half_of_words_table(0), half_of_words_table(1)};
constexpr ByteTable interleave_planes = interleave_planes_table();
constexpr ByteTable rows_of_planes = rows_of_planes_table();

// Byte k selects plane k; the reverse turns planes into rows instead of residuals in order.
constexpr long long each_bit = static_cast<long long>(0x8040201008040201ULL);
constexpr long long each_bit_reversed = static_cast<long long>(0x0102040810204080ULL);
// Byte k selects bit k of the zigzag of a signed byte: the sign for k = 0, else bit k-1 exclusive or the sign.
constexpr long long each_zigzag_bit = static_cast<long long>(0xc0a0908884828180ULL);
// The matrix of unzigzag: bit k of the result is bit k+1 exclusive or bit 0, bit 7 is bit 0.
constexpr long long unzigzag_matrix = static_cast<long long>(0x0305091121418101ULL);

// 64 residuals as words: the first and the second half of each sub-block, each run of eight reversed.
struct Halves {
  __m512i first;
  __m512i second;
};

// Eight planes of each of four sub-blocks, as words, from rows.
LACONIC_INLINE __m512i planes_of(__m512i rows, long long selector) {
  const __m512i planes = _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(selector), rows, 0);
  return _mm512_shuffle_epi8(planes, load(interleave_planes));
}

// One byte of each of 64 residuals from eight planes of four sub-blocks: in order, or with each_bit_reversed as rows.
LACONIC_INLINE __m512i bytes_of_planes(__m512i words, long long selector) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(selector), _mm512_shuffle_epi8(words, load(rows_of_planes)),
                                       0);
}

// The words that `keep` selects, closed up.  On some processors the instruction waits for the old value of its
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

// Where the next planes are, and how far memory may be read.
struct Source {
  const std::byte* at;
  const std::byte* end;
};
LACONIC_INLINE Source source_of(const std::byte* planes, const Packed& in) { return {planes, in.end}; }

// The words that `keep` has a place for, each in its place.
LACONIC_INLINE __m512i next_words(std::uint32_t keep, Source& in) {
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(keep));
  const __m512i packed =
      in.end - in.at >= 64 ? _mm512_loadu_si512(in.at) : _mm512_maskz_loadu_epi16(_bzhi_u32(~0u, count), in.at);
  in.at += 2 * count;
  return expand_words(keep, packed);
}

// Bits above the eighth where one of the words is no signed byte.
LACONIC_INLINE __m512i beyond_bytes(__m512i a, __m512i b) {
  const __m512i offset = _mm512_set1_epi16(128);
  return _mm512_or_si512(_mm512_add_epi16(a, offset), _mm512_add_epi16(b, offset));
}
LACONIC_INLINE bool all_bytes(__m512i beyond) { return _mm512_test_epi16_mask(beyond, _mm512_set1_epi16(~255)) == 0; }

LACONIC_INLINE __m512i zigzag_words(__m512i r) {
  return _mm512_xor_si512(_mm512_slli_epi16(r, 1), _mm512_srai_epi16(r, 15));
}
LACONIC_INLINE __m512i unzigzag_words(__m512i z) {
  const __m512i odd = _mm512_and_si512(z, _mm512_set1_epi16(1));
  return _mm512_xor_si512(_mm512_srli_epi16(z, 1), _mm512_sub_epi16(_mm512_setzero_si512(), odd));
}

LACONIC_INLINE Halves halves_of_words(__m512i r0, __m512i r1) {
  return {_mm512_permutex2var_epi16(r0, load(half_of_words[0]), r1),
          _mm512_permutex2var_epi16(r0, load(half_of_words[1]), r1)};
}

// What the head of a block says of its planes.
struct GroupHead {
  alignas(64) std::uint8_t codes[block_subs];
  alignas(64) std::uint8_t low[block_subs];   // the planes of bits 0..7 of each sub-block
  alignas(64) std::uint8_t high[block_subs];  // of bits 8..15; of blocks with wide groups only
  std::uint16_t is_wide = 0;
  bool is_long = false;  // some residuals may have more than 16 bits
  bool is_full = false;  // some have 8 bits or more: added to others like them they will not stay bytes
  int order = 0;
  std::int32_t base = 0;
  const std::byte* planes = nullptr;

  LACONIC_INLINE std::uint32_t low_planes(std::size_t g) const { return four(low + g * group_subs); }
  LACONIC_INLINE std::uint32_t high_planes(std::size_t g) const { return four(high + g * group_subs); }
  LACONIC_INLINE bool wide_group(std::size_t g) const { return (is_wide >> g & 1) != 0; }
  // Residuals of more than 16 bits are in wide groups with a code of 14 or 15.
  bool long_group(std::size_t g) const {
    return wide_group(g) && ((four(codes + g * group_subs) + 0x02020202u) & 0x10101010u) != 0;
  }

 private:
  LACONIC_INLINE static std::uint32_t four(const std::uint8_t* bytes) {
    std::uint32_t all;
    std::memcpy(&all, bytes, sizeof all);
    return all;
  }
};

// Planes by code, repeated in each 16 bytes.
constexpr ByteTable planes_table(bool wide, unsigned part) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const Planes p = part_of(planes_of_code(byte % 16, wide), part);
    t.at[byte] = static_cast<std::uint8_t>(((1u << p.count) - 1) << (p.count == 0 ? 0 : p.first % 8));
  }
  return t;
}
constexpr ByteTable wide_widths_table() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = wide_width_of_code[byte % 16];
  return t;
}
constexpr ByteTable narrow_planes = planes_table(false, 0);
constexpr ByteTable wide_low_planes = planes_table(true, 0);
constexpr ByteTable wide_high_planes = planes_table(true, 1);
constexpr ByteTable wide_widths = wide_widths_table();

// As read_head of layout.hpp.
bool read_groups(const Packed& in, std::size_t n, GroupHead& h) {
  const std::size_t size = bytes_of(in.entry);
  const Kind kind = kind_of(in.entry);
  h.order = order_of(kind);
  const bool some_wide = is_wide(kind);
  const std::byte* at = in.body + (h.order != 0 ? 4 : 0);
  const std::byte* const body_end = in.body + size;
  if (body_end - at < (some_wide ? 4 : 2)) return false;
  if (h.order != 0) std::memcpy(&h.base, in.body, 4);
  std::uint16_t present;
  std::memcpy(&present, at, 2);
  at += 2;
  h.is_wide = 0;
  if (some_wide) {
    std::memcpy(&h.is_wide, at, 2);
    at += 2;
  }
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(present));
  if (body_end - at < 2 * static_cast<std::ptrdiff_t>(count)) return false;
  const __m256i words =
      _mm256_maskz_expand_epi16(present, _mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << count) - 1), at));
  h.planes = at + 2 * count;
  // Four nibbles of a word to four bytes: byte k takes bits 4k and up of its 32-bit half.
  const __m512i spread =
      _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x2c2824200c080400LL), _mm512_cvtepu16_epi32(words));
  const __m512i codes = _mm512_and_si512(spread, _mm512_set1_epi8(15));
  const std::size_t subs = subs_of(n);
  if (subs < block_subs && _mm512_mask_test_epi8_mask(~std::uint64_t{0} << subs, codes, codes) != 0) return false;
  __m512i low = _mm512_shuffle_epi8(load(narrow_planes), codes);
  __m512i widths = _mm512_popcnt_epi8(low);
  h.is_long = false;
  if (some_wide) {
    const std::uint64_t in_wide = _pdep_u64(h.is_wide, 0x1111111111111111ULL) * 15;
    widths = _mm512_mask_shuffle_epi8(widths, in_wide, load(wide_widths), codes);
    low = _mm512_mask_shuffle_epi8(low, in_wide, load(wide_low_planes), codes);
    _mm512_store_si512(h.high, _mm512_maskz_shuffle_epi8(in_wide, load(wide_high_planes), codes));
    h.is_long = _mm512_mask_cmpgt_epu8_mask(in_wide, codes, _mm512_set1_epi8(13)) != 0;
    _mm512_store_si512(h.codes, codes);
  }
  h.is_full = _mm512_movepi8_mask(low) != 0;
  _mm512_store_si512(h.low, low);
  const auto planes =
      static_cast<std::ptrdiff_t>(_mm512_reduce_add_epi64(_mm512_sad_epu8(widths, _mm512_setzero_si512())));
  return body_end - h.planes == 2 * planes;
}

// Residuals of a narrow group as signed bytes, in order or with each_bit_reversed as rows.
LACONIC_INLINE __m512i next_narrow(std::uint32_t keep, Source& in, long long selector) {
  const __m512i z = bytes_of_planes(next_words(keep, in), selector);
  return _mm512_gf2p8affine_epi64_epi8(z, _mm512_set1_epi64(unzigzag_matrix), 0);
}

// Residuals of a group of up to 16 bits: the first and the second halves of the sub-blocks, in order or with
// each_bit_reversed as Halves have them.  For blocks with wide groups.
LACONIC_INLINE Halves next_words(const GroupHead& h, std::size_t g, Source& in, long long selector) {
  const __m512i z_low = bytes_of_planes(next_words(h.low_planes(g), in), selector);
  const __m512i z_high = bytes_of_planes(next_words(h.high_planes(g), in), selector);
  return {unzigzag_words(_mm512_unpacklo_epi8(z_low, z_high)), unzigzag_words(_mm512_unpackhi_epi8(z_low, z_high))};
}

LACONIC_INLINE Halves widen(__m512i rows) {
  return {_mm512_srai_epi16(_mm512_unpacklo_epi8(rows, rows), 8),
          _mm512_srai_epi16(_mm512_unpackhi_epi8(rows, rows), 8)};
}
