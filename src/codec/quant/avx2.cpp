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
  const __m256i v1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q - 1));
  const __m256i first = _mm256_sub_epi32(v, v1);
  if constexpr (order == 1) return zigzag8(first);
  const __m256i v2 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q - 2));
  return zigzag8(_mm256_sub_epi32(first, _mm256_sub_epi32(v1, v2)));
}

// The bits that are set in any of 16 residuals.
std::uint32_t bits16(__m256i low, __m256i high) {
  const __m256i both = _mm256_or_si256(low, high);
  __m128i v = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0x4e));
  v = _mm_or_si128(v, _mm_shuffle_epi32(v, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(v));
}

template <int order>
unsigned sampled_width(const Points& points, std::size_t subs) {
  unsigned width = 0;
  for (const std::size_t s : sampled_subs) {
    if (s >= subs) break;
    const std::int32_t* q = points.q + s * sub_values;
    width += static_cast<unsigned>(std::bit_width(bits16(residuals8<order>(q), residuals8<order>(q + 8))));
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

// Eight planes, or seven from plane 1 on.
void store_planes(std::byte* at, __m128i planes, bool from_1) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), from_1 ? _mm_srli_si128(planes, 2) : planes);
}

// The bytes that the residuals of a group have.
unsigned bytes_of_group(const Planes* planes) {
  unsigned end = 0;
  for (std::size_t k = 0; k < group_subs; ++k) {
    const unsigned last = planes[k].first + planes[k].count;
    end = last > end ? last : end;
  }
  return (end + 7) / 8;
}

// The planes of a group: one byte of its 64 residuals after the other.
template <int order>
std::byte* pack_group(const std::int32_t* q, const Planes* planes, std::byte* at) {
  const unsigned bytes = bytes_of_group(planes);
  if (bytes == 0) return at;
  __m256i z[8];
  for (std::size_t k = 0; k < 8; ++k) z[k] = residuals8<order>(q + 8 * k);
  for (unsigned byte = 0;; ++byte) {
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const __m256i words = planes_of(low_bytes(z + 4 * pair));
      const Planes first = part_of(planes[2 * pair], byte);
      const Planes second = part_of(planes[2 * pair + 1], byte);
      store_planes(at, _mm256_castsi256_si128(words), first.first % 8 != 0);
      at += 2 * first.count;
      store_planes(at, _mm256_extracti128_si256(words, 1), second.first % 8 != 0);
      at += 2 * second.count;
    }
    if (byte + 1 == bytes) return at;
    for (__m256i& v : z) v = _mm256_srli_epi32(v, 8);
  }
}

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  std::uint32_t bits[block_subs] = {};
  for (std::size_t s = 0; s < subs; ++s) {
    const std::int32_t* q = points.q + s * sub_values;
    bits[s] = bits16(residuals8<order>(q), residuals8<order>(q + 8));
  }
  const Head head = write_head(order, points.q[0], bits, out);
  std::byte* at = out + head.bytes;
  for (std::size_t s = 0; s < subs; s += group_subs)
    at = pack_group<order>(points.q + s * sub_values, head.planes + s, at);
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
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

__m256i both(__m128i lower, __m128i upper) { return _mm256_inserti128_si256(_mm256_castsi128_si256(lower), upper, 1); }

// The planes of one byte of a sub-block, plane 0 as 0 where it was left out.
__m128i next_planes(Planes part, const std::byte*& at, const std::byte* end) {
  const __m128i words = load_planes(at, part.count, end);
  at += 2 * part.count;
  return part.first % 8 == 0 ? words : _mm_slli_si128(words, 2);
}

// One byte of each of 32 residuals, two sub-blocks.
__m256i next_bytes(const Planes* planes, unsigned byte, const std::byte*& at, const std::byte* end) {
  const __m128i first = next_planes(part_of(planes[0], byte), at, end);
  return bytes_of_planes(both(first, next_planes(part_of(planes[1], byte), at, end)));
}

void widen_bytes(__m256i bytes, __m256i* r) {
  const __m128i first = _mm256_castsi256_si128(bytes);
  const __m128i last = _mm256_extracti128_si256(bytes, 1);
  r[0] = _mm256_cvtepi8_epi32(first);
  r[1] = _mm256_cvtepi8_epi32(_mm_srli_si128(first, 8));
  r[2] = _mm256_cvtepi8_epi32(last);
  r[3] = _mm256_cvtepi8_epi32(_mm_srli_si128(last, 8));
}

// Residuals of a group.
const std::byte* unpack_group(const Planes* planes, const std::byte* at, const std::byte* end, __m256i* r) {
  const unsigned bytes = bytes_of_group(planes);
  if (bytes <= 1) {
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const __m256i z = next_bytes(planes + 2 * pair, 0, at, end);
      const __m256i odd = _mm256_and_si256(z, _mm256_set1_epi8(1));
      const __m256i half = _mm256_and_si256(_mm256_srli_epi16(z, 1), _mm256_set1_epi8(127));
      widen_bytes(_mm256_xor_si256(half, _mm256_sub_epi8(_mm256_setzero_si256(), odd)), r + 4 * pair);
    }
    return at;
  }
  __m256i z[4][2];
  for (unsigned byte = 0; byte < 4; ++byte)
    for (std::size_t pair = 0; pair < 2; ++pair)
      z[byte][pair] =
          byte < bytes ? next_bytes(planes + 2 * pair, byte, at, end) : _mm256_setzero_si256();
  for (std::size_t pair = 0; pair < 2; ++pair) {
    __m256i* out = r + 4 * pair;
    const __m256i low[2] = {_mm256_unpacklo_epi8(z[0][pair], z[1][pair]), _mm256_unpackhi_epi8(z[0][pair], z[1][pair])};
    if (bytes == 2) {
      for (int k = 0; k < 2; ++k) {
        const __m256i odd = _mm256_and_si256(low[k], _mm256_set1_epi16(1));
        const __m256i words =
            _mm256_xor_si256(_mm256_srli_epi16(low[k], 1), _mm256_sub_epi16(_mm256_setzero_si256(), odd));
        out[k] = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words));
        out[2 + k] = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(words, 1));
      }
      continue;
    }
    const __m256i high[2] = {_mm256_unpacklo_epi8(z[2][pair], z[3][pair]),
                             _mm256_unpackhi_epi8(z[2][pair], z[3][pair])};
    for (int k = 0; k < 2; ++k) {
      const __m256i four = _mm256_unpacklo_epi16(low[k], high[k]);
      const __m256i next = _mm256_unpackhi_epi16(low[k], high[k]);
      out[k] = unzigzag8(_mm256_permute2x128_si256(four, next, 0x20));
      out[2 + k] = unzigzag8(_mm256_permute2x128_si256(four, next, 0x31));
    }
  }
  return at;
}

template <int order>
void unpack_planes(const Head& head, const std::byte* at, const std::byte* end, std::size_t subs, Points& points) {
  __m256i last = _mm256_set1_epi32(head.base);
  __m256i difference = _mm256_setzero_si256();
  for (std::size_t s = 0; s < subs; s += group_subs) {
    __m256i r[8];
    at = unpack_group(head.planes + s, at, end, r);
    for (std::size_t k = 0; k < 8; ++k) {
      if constexpr (order == 2) r[k] = prefix8(r[k], difference);
      if constexpr (order != 0) r[k] = prefix8(r[k], last);
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
      unpack, combine_points, {}};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
