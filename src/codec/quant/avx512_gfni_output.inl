// Writing a block group by group, included inside the target region of avx512_gfni.cpp.

// The body of a block on the lattice: planes as they come, the head when all are there.
class Output {
 public:
  // Planes are written where they have to be if every group has some and, with `wide`, some group is wide; else they
  // are moved in the end.
  Output(std::byte* out, int order, bool wide)
      : out_(out), planes_(out + head_bytes(order, wide, block_groups)), order_(order) {
    _mm512_store_si512(low_, _mm512_setzero_si512());
    _mm512_store_si512(high_, _mm512_setzero_si512());
  }

  // Where the first plane goes.  The caller keeps the place of the next one: as a member it would stay in memory, since
  // planes are bytes and may lie anywhere.
  std::byte* begin() const { return planes_; }

  LACONIC_INLINE void put_narrow_group(std::size_t g, __m512i rows, std::byte*& at) { low_[g] = put_narrow(rows, at); }
  LACONIC_INLINE void put_wide_group(std::size_t g, const Halves& r, std::byte*& at) {
    const std::uint64_t planes = put_wide(r, at);
    low_[g] = static_cast<std::uint32_t>(planes);
    high_[g] = static_cast<std::uint32_t>(planes >> 32);
    wide_ |= 1u << g;
  }

  // A group of any 32-bit residuals, some of which need more than 16 bits.
  void put_long_group(std::size_t g, const __m512i* r, std::byte*& at) {
    if (!long_) _mm512_store_si512(long_codes_, _mm512_setzero_si512());
    long_ = true;
    wide_ |= 1u << g;
    __m512i z[group_subs];
    Planes planes[group_subs];
    for (unsigned k = 0; k < group_subs; ++k) {
      z[k] = zigzag16(r[k]);
      const std::uint8_t code = code_of(bits16(z[k]), true);
      planes[k] = planes_of_code(code, true);
      long_codes_[g * group_subs + k] = code;
    }
    at = pack_group(z, planes, at);
  }

  Entry finish(std::int32_t base, const std::byte* at) {
    // Two codes to a byte, four to a word.
    const __m512i pairs = _mm512_maddubs_epi16(codes(), _mm512_set1_epi16(0x1001));
    const __m256i words = _mm512_cvtepi32_epi16(_mm512_madd_epi16(pairs, _mm512_set1_epi32(0x01000001)));
    const auto present = static_cast<std::uint16_t>(_mm256_test_epi16_mask(words, words));
    const auto wide = static_cast<std::uint16_t>(wide_);
    if (order_ == 0 && present == 0) return zero_block;
    const auto count = static_cast<unsigned>(_mm_popcnt_u32(present));
    const auto bytes = static_cast<std::size_t>(at - planes_);
    std::byte* const planes = out_ + head_bytes(order_, wide != 0, count);
    if (planes != planes_) std::memmove(planes, planes_, bytes);
    std::byte* to = out_;
    if (order_ != 0) {
      std::memcpy(to, &base, 4);
      to += 4;
    }
    std::memcpy(to, &present, 2);
    to += 2;
    if (wide != 0) {
      std::memcpy(to, &wide, 2);
      to += 2;
    }
    _mm256_mask_storeu_epi16(to, static_cast<__mmask16>((1u << count) - 1), _mm256_maskz_compress_epi16(present, words));
    return make_entry(kind_of(order_, wide != 0), static_cast<std::size_t>(planes - out_) + bytes);
  }

 private:
  static std::size_t head_bytes(int order, bool wide, std::size_t groups) {
    return (order != 0 ? 4u : 0u) + 2u + (wide ? 2u : 0u) + 2 * groups;
  }

  // Of each sub-block, from its planes.  A narrow code is the number of planes, and 8 more where plane 0 is not among
  // them; wide ones are 0, 1, 2, 3, 4, 5 ... 13 for 0, 2, 4, 6, 7, 8 ... 16 planes.
  LACONIC_INLINE __m512i codes() const {
    const __m512i low = _mm512_load_si512(low_);
    const __mmask64 no_signs = _mm512_test_epi8_mask(low, low) & _mm512_testn_epi8_mask(low, _mm512_set1_epi8(1));
    const __m512i count = _mm512_popcnt_epi8(low);
    const __m512i narrow = _mm512_mask_add_epi8(count, no_signs, count, _mm512_set1_epi8(narrow_bits));
    if (wide_ == 0) return narrow;
    const __m512i all = _mm512_add_epi8(count, _mm512_popcnt_epi8(_mm512_load_si512(high_)));
    const __m512i half = _mm512_and_si512(_mm512_srli_epi16(all, 1), _mm512_set1_epi8(15));
    const __m512i wide = _mm512_max_epi8(half, _mm512_sub_epi8(all, _mm512_set1_epi8(3)));
    const std::uint64_t in_wide = _pdep_u64(wide_, 0x1111111111111111ULL) * 15;
    const __m512i codes = _mm512_mask_mov_epi8(narrow, in_wide, wide);
    return long_ ? _mm512_or_si512(codes, _mm512_load_si512(long_codes_)) : codes;
  }

  alignas(64) std::uint32_t low_[block_groups];   // the planes of bits 0..7, a byte for each sub-block
  alignas(64) std::uint32_t high_[block_groups];  // of bits 8..15
  alignas(64) std::uint8_t long_codes_[block_subs];
  std::byte* out_;
  std::byte* planes_;
  int order_;
  unsigned wide_ = 0;
  bool long_ = false;
};
