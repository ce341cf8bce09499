// SPDX-License-Identifier: BSD-3-Clause
// Conversion of residuals to the body of a block, included inside the target region of avx512_gfni.cpp.
//
// The work is done in passes over the block, with intermediate results in memory: the dependency chain from a residual
// to the store of its planes is long, and processors look only a limited number of instructions ahead.  Short passes
// keep all their units busy.

#include "codec/quant/avx512_gfni_bits.inl"

// The residuals of a block as words: rows of their low and high bytes.
struct Words {
  alignas(64) std::uint8_t low[block_groups][64];
  alignas(64) std::uint8_t high[block_groups][64];

  LACONIC_INLINE void store(std::size_t g, const Pair& rows) {
    _mm512_store_si512(low[g], rows.low);
    _mm512_store_si512(high[g], rows.high);
  }
  LACONIC_INLINE Pair operator()(std::size_t g) const {
    return {_mm512_load_si512(low[g]), _mm512_load_si512(high[g])};
  }
};

// A byte for each sub-block of a block: its planes of bits 0..7, and of bits 8..15.
struct Present {
  alignas(64) std::uint32_t low[block_groups];
  alignas(64) std::uint32_t high[block_groups];
};

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
    _mm512_store_si512(present.low, _mm512_setzero_si512());
    for (std::size_t g = 0; g < groups; ++g) {
      const __m512i planes = planes_of(rows(g), each_zigzag_bit);
      _mm512_store_si512(low_[g], planes);
      present.low[g] = _mm512_test_epi16_mask(planes, planes);
    }
    const __m512i low = _mm512_load_si512(present.low);
    // The plane of signs is left out where it is 0.
    const __m512i keep = _mm512_ternarylogic_epi64(fill_bytes(low), low, _mm512_set1_epi8(1), 0xd0);
    _mm512_store_si512(keep_.low, keep);
    codes_ = narrow_codes(keep);
    wide_ = 0;
  }

  // Takes a block of any widths up to 16 bits; words(g) returns the residuals of a group, as rows.  There are no
  // branches on the wide groups: where widths are near the limit, they would be mispredicted.
  template <class Residuals>
  LACONIC_INLINE void words(Residuals& words, std::size_t groups) {
    Present present;
    _mm512_store_si512(present.low, _mm512_setzero_si512());
    _mm512_store_si512(present.high, _mm512_setzero_si512());
    for (std::size_t g = 0; g < groups; ++g) {
      const Pair planes = zigzag_planes(words(g));
      _mm512_store_si512(low_[g], planes.low);
      _mm512_store_si512(high_[g], planes.high);
      present.low[g] = _mm512_test_epi16_mask(planes.low, planes.low);
      present.high[g] = _mm512_test_epi16_mask(planes.high, planes.high);
    }
    const __m512i one = _mm512_set1_epi8(1);
    const __m512i low = _mm512_load_si512(present.low);
    const __m512i high = fill_bytes(_mm512_load_si512(present.high));
    wide_ = _mm512_test_epi32_mask(high, high);
    // Bit 7 is set when any bit above it is.
    const __m512i filled = fill_bytes(_mm512_or_si512(low, _mm512_slli_epi16(_mm512_and_si512(high, one), 7)));
    const __m512i if_narrow = _mm512_ternarylogic_epi64(filled, low, one, 0xd0);
    // Wide groups have no width of 1.
    const __m512i if_wide = _mm512_or_si512(filled, _mm512_slli_epi16(_mm512_and_si512(filled, one), 1));
    const __m512i keep = _mm512_mask_mov_epi32(if_narrow, static_cast<__mmask16>(wide_), if_wide);
    _mm512_store_si512(keep_.low, keep);
    _mm512_store_si512(keep_.high, high);
    // 0, 1, 2 ... 15 for 0, 2, 3 ... 16 planes.
    const __m512i count = _mm512_add_epi8(_mm512_popcnt_epi8(keep), _mm512_popcnt_epi8(high));
    const __m512i wide_codes = _mm512_subs_epu8(count, one);
    codes_ = _mm512_mask_mov_epi32(narrow_codes(keep), static_cast<__mmask16>(wide_), wide_codes);
  }

  // Adds a group whose residuals need more than 16 bits; it was passed as zeros before.
  void long_group(std::size_t g, const __m512i* r) {
    wide_ |= 1u << g;
    long_ |= 1u << g;
    alignas(64) std::uint8_t codes[block_subs];
    _mm512_store_si512(codes, codes_);
    for (std::size_t k = 0; k < group_subs; ++k)
      codes[g * group_subs + k] = code_of(bits16(zigzag16(r[k])), GroupKind::long_group);
    codes_ = _mm512_load_si512(codes);
  }

  // Sets the remaining fields of the head.
  LACONIC_INLINE void name(int order, std::int32_t base) {
    order_ = order;
    base_ = base;
  }

  // Writes the head; the planes of group g go to `at` next, for each g in turn.
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
    out = write_bitmaps(present & ~long_, wide_, out);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_maskz_compress_epi16(present, words));
    return out + 2 * _mm_popcnt_u32(present);
  }

  LACONIC_INLINE void low_planes(std::size_t g, std::byte*& at) const { put(keep_.low[g], low_[g], at); }
  LACONIC_INLINE void high_planes(std::size_t g, std::byte*& at) const { put(keep_.high[g], high_[g], at); }
  bool is_long(std::size_t g) const { return (long_ >> g & 1) != 0; }

  // Writes the whole block; no group may be long.
  LACONIC_INLINE Entry finish(std::byte* out, std::size_t groups) const {
    std::byte* at = head(out);
    if (wide_ == 0) {
      for (std::size_t g = 0; g < groups; ++g) low_planes(g, at);
    } else {
      for (std::size_t g = 0; g < groups; ++g) {
        low_planes(g, at);
        high_planes(g, at);
      }
    }
    return entry(out, at);
  }
  Entry entry(const std::byte* begin, const std::byte* end) const {
    return make_entry(kind_of(order_, wide_ != 0), static_cast<std::size_t>(end - begin));
  }

 private:
  // The number of planes, plus 8 where plane 0 is not among them.
  LACONIC_INLINE static __m512i narrow_codes(__m512i keep) {
    const __mmask64 no_signs = _mm512_test_epi8_mask(keep, keep) & _mm512_testn_epi8_mask(keep, _mm512_set1_epi8(1));
    const __m512i count = _mm512_popcnt_epi8(keep);
    return _mm512_mask_add_epi8(count, no_signs, count, _mm512_set1_epi8(narrow_bits));
  }
  LACONIC_INLINE static void put(std::uint32_t keep, const std::uint8_t* planes, std::byte*& at) {
    _mm512_storeu_si512(at, compress_words(keep, _mm512_load_si512(planes)));
    at += 2 * _mm_popcnt_u32(keep);
  }

  alignas(64) std::uint8_t low_[block_groups][64];
  alignas(64) std::uint8_t high_[block_groups][64];
  Present keep_;
  __m512i codes_;
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

Entry put_staged(const Staged& staged, std::byte* out) {
  return std::launder(reinterpret_cast<const Output*>(staged.memory))->finish(out, block_groups);
}
