// The reading half of avx512_gfni.cpp, which includes it.

// Codes of all sub-blocks, what they mean, and where the planes are.
struct Head {
  alignas(64) std::uint8_t codes[64];
  alignas(64) std::uint8_t keep[64];  // the low `width` bits, for widths up to 8
  std::uint16_t bitmap = 0;
  Kind kind = Kind::zero;
  std::int32_t base = 0;
  std::size_t head = 0;  // as in BlockHead
  std::size_t total = 0;
};

constexpr ByteTable lane_table(bool keep) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const unsigned width = width_of_code[byte % 16];
    t.at[byte] = static_cast<std::uint8_t>(keep ? (1u << (width < 8 ? width : 8)) - 1 : width);
  }
  return t;
}
constexpr ByteTable width_table = lane_table(false);
constexpr ByteTable keep_table = lane_table(true);

void read_head(const std::byte* in, std::size_t available, std::size_t n, Head& h) {
  h.head = h.total = 0;
  if (available < 1) return;
  h.kind = static_cast<Kind>(in[0]);
  if (h.kind == Kind::zero) {
    h.head = h.total = 1;
    return;
  }
  if (!on_lattice(h.kind)) return;
  std::size_t at = 1;
  if (h.kind == Kind::order1) {
    if (available < at + 4) return;
    std::memcpy(&h.base, in + at, 4);
    at += 4;
  }
  if (available < at + 2) return;
  std::memcpy(&h.bitmap, in + at, 2);
  at += 2;
  const auto present = static_cast<unsigned>(_mm_popcnt_u32(h.bitmap));
  if (available < at + 2 * present) return;
  const auto loaded = static_cast<__mmask16>((1u << present) - 1);
  const __m256i words = _mm256_maskz_expand_epi16(h.bitmap, _mm256_maskz_loadu_epi16(loaded, in + at));
  at += 2 * present;
  // Four nibbles of a word to four bytes.
  const __m512i wide = _mm512_cvtepu16_epi32(words);
  const __m512i spread = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x2c2824200c080400LL),
                                                      wide);  // byte k: bits 4k.. of its 32-bit half
  const __m512i codes = _mm512_and_si512(spread, _mm512_set1_epi8(15));
  const std::size_t subs = subs_of(n);
  const __mmask64 beyond = subs >= 64 ? 0 : ~std::uint64_t{0} << subs;
  if (_mm512_mask_test_epi8_mask(beyond, codes, codes) != 0) return;
  const __m512i widths = _mm512_shuffle_epi8(load(width_table), codes);
  const auto planes =
      static_cast<std::size_t>(_mm512_reduce_add_epi64(_mm512_sad_epu8(widths, _mm512_setzero_si512())));
  if (available < at + 2 * planes) return;
  _mm512_store_si512(h.codes, codes);
  _mm512_store_si512(h.keep, _mm512_shuffle_epi8(load(keep_table), codes));
  h.head = at;
  h.total = at + 2 * planes;
}

// 64 signed bytes to points.
template <bool differences>
void bytes_to_points(__m512i r, __m512i& carry, std::int32_t* q) {
  if constexpr (!differences) {
    for (int k = 0; k < 4; ++k) {
      const __m128i part = k == 0   ? _mm512_castsi512_si128(r)
                           : k == 1 ? _mm512_extracti32x4_epi32(r, 1)
                           : k == 2 ? _mm512_extracti32x4_epi32(r, 2)
                                    : _mm512_extracti32x4_epi32(r, 3);
      _mm512_store_si512(q + 16 * k, _mm512_cvtepi8_epi32(part));
    }
    return;
  }
  // Sums inside each run of four bytes come from one instruction per position, on top of what went before the run.
  const __m512i zero = _mm512_setzero_si512();
  const __m512i all = _mm512_set1_epi8(1);
  const __m512i runs = _mm512_dpbusd_epi32(zero, all, r);
  __m512i before = runs;
  const __m512i old = carry;
  before = _mm512_add_epi32(before, _mm512_alignr_epi32(before, zero, 15));
  before = _mm512_add_epi32(before, _mm512_alignr_epi32(before, zero, 14));
  before = _mm512_add_epi32(before, _mm512_alignr_epi32(before, zero, 12));
  before = _mm512_add_epi32(before, _mm512_alignr_epi32(before, zero, 8));
  before = _mm512_add_epi32(before, old);
  carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), before);
  before = _mm512_sub_epi32(before, runs);
  // Run 4m + l goes to place 4l + m: then the 4x4 transposes below leave the values in order.
  const __m512i places = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  r = _mm512_permutexvar_epi32(places, r);
  before = _mm512_permutexvar_epi32(places, before);
  const __m512i p0 = _mm512_dpbusd_epi32(before, _mm512_set1_epi32(0x00000001), r);
  const __m512i p1 = _mm512_dpbusd_epi32(before, _mm512_set1_epi32(0x00000101), r);
  const __m512i p2 = _mm512_dpbusd_epi32(before, _mm512_set1_epi32(0x00010101), r);
  const __m512i p3 = _mm512_dpbusd_epi32(before, all, r);
  const __m512i a = _mm512_unpacklo_epi32(p0, p1);
  const __m512i b = _mm512_unpackhi_epi32(p0, p1);
  const __m512i c = _mm512_unpacklo_epi32(p2, p3);
  const __m512i d = _mm512_unpackhi_epi32(p2, p3);
  _mm512_store_si512(q, _mm512_unpacklo_epi64(a, c));
  _mm512_store_si512(q + 16, _mm512_unpackhi_epi64(a, c));
  _mm512_store_si512(q + 32, _mm512_unpacklo_epi64(b, d));
  _mm512_store_si512(q + 48, _mm512_unpackhi_epi64(b, d));
}

template <bool differences>
const std::byte* unpack_wide_group(const Head& h, std::size_t g, const std::byte* at, __m512i& carry, std::int32_t* q) {
  for (std::size_t k = 0; k < group_subs; ++k) {
    const unsigned width = width_of_code[h.codes[g * group_subs + k]];
    __m512i r = planes_to_points(at, width);
    at += 2 * width;
    if constexpr (differences) r = prefix16(r, carry);
    _mm512_store_si512(q + k * sub_values, r);
  }
  return at;
}

// The words that `keep` has a place for, from `at`, each in its place.  Moves `at` behind them; reads nothing from
// `end` on.
__m512i next_words(__mmask32 keep, const std::byte*& at, const std::byte* end) {
  const auto count = static_cast<unsigned>(_mm_popcnt_u32(keep));
  const __m512i packed = end - at >= 64 ? _mm512_loadu_si512(at) : _mm512_maskz_loadu_epi16(_bzhi_u32(~0u, count), at);
  at += 2 * count;
  return expand_words(keep, packed);
}

// One byte of each of 64 residuals from eight planes of four sub-blocks.
__m512i bytes_of_planes(__m512i words) {
  return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(each_bit), _mm512_shuffle_epi8(words, load(rows_table)), 0);
}

__m512i unzigzag_words(__m512i z) {
  const __m512i odd = _mm512_and_si512(z, _mm512_set1_epi16(1));
  return _mm512_xor_si512(_mm512_srli_epi16(z, 1), _mm512_sub_epi16(_mm512_setzero_si512(), odd));
}

// Groups of residuals of up to 16 bits.
template <bool differences>
const std::byte* unpack_medium_group(const Head& h, std::size_t g, const std::byte* at, const std::byte* end,
                                     __m512i& carry, std::int32_t* q) {
  std::uint64_t keep = 0;
  for (unsigned k = 0; k < group_subs; ++k) keep |= planes_of_code[h.codes[g * group_subs + k]] << (16 * k);
  const __m512i first_two = next_words(static_cast<__mmask32>(keep), at, end);
  const __m512i last_two = next_words(static_cast<__mmask32>(keep >> 32), at, end);
  const __m512i low = _mm512_permutex2var_epi64(first_two, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), last_two);
  const __m512i high = _mm512_permutex2var_epi64(first_two, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), last_two);
  const __m512i z_low = bytes_of_planes(low);
  const __m512i z_high = bytes_of_planes(high);
  // Residuals 0..7 of each sub-block, and 8..15.
  const __m512i first_half = unzigzag_words(_mm512_unpacklo_epi8(z_low, z_high));
  const __m512i second_half = unzigzag_words(_mm512_unpackhi_epi8(z_low, z_high));
  const __m512i pairs[2] = {
      _mm512_permutex2var_epi64(first_half, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), second_half),
      _mm512_permutex2var_epi64(first_half, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), second_half)};
  for (std::size_t k = 0; k < group_subs; ++k) {
    const __m256i half =
        k % 2 == 0 ? _mm512_castsi512_si256(pairs[k / 2]) : _mm512_extracti64x4_epi64(pairs[k / 2], 1);
    __m512i r = _mm512_cvtepi16_epi32(half);
    if constexpr (differences) r = prefix16(r, carry);
    _mm512_store_si512(q + k * sub_values, r);
  }
  return at;
}

// The group's widest code, from its four.
unsigned widest(const Head& h, std::size_t g) {
  const std::uint8_t* c = h.codes + g * group_subs;
  const unsigned a = c[0] > c[1] ? c[0] : c[1];
  const unsigned b = c[2] > c[3] ? c[2] : c[3];
  return a > b ? a : b;
}

template <bool differences>
void unpack_planes(const Head& h, const std::byte* at, const std::byte* end, std::size_t subs, Points& points) {
  __m512i carry = _mm512_set1_epi32(h.base);
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  for (std::size_t g = 0; g < groups; ++g) {
    std::int32_t* q = points.q + g * group_values;
    const unsigned code = widest(h, g);
    if (code > 8) {
      at = code <= 13 ? unpack_medium_group<differences>(h, g, at, end, carry, q)
                      : unpack_wide_group<differences>(h, g, at, carry, q);
      continue;
    }
    std::uint32_t keep;
    std::memcpy(&keep, h.keep + g * group_subs, 4);
    const __m512i z = bytes_of_planes(next_words(keep, at, end));
    const __m512i r = _mm512_gf2p8affine_epi64_epi8(z, _mm512_set1_epi64(unzigzag_matrix), 0);
    bytes_to_points<differences>(r, carry, q);
  }
}

std::size_t unpack(const std::byte* in, std::size_t available, std::size_t n, Points& points) {
  Head h;
  read_head(in, available, n, h);
  if (h.head == 0) return 0;
  if (h.kind == Kind::zero)
    std::memset(points.q, 0, sizeof points.q);
  else if (h.kind == Kind::order1)
    unpack_planes<true>(h, in + h.head, in + available, subs_of(n), points);
  else
    unpack_planes<false>(h, in + h.head, in + available, subs_of(n), points);
  return h.total;
}
