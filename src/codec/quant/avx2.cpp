// AVX2 kernels: one sub-block is two vectors, one bit plane their sign bits.
#if defined(__x86_64__)

#include <cstring>

#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/target.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN("avx2,bmi,bmi2,lzcnt,popcnt")

namespace laconic::quant {
namespace {

__m256d load4(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
__m256d load4(const double* x) { return _mm256_loadu_pd(x); }
void store4(float* x, __m256d v) { _mm_storeu_ps(x, _mm256_cvtpd_ps(v)); }
void store4(double* x, __m256d v) { _mm256_storeu_pd(x, v); }

// All of a block in float32; false when some number needs float64.
bool quantise_single_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (lattice.largest_single == 0) return false;
  const __m256 inverse = _mm256_set1_ps(lattice.inverse_single);
  const __m256 largest = _mm256_set1_ps(lattice.largest_single);
  const __m256 sign = _mm256_set1_ps(-0.0F);
  __m256 good = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 y = _mm256_mul_ps(_mm256_loadu_ps(x + i), inverse);
    good = _mm256_and_ps(good, _mm256_cmp_ps(_mm256_andnot_ps(sign, y), largest, _CMP_LE_OQ));
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_cvtps_epi32(y));
  }
  if (_mm256_movemask_ps(good) != 255) return false;
  for (; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

// Lanes that float32 rounds, as a mask over four doubles, and their points.
__m256d single4(const float* x, const Lattice& lattice, __m128i& q) {
  const __m128 y = _mm_mul_ps(_mm_loadu_ps(x), _mm_set1_ps(lattice.inverse_single));
  q = _mm_cvtps_epi32(y);
  const float limit = lattice.largest_single > 0 ? lattice.largest_single : -1;
  const __m128 in = _mm_cmple_ps(_mm_andnot_ps(_mm_set1_ps(-0.0F), y), _mm_set1_ps(limit));
  return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_castps_si128(in)));
}
__m256d single4(const double*, const Lattice&, __m128i& q) {
  q = _mm_setzero_si128();
  return _mm256_setzero_pd();
}

template <class T>
bool quantise_all(const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  if constexpr (sizeof(T) == 4)
    if (quantise_single_all(x, n, lattice, points)) return true;
  const __m256d inverse = _mm256_set1_pd(lattice.inverse);
  const __m256d step = _mm256_set1_pd(lattice.step);
  const __m256d largest = _mm256_set1_pd(lattice.largest);
  const __m256d allowance = _mm256_set1_pd(lattice.allowance);
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    __m128i single;
    const __m256d in_single = single4(x + i, lattice, single);
    const __m256d v = load4(x + i);
    const __m256d y = _mm256_mul_pd(v, inverse);
    const __m256d r = _mm256_round_pd(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256d off = _mm256_andnot_pd(sign, _mm256_sub_pd(v, _mm256_mul_pd(r, step)));
    const __m256d fits = _mm256_and_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, y), largest, _CMP_LE_OQ),
                                       _mm256_cmp_pd(off, allowance, _CMP_LE_OQ));
    good = _mm256_and_pd(good, _mm256_or_pd(in_single, fits));
    const __m128i halves = _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(_mm256_castpd_si256(in_single), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
    _mm_store_si128(reinterpret_cast<__m128i*>(points.q + i), _mm_blendv_epi8(_mm256_cvtpd_epi32(r), single, halves));
  }
  if (_mm256_movemask_pd(good) != 15) return false;
  for (; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

// False when a point is too large for it, or the divisor needs float64.
bool dequantise_single_all(const Points& points, std::size_t n, double step, double divisor, float* x) {
  if (divisor != 1 || !single_step(step)) return false;
  const __m256 s = _mm256_set1_ps(static_cast<float>(step));
  __m256i most = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i q = _mm256_load_si256(reinterpret_cast<const __m256i*>(points.q + i));
    most = _mm256_or_si256(most, _mm256_xor_si256(q, _mm256_srai_epi32(q, 31)));
    _mm256_storeu_ps(x + i, _mm256_mul_ps(_mm256_cvtepi32_ps(q), s));
  }
  for (; i < n; ++i) x[i] = dequantise<float>(points.q[i], step, 1);
  const __m256i above = _mm256_set1_epi32(~(largest_exact_single - 1));
  return _mm256_testz_si256(most, above) != 0;
}
bool dequantise_single_all(const Points&, std::size_t, double, double, double*) { return false; }

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  if (dequantise_single_all(points, n, step, divisor, x)) return;
  const __m256d s = _mm256_set1_pd(step);
  const __m256d d = _mm256_set1_pd(divisor);
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128i q = _mm_load_si128(reinterpret_cast<const __m128i*>(points.q + i));
    __m256d v = _mm256_mul_pd(_mm256_cvtepi32_pd(q), s);
    if (divisor != 1) v = _mm256_div_pd(v, d);
    store4(x + i, v);
  }
  for (; i < n; ++i) x[i] = dequantise<T>(points.q[i], step, divisor);
}

__m256i zigzag8(__m256i r) { return _mm256_xor_si256(_mm256_slli_epi32(r, 1), _mm256_srai_epi32(r, 31)); }

template <int order>
__m256i residuals8(const std::int32_t* q) {
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(q));
  if constexpr (order == 0) return zigzag8(v);
  return zigzag8(_mm256_sub_epi32(v, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q - 1))));
}

std::uint8_t code16(__m256i low, __m256i high) {
  const __m256i both = _mm256_or_si256(low, high);
  __m128i v = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0x4e));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0xb1));
  return code_of(static_cast<std::uint32_t>(_mm_cvtsi128_si32(v)));
}

template <int order>
std::size_t sampled_width(const Points& points, std::size_t subs) {
  std::size_t width = 0;
  for (std::size_t s = 0; s < subs; s += sample_stride) {
    const std::int32_t* q = points.q + s * sub_values;
    width += width_of_code[code16(residuals8<order>(q), residuals8<order>(q + 8))];
  }
  return width;
}

// (No lambdas here: GCC does not give them the target of the function they stand in.)
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

// Eight planes of each of two sub-blocks, as words, from one byte of each residual; and back.
__m256i planes_of(__m256i bytes) {
  const __m256i interleave = _mm256_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,  //
                                              0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  return _mm256_shuffle_epi8(transpose_bits(bytes), interleave);
}
__m256i bytes_of_planes(__m256i words) {
  const __m256i separate = _mm256_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,  //
                                            0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  return transpose_bits(_mm256_shuffle_epi8(words, separate));
}

void store_half(std::byte* at, __m256i v, bool upper) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), upper ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
}

// The planes of one sub-block of any width, from the sign bits of shifted residuals.
std::byte* pack_wide(__m256i low, __m256i high, int width, std::byte* at) {
  const __m128i to_sign = _mm_cvtsi32_si128(32 - width);
  low = _mm256_sll_epi32(low, to_sign);
  high = _mm256_sll_epi32(high, to_sign);
  for (int k = width - 1; k >= 0; --k) {
    const auto plane = static_cast<std::uint16_t>(_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
                                                  _mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8);
    std::memcpy(at + 2 * k, &plane, 2);
    low = _mm256_add_epi32(low, low);
    high = _mm256_add_epi32(high, high);
  }
  return at + 2 * width;
}

// The planes of two sub-blocks.
template <int order>
std::byte* pack_pair(const std::int32_t* q, const std::uint8_t* codes, std::byte* at) {
  const int width[2] = {width_of_code[codes[0]], width_of_code[codes[1]]};
  const int widest = width[0] > width[1] ? width[0] : width[1];
  if (widest == 0) return at;
  const __m256i z[4] = {residuals8<order>(q), residuals8<order>(q + 8), residuals8<order>(q + 16),
                        residuals8<order>(q + 24)};
  if (widest > 16) {
    at = pack_wide(z[0], z[1], width[0], at);
    return pack_wide(z[2], z[3], width[1], at);
  }
  const __m256i low = planes_of(low_bytes(z));
  if (widest <= 8) {
    store_half(at, low, false);
    store_half(at + 2 * width[0], low, true);
    return at + 2 * (width[0] + width[1]);
  }
  const __m256i shifted[4] = {_mm256_srli_epi32(z[0], 8), _mm256_srli_epi32(z[1], 8), _mm256_srli_epi32(z[2], 8),
                              _mm256_srli_epi32(z[3], 8)};
  const __m256i high = planes_of(low_bytes(shifted));
  for (const bool upper : {false, true}) {
    store_half(at, low, upper);
    store_half(at + 16, high, upper);
    at += 2 * width[upper];
  }
  return at;
}

template <int order>
std::size_t pack_order(const Points& points, std::size_t subs, std::byte* out) {
  std::uint8_t codes[block_subs] = {};
  unsigned any = 0;
  for (std::size_t s = 0; s < subs; ++s) {
    const std::int32_t* q = points.q + s * sub_values;
    codes[s] = code16(residuals8<order>(q), residuals8<order>(q + 8));
    any |= codes[s];
  }
  if (order == 0 && any == 0) {
    *out = static_cast<std::byte>(Kind::zero);
    return 1;
  }
  std::byte* at = write_block_head(order == 0 ? Kind::order0 : Kind::order1, points.q[0], codes, out);
  for (std::size_t s = 0; s < subs; s += 2) at = pack_pair<order>(points.q + s * sub_values, codes + s, at);
  return static_cast<std::size_t>(at - out);
}

__m256i unzigzag8(__m256i z) {
  const __m256i odd = _mm256_and_si256(z, _mm256_set1_epi32(1));
  return _mm256_xor_si256(_mm256_srli_epi32(z, 1), _mm256_sub_epi32(_mm256_setzero_si256(), odd));
}

// Sums of each lane and those before it, plus `carry`; leaves the last one in every lane of `carry`.
__m256i prefix8(__m256i r, __m256i& carry) {
  r = _mm256_add_epi32(r, _mm256_slli_si256(r, 4));
  r = _mm256_add_epi32(r, _mm256_slli_si256(r, 8));
  const __m256i low_total = _mm256_permutevar8x32_epi32(r, _mm256_set1_epi32(3));
  r = _mm256_add_epi32(r, _mm256_blend_epi32(_mm256_setzero_si256(), low_total, 0xf0));
  r = _mm256_add_epi32(r, carry);
  carry = _mm256_permutevar8x32_epi32(r, _mm256_set1_epi32(7));
  return r;
}

// Residuals of one sub-block of any width, bit by bit.
void unpack_wide(const std::byte* at, int width, __m256i* r) {
  const __m256i low_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i high_bits = _mm256_slli_epi32(low_bits, 8);
  __m256i low = _mm256_setzero_si256();
  __m256i high = _mm256_setzero_si256();
  for (int k = width - 1; k >= 0; --k) {
    std::uint16_t word;
    std::memcpy(&word, at + 2 * k, 2);
    const __m256i plane = _mm256_set1_epi32(word);
    // Comparing yields -1 where the bit is set: doubling and subtracting shifts it in.
    const __m256i low_set = _mm256_cmpeq_epi32(_mm256_and_si256(plane, low_bits), low_bits);
    const __m256i high_set = _mm256_cmpeq_epi32(_mm256_and_si256(plane, high_bits), high_bits);
    low = _mm256_sub_epi32(_mm256_add_epi32(low, low), low_set);
    high = _mm256_sub_epi32(_mm256_add_epi32(high, high), high_set);
  }
  r[0] = unzigzag8(low);
  r[1] = unzigzag8(high);
}

// Up to eight planes; those from `planes` on, which belong to somebody else or are not there, as 0.
__m128i load_planes(const std::byte* at, int planes, const std::byte* end) {
  static constexpr std::uint8_t ones_then_zeros[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                       255, 255, 255, 255, 255, 255, 255, 255};
  planes = planes < 0 ? 0 : planes > 8 ? 8 : planes;
  const __m128i mask = _mm_loadu_si128(reinterpret_cast<const __m128i*>(ones_then_zeros + 16 - 2 * planes));
  if (end - at >= 16) return _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), mask);
  alignas(16) std::byte last[16] = {};
  std::memcpy(last, at, static_cast<std::size_t>(2 * planes));
  return _mm_load_si128(reinterpret_cast<const __m128i*>(last));
}

__m128i load_high_planes(const std::byte* at, int planes, const std::byte* end) {
  return planes > 8 ? load_planes(at + 16, planes - 8, end) : _mm_setzero_si128();
}

__m256i both(__m128i lower, __m128i upper) { return _mm256_inserti128_si256(_mm256_castsi128_si256(lower), upper, 1); }

// Residuals of two sub-blocks.
const std::byte* unpack_pair(const std::uint8_t* codes, const std::byte* at, const std::byte* end, __m256i* r) {
  const int width[2] = {width_of_code[codes[0]], width_of_code[codes[1]]};
  const int widest = width[0] > width[1] ? width[0] : width[1];
  const std::byte* second = at + 2 * width[0];
  if (widest > 16) {
    unpack_wide(at, width[0], r);
    unpack_wide(second, width[1], r + 2);
    return second + 2 * width[1];
  }
  const __m256i low = bytes_of_planes(both(load_planes(at, width[0], end), load_planes(second, width[1], end)));
  if (widest <= 8) {
    const __m256i odd = _mm256_and_si256(low, _mm256_set1_epi8(1));
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(low, 1), _mm256_set1_epi8(127));
    const __m256i bytes = _mm256_xor_si256(half, _mm256_sub_epi8(_mm256_setzero_si256(), odd));
    const __m128i first = _mm256_castsi256_si128(bytes);
    const __m128i last = _mm256_extracti128_si256(bytes, 1);
    r[0] = _mm256_cvtepi8_epi32(first);
    r[1] = _mm256_cvtepi8_epi32(_mm_srli_si128(first, 8));
    r[2] = _mm256_cvtepi8_epi32(last);
    r[3] = _mm256_cvtepi8_epi32(_mm_srli_si128(last, 8));
    return second + 2 * width[1];
  }
  const __m256i high =
      bytes_of_planes(both(load_high_planes(at, width[0], end), load_high_planes(second, width[1], end)));
  const __m256i z[2] = {_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)};
  for (int k = 0; k < 2; ++k) {
    const __m256i odd = _mm256_and_si256(z[k], _mm256_set1_epi16(1));
    const __m256i words = _mm256_xor_si256(_mm256_srli_epi16(z[k], 1), _mm256_sub_epi16(_mm256_setzero_si256(), odd));
    r[k] = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words));
    r[2 + k] = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(words, 1));
  }
  return second + 2 * width[1];
}

template <bool differences>
void unpack_planes(const BlockHead& head, const std::byte* at, const std::byte* end, std::size_t subs, Points& points) {
  __m256i carry = _mm256_set1_epi32(head.base);
  for (std::size_t s = 0; s < subs; s += 2) {
    __m256i r[4];
    at = unpack_pair(head.codes + s, at, end, r);
    for (std::size_t k = 0; k < 4; ++k) {
      if constexpr (differences) r[k] = prefix8(r[k], carry);
      _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + s * sub_values + 8 * k), r[k]);
    }
  }
}

#include "codec/quant/combine.inl"
#include "codec/quant/pack.inl"
#include "codec/quant/unpack.inl"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels table{
      "avx2", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack, combine_points};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
