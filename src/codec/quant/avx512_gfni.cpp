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
#include "codec/quant/target.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN(
    "avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi,avx512vbmi2,avx512vnni,avx512bitalg,gfni,bmi,bmi2,"
    "lzcnt,popcnt",
    "prefer-vector-width=512")

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

// The low `width` bits, for codes of up to 16 bits.
constexpr std::uint64_t planes_of_code[16] = {0x0000, 0x0001, 0x0003, 0x0007, 0x000f, 0x001f, 0x003f, 0x007f,
                                              0x00ff, 0x01ff, 0x03ff, 0x0fff, 0x3fff, 0xffff, 0xffff, 0xffff};

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
  // The code of each sub-block from its highest plane, and the planes of that code.
  std::uint64_t keep = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t code = code_of(static_cast<std::uint32_t>(present >> (16 * k) & 0xffff));
    codes |= code << (4 * k);
    keep |= planes_of_code[code] << (16 * k);
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

#include "codec/quant/avx512_gfni_unpack.inl"
#include "codec/quant/pack.inl"

}  // namespace

const Kernels& avx512_gfni_kernels() {
  static const Kernels table{
      "avx512gfni", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,       combine_points};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
