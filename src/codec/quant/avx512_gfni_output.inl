// SPDX-License-Identifier: BSD-3-Clause
// Conversion of residuals to the body of a block, included inside the target region of avx512_gfni.cpp.
//
// The work is done in passes over the block, with intermediate results in memory: the dependency chain from a residual
// to the store of its planes is long, and processors look only a limited number of instructions ahead.  Short passes
// keep all their units busy.

#include "codec/quant/avx512_gfni_bits.inl"

// Bits for the planes of one byte of all sub-blocks, four to a word.
struct Present {
  alignas(64) std::uint32_t of_group[block_groups];

  LACONIC_INLINE void clear() { store(_mm512_setzero_si512()); }
  LACONIC_INLINE __m512i all() const { return _mm512_load_si512(of_group); }
  LACONIC_INLINE void store(__m512i planes) { _mm512_store_si512(of_group, planes); }
};

// The code of a long group, and the planes of one byte, for each width.
constexpr ByteTable long_codes_of_widths_table() {
  ByteTable t{};
  for (unsigned width = 0; width <= 32; ++width) t.at[width] = static_cast<std::uint8_t>(long_code(width));
  return t;
}
constexpr ByteTable long_planes_of_widths_table(unsigned byte) {
  ByteTable t{};
  for (unsigned width = 0; width <= 32; ++width) t.at[width] = long_planes[byte].at[long_code(width)];
  return t;
}
constexpr ByteTable long_codes_of_widths = long_codes_of_widths_table();
constexpr ByteTable long_planes_of_widths[4] = {long_planes_of_widths_table(0), long_planes_of_widths_table(1),
                                                long_planes_of_widths_table(2), long_planes_of_widths_table(3)};

// Sets every bit below the highest set bit, in each byte.
LACONIC_INLINE __m512i fill_bytes(__m512i m) {
  m = _mm512_or_si512(m, _mm512_and_si512(_mm512_srli_epi16(m, 1), _mm512_set1_epi8(0x7f)));
  m = _mm512_or_si512(m, _mm512_and_si512(_mm512_srli_epi16(m, 2), _mm512_set1_epi8(0x3f)));
  return _mm512_or_si512(m, _mm512_and_si512(_mm512_srli_epi16(m, 4), _mm512_set1_epi8(0x0f)));
}

class Output {
 public:
  // Takes a block whose groups are all narrow; rows(g) returns the residuals of one group.
  template <class Residuals>
  LACONIC_INLINE void narrow(Residuals& rows, std::size_t groups) {
    Present present;
    present.clear();
    __m512i any = _mm512_setzero_si512();  // stores of planes may alias members
    for (std::size_t g = 0; g < groups; ++g) {
      const __m512i bytes = rows(g);
      any = _mm512_or_si512(any, bytes);
      present.of_group[g] = take(0, g, planes_of(bytes, each_zigzag_bit));
    }
    any_ = any;
    const __m512i low = present.all();
    // The plane of signs is left out where it is 0.
    const __m512i keep = _mm512_ternarylogic_epi64(fill_bytes(low), low, _mm512_set1_epi8(1), 0xd0);
    keep_[0].store(keep);
    codes_ = narrow_codes(keep);
    wide_ = long_ = 0;
  }

  // Takes a block of any widths up to 16 bits; words(g) returns the residuals of a group, as rows.  There are no
  // branches on the wide groups: where widths are near the limit, they would be mispredicted.
  template <class Residuals>
  LACONIC_INLINE void words(Residuals& words, std::size_t groups) {
    Present low;
    Present high;
    low.clear();
    high.clear();
    __m512i any = _mm512_setzero_si512();
    for (std::size_t g = 0; g < groups; ++g) {
      const Pair pair = words(g);
      any = _mm512_or_si512(any, pair.low);
      const Pair planes = zigzag_planes(pair);
      low.of_group[g] = take(0, g, planes.low);
      high.of_group[g] = take(1, g, planes.high);
    }
    any_ = any;
    choose_words(low.all(), high.all());
    long_ = 0;
  }

  // Takes a block of any widths; quads(g) returns the zigzagged residuals of a group, as rows.
  template <class Residuals>
  LACONIC_INLINE void longs(Residuals& quads, std::size_t groups) {
    Present present[4];
    for (Present& p : present) p.clear();
    __m512i any = _mm512_setzero_si512();
    for (std::size_t g = 0; g < groups; ++g) {
      const Quad rows = quads(g);
      // The lowest bit of a residual is the exclusive or of the two lowest ones of its zigzag.
      any = _mm512_or_si512(any, _mm512_xor_si512(rows.bytes[0], _mm512_srli_epi16(rows.bytes[0], 1)));
      for (unsigned byte = 0; byte < 4; ++byte)
        present[byte].of_group[g] = take(byte, g, planes_of(rows.bytes[byte], each_bit));
    }
    any_ = any;
    choose_words(present[0].all(), present[1].all());
    const __m512i above = _mm512_or_si512(present[2].all(), present[3].all());
    long_ = _mm512_test_epi32_mask(above, above);
    wide_ &= ~long_;
    choose_longs(present);
  }

  // Sets the remaining fields of the head.
  LACONIC_INLINE void name(int order, std::int32_t base) {
    order_ = order;
    base_ = base;
  }

  // True if some point is odd.
  bool odd() const {
    return (order_ != 0 && (base_ & 1) != 0) || _mm512_test_epi8_mask(any_, _mm512_set1_epi8(1)) != 0;
  }

  // Writes the block.
  LACONIC_INLINE Entry finish(std::byte* out, std::size_t groups) const {
    std::byte* at = head(out);
    const unsigned bytes = long_ != 0 ? 4 : wide_ != 0 ? 2 : 1;
    switch (bytes) {
      case 1: put_planes<1>(groups, at); break;
      case 2: put_planes<2>(groups, at); break;
      default: put_planes<4>(groups, at); break;
    }
    return make_entry(kind_of(order_, bytes > 1), static_cast<std::size_t>(at - out));
  }

 private:
  // Keeps the planes of one byte of a group; returns which of them are not 0.
  LACONIC_INLINE std::uint32_t take(unsigned byte, std::size_t g, __m512i planes) {
    _mm512_store_si512(planes_[byte][g], planes);
    return _mm512_test_epi16_mask(planes, planes);
  }

  // Chooses codes and planes of narrow and wide groups, given the planes that are not 0.
  LACONIC_INLINE void choose_words(__m512i low, __m512i some_high) {
    const __m512i one = _mm512_set1_epi8(1);
    const __m512i high = fill_bytes(some_high);
    wide_ = _mm512_test_epi32_mask(high, high);
    // Bit 7 is set when any bit above it is.
    const __m512i filled = fill_bytes(_mm512_or_si512(low, _mm512_slli_epi16(_mm512_and_si512(high, one), 7)));
    const __m512i if_narrow = _mm512_ternarylogic_epi64(filled, low, one, 0xd0);
    // Wide groups have no width of 1.
    const __m512i if_wide = _mm512_or_si512(filled, _mm512_slli_epi16(_mm512_and_si512(filled, one), 1));
    const __m512i keep = _mm512_mask_mov_epi32(if_narrow, static_cast<__mmask16>(wide_), if_wide);
    keep_[0].store(keep);
    keep_[1].store(high);
    // 0, 1, 2 ... 15 for 0, 2, 3 ... 16 planes.
    const __m512i count = _mm512_add_epi8(_mm512_popcnt_epi8(keep), _mm512_popcnt_epi8(high));
    const __m512i wide_codes = _mm512_subs_epu8(count, one);
    codes_ = _mm512_mask_mov_epi32(narrow_codes(keep), static_cast<__mmask16>(wide_), wide_codes);
  }

  // The same for long groups, in place of what was chosen before.
  LACONIC_INLINE void choose_longs(const Present* present) {
    const auto in_long = static_cast<__mmask16>(long_);
    __m512i width = _mm512_setzero_si512();
    __m512i above = _mm512_setzero_si512();
    for (unsigned byte = 4; byte-- > 0;) {
      const __mmask64 all = _mm512_test_epi8_mask(above, above);
      const __m512i filled = _mm512_mask_mov_epi8(fill_bytes(present[byte].all()), all, _mm512_set1_epi8(-1));
      width = _mm512_add_epi8(width, _mm512_popcnt_epi8(filled));
      above = _mm512_or_si512(above, filled);
    }
    codes_ = _mm512_mask_mov_epi32(codes_, in_long, _mm512_permutexvar_epi8(width, load(long_codes_of_widths)));
    for (unsigned byte = 0; byte < 4; ++byte) {
      const __m512i words = byte < 2 ? keep_[byte].all() : _mm512_setzero_si512();
      const __m512i if_long = _mm512_permutexvar_epi8(width, load(long_planes_of_widths[byte]));
      keep_[byte].store(_mm512_mask_mov_epi32(words, in_long, if_long));
    }
  }

  // Writes the head; the planes of the groups follow.
  LACONIC_INLINE std::byte* head(std::byte* out) const {
    // Two codes to a byte, four to a word.
    const __m512i pairs = _mm512_maddubs_epi16(codes_, _mm512_set1_epi16(0x1001));
    const __m256i words = _mm512_cvtepi32_epi16(_mm512_madd_epi16(pairs, _mm512_set1_epi32(0x01000001)));
    const auto present = static_cast<std::uint16_t>(_mm256_test_epi16_mask(words, words));
    if (order_ == 0 && present == 0) return out;
    if (order_ != 0) {
      std::memcpy(out, &base_, 4);
      out += 4;
    }
    out = write_bitmaps(present & ~long_, wide_ | long_, out);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_maskz_compress_epi16(present, words));
    return out + 2 * _mm_popcnt_u32(present);
  }

  template <unsigned bytes>
  LACONIC_INLINE void put_planes(std::size_t groups, std::byte*& at) const {
    for (std::size_t g = 0; g < groups; ++g)
      for (unsigned byte = 0; byte < bytes; ++byte) {
        const std::uint32_t keep = keep_[byte].of_group[g];
        _mm512_storeu_si512(at, compress_words(keep, _mm512_load_si512(planes_[byte][g])));
        at += 2 * _mm_popcnt_u32(keep);
      }
  }

  // The number of planes, plus 8 where plane 0 is not among them.
  LACONIC_INLINE static __m512i narrow_codes(__m512i keep) {
    const __mmask64 no_signs = _mm512_test_epi8_mask(keep, keep) & _mm512_testn_epi8_mask(keep, _mm512_set1_epi8(1));
    const __m512i count = _mm512_popcnt_epi8(keep);
    return _mm512_mask_add_epi8(count, no_signs, count, _mm512_set1_epi8(narrow_bits));
  }

  alignas(64) std::uint8_t planes_[4][block_groups][64];
  Present keep_[4];
  __m512i codes_;
  __m512i any_;  // the residuals' bits: the lowest of each byte has the lowest ones
  unsigned wide_ = 0;
  unsigned long_ = 0;
  int order_ = 0;
  std::int32_t base_ = 0;
};

// The Output in which a block is staged.
LACONIC_INLINE Output& output_in(Staged& staged) {
  static_assert(sizeof(Output) <= sizeof staged.memory);
  return *new (staged.memory) Output;
}

template <std::size_t groups>
Entry put_staged(const Staged& staged, std::byte* out) {
  return std::launder(reinterpret_cast<const Output*>(staged.memory))->finish(out, groups);
}
bool is_odd(const Staged& staged) { return std::launder(reinterpret_cast<const Output*>(staged.memory))->odd(); }
