// AVX-512 kernels with GFNI and VBMI2: 64 residuals at a time.
//
// gf2p8affineqb(x, A) computes, for every byte x of a 64-bit lane, eight parities of x with the rows of the 8x8 bit
// matrix A.  With eight residuals as the rows and a single bit as x that is a bit plane of eight residuals, so one
// instruction transposes 64 of them; with two bits as x it is the exclusive or of two planes, which is what zigzag asks
// for.  vpcompressw and vpexpandw then keep the planes that the widths call for.
#if defined(__x86_64__)

#include <cstring>

#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"

#include <immintrin.h>

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (its PR 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#pragma GCC push_options
#pragma GCC target( \
    "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,avx512vnni,avx512bitalg,gfni,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")

namespace laconic::quant {
namespace {

#include "codec/quant/avx512.inl"

constexpr std::size_t group_values = group_subs * sub_values;

// Bytes 0..63 of a table computed when compiled.
struct alignas(64) ByteTable {
  std::uint8_t at[64];
};
__m512i load(const ByteTable& table) { return _mm512_load_si512(table.at); }

// Takes byte `part` of 16 residuals in each of two vectors, as vpermi2b indices: result byte 8g + m is residual
// 8g + 7 - m, for g = 0..3 when `half` is 0 and 4..7 when it is 1.  (Rows of the matrix count from the last byte.)
constexpr ByteTable gather_bytes(unsigned half, unsigned part) {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) {
    const unsigned value = byte / 8 * 8 + 7 - byte % 8;
    if (value / 32 == half) t.at[byte] = static_cast<std::uint8_t>((value % 32) * 4 + part);
  }
  return t;
}

// Two runs of eight plane bytes, of residuals 0..7 and 8..15, to eight 16-bit planes; and back, rows last first.
constexpr ByteTable interleave_planes() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = static_cast<std::uint8_t>(byte % 16 / 2 + (byte % 2) * 8);
  return t;
}
constexpr ByteTable rows_of_planes() {
  ByteTable t{};
  for (unsigned byte = 0; byte < 64; ++byte) t.at[byte] = static_cast<std::uint8_t>(2 * (7 - byte % 8) + byte % 16 / 8);
  return t;
}

constexpr ByteTable gather_tables[2][2] = {{gather_bytes(0, 0), gather_bytes(0, 1)},
                                           {gather_bytes(1, 0), gather_bytes(1, 1)}};
constexpr ByteTable interleave_table = interleave_planes();
constexpr ByteTable rows_table = rows_of_planes();

// Byte k selects plane k.
constexpr long long each_bit = static_cast<long long>(0x8040201008040201ULL);
// Byte k selects bit k of the zigzag of a signed byte: the sign for k = 0, else bit k-1 exclusive or the sign.
constexpr long long each_zigzag_bit = static_cast<long long>(0xc0a0908884828180ULL);
// The matrix of unzigzag: bit k of the result is bit k+1 exclusive or bit 0, bit 7 is bit 0.
constexpr long long unzigzag_matrix = static_cast<long long>(0x0305091121418101ULL);

struct Vectors {
  __m512i v[4];
};

// Byte `part` of 64 residuals, in the order that the matrix wants.
template <unsigned part>
__m512i bytes_of(const Vectors& r) {
  const __m512i low = _mm512_permutex2var_epi8(r.v[0], load(gather_tables[0][part]), r.v[1]);
  const __m512i high = _mm512_permutex2var_epi8(r.v[2], load(gather_tables[1][part]), r.v[3]);
  return _mm512_mask_blend_epi64(0xf0, low, high);
}

// Eight planes of each of four sub-blocks, as words.
__m512i planes_of(__m512i bytes, long long selector) {
  const __m512i planes = _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(selector), bytes, 0);
  return _mm512_shuffle_epi8(planes, load(interleave_table));
}

// The words that `keep` selects, closed up.  On some processors the instruction waits for the old value of its
// destination even when it does not use it; a fresh zero that the compiler cannot see through avoids that.
__m512i compress_words(__mmask32 keep, __m512i words) {
  __m512i fresh = _mm512_setzero_si512();
  __asm__("" : "+v"(fresh));
  return _mm512_mask_compress_epi16(fresh, keep, words);
}
__m512i expand_words(__mmask32 keep, __m512i words) {
  __m512i fresh = _mm512_setzero_si512();
  __asm__("" : "+v"(fresh), "+v"(words));
  return _mm512_mask_expand_epi16(fresh, keep, words);
}

template <int order>
__m512i differences16(const std::int32_t* q) {
  const __m512i v = _mm512_load_si512(q);
  if constexpr (order == 0) return v;
  return _mm512_sub_epi32(v, _mm512_loadu_si512(q - 1));
}

// Every bit below the highest one that is set, in each byte (16-bit word) of m.
std::uint32_t fill_bytes(std::uint32_t m) {
  m |= m >> 1 & 0x7f7f7f7fu;
  m |= m >> 2 & 0x3f3f3f3fu;
  return m | (m >> 4 & 0x0f0f0f0fu);
}

std::uint16_t bytes_to_nibbles(std::uint32_t bytes) {
  return static_cast<std::uint16_t>(_pext_u32(bytes, 0x0f0f0f0fu));
}

// Appends the codes and planes of one group; returns its word of codes, 0 when it has no planes.
template <int order>
std::uint16_t pack_group(const std::int32_t* q, std::byte*& at) {
  Vectors r;
  __m512i beyond_byte = _mm512_setzero_si512();
  const __m512i offset = _mm512_set1_epi32(128);
  for (int k = 0; k < 4; ++k) {
    r.v[k] = differences16<order>(q + 16 * k);
    beyond_byte = _mm512_or_si512(beyond_byte, _mm512_add_epi32(r.v[k], offset));
  }
  if (_mm512_test_epi32_mask(beyond_byte, _mm512_set1_epi32(~255)) == 0) {
    const __m512i words = planes_of(bytes_of<0>(r), each_zigzag_bit);
    const std::uint32_t keep = fill_bytes(_mm512_test_epi16_mask(words, words));
    _mm512_storeu_si512(at, compress_words(keep, words));
    at += 2 * _mm_popcnt_u32(keep);
    const __m128i widths = _mm_popcnt_epi8(_mm_cvtsi32_si128(static_cast<int>(keep)));
    return bytes_to_nibbles(static_cast<std::uint32_t>(_mm_cvtsi128_si32(widths)));
  }
  __m512i any = _mm512_setzero_si512();
  for (int k = 0; k < 4; ++k) {
    r.v[k] = zigzag16(r.v[k]);
    any = _mm512_or_si512(any, r.v[k]);
  }
  std::uint32_t codes = 0;
  if (_mm512_test_epi32_mask(any, _mm512_set1_epi32(static_cast<int>(0xffff0000u))) != 0) {
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t code = code16(r.v[k]);
      at = pack_planes(r.v[k], width_of_code[code], at);
      codes |= code << (4 * k);
    }
    return static_cast<std::uint16_t>(codes);
  }
  const __m512i low = planes_of(bytes_of<0>(r), each_bit);
  const __m512i high = planes_of(bytes_of<1>(r), each_bit);
  // 16 planes of sub-blocks 0 and 1, of 2 and 3.
  const __m512i first_two = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
  const __m512i last_two = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
  const std::uint64_t present = static_cast<std::uint64_t>(_mm512_test_epi16_mask(first_two, first_two)) |
                                static_cast<std::uint64_t>(_mm512_test_epi16_mask(last_two, last_two)) << 32;
  std::uint64_t keep = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const auto planes = static_cast<std::uint32_t>(present >> (16 * k) & 0xffff);
    const std::uint32_t code = code_of(planes);
    codes |= code << (4 * k);
    keep |= ((std::uint64_t{1} << width_of_code[code]) - 1) << (16 * k);
  }
  _mm512_storeu_si512(at, compress_words(static_cast<__mmask32>(keep), first_two));
  at += 2 * _mm_popcnt_u32(static_cast<std::uint32_t>(keep));
  _mm512_storeu_si512(at, compress_words(static_cast<__mmask32>(keep >> 32), last_two));
  at += 2 * _mm_popcnt_u32(static_cast<std::uint32_t>(keep >> 32));
  return static_cast<std::uint16_t>(codes);
}

template <int order>
std::size_t pack_order(const Points& points, std::size_t subs, std::byte* out) {
  // The planes are written behind a head of full size and moved up once the head is known: its size depends on them.
  alignas(64) std::uint16_t codes[block_groups + 32] = {};
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  std::byte planes[2 * 32 * block_subs + 2 * store_slack];
  std::byte* at = planes;
  std::uint16_t bitmap = 0;
  std::size_t present = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint16_t word = pack_group<order>(points.q + g * group_values, at);
    codes[present] = word;
    present += word != 0;
    bitmap = static_cast<std::uint16_t>(bitmap | (word != 0) << g);
  }
  if (order == 0 && bitmap == 0) {
    *out = static_cast<std::byte>(Kind::zero);
    return 1;
  }
  std::byte* to = out;
  *to++ = static_cast<std::byte>(order == 0 ? Kind::order0 : Kind::order1);
  if constexpr (order == 1) {
    std::memcpy(to, points.q, 4);
    to += 4;
  }
  std::memcpy(to, &bitmap, 2);
  to += 2;
  std::memcpy(to, codes, 2 * block_groups);
  to += 2 * present;
  const auto bytes = static_cast<std::size_t>(at - planes);
  for (std::size_t i = 0; i < bytes; i += 64) _mm512_storeu_si512(to + i, _mm512_loadu_si512(planes + i));
  return static_cast<std::size_t>(to - out) + bytes;
}

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

// Groups of residuals of up to 16 bits.
template <bool differences>
const std::byte* unpack_medium_group(const Head& h, std::size_t g, const std::byte* at, const std::byte* end,
                                     __m512i& carry, std::int32_t* q) {
  std::uint64_t keep = 0;
  for (unsigned k = 0; k < group_subs; ++k)
    keep |= ((std::uint64_t{1} << width_of_code[h.codes[g * group_subs + k]]) - 1) << (16 * k);
  const __m512i first_two = next_words(static_cast<__mmask32>(keep), at, end);
  const __m512i last_two = next_words(static_cast<__mmask32>(keep >> 32), at, end);
  const __m512i low = _mm512_permutex2var_epi64(first_two, _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13), last_two);
  const __m512i high = _mm512_permutex2var_epi64(first_two, _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15), last_two);
  const __m512i z_low = bytes_of_planes(low);
  const __m512i z_high = bytes_of_planes(high);
  alignas(64) std::uint8_t b_low[64];
  alignas(64) std::uint8_t b_high[64];
  _mm512_store_si512(b_low, z_low);
  _mm512_store_si512(b_high, z_high);
  for (std::size_t k = 0; k < group_subs; ++k) {
    const __m128i lo = _mm_load_si128(reinterpret_cast<const __m128i*>(b_low + 16 * k));
    const __m128i hi = _mm_load_si128(reinterpret_cast<const __m128i*>(b_high + 16 * k));
    const __m512i z = _mm512_or_si512(_mm512_cvtepu8_epi32(lo), _mm512_slli_epi32(_mm512_cvtepu8_epi32(hi), 8));
    const __m512i odd = _mm512_and_si512(z, _mm512_set1_epi32(1));
    __m512i r = _mm512_xor_si512(_mm512_srli_epi32(z, 1), _mm512_sub_epi32(_mm512_setzero_si512(), odd));
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

#include "codec/quant/pack.inl"

}  // namespace

const Kernels& avx512_gfni_kernels() {
  static const Kernels table{
      "avx512gfni", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,       combine_points};
  return table;
}

}  // namespace laconic::quant

#pragma GCC pop_options

#endif
