// AVX-512 kernels: one sub-block is one vector, one bit plane one mask.
#if defined(__x86_64__)

#include <cstring>

#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"

#include <immintrin.h>

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for a mistake (its PR 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")

namespace laconic::quant {
namespace {

__mmask8 first(std::size_t n) { return static_cast<__mmask8>(n >= 8 ? 0xff : (1u << n) - 1); }

// Eight numbers; adds the lanes that have no lattice point to `bad`.
__m256i quantise8(__m512d x, __m512d inverse, __m512d step, __m512d largest, __m512d allowance, __mmask8 lanes,
                  __mmask8& bad) {
  const __m512d y = _mm512_mul_pd(x, inverse);
  const __mmask8 fits = _mm512_mask_cmp_pd_mask(lanes, _mm512_abs_pd(y), largest, _CMP_LE_OQ);
  const __m512d r = _mm512_roundscale_pd(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512d off = _mm512_abs_pd(_mm512_sub_pd(x, _mm512_mul_pd(r, step)));
  const __mmask8 near = _mm512_mask_cmp_pd_mask(fits, off, allowance, _CMP_LE_OQ);
  bad = static_cast<__mmask8>(bad | (lanes & ~near));
  return _mm512_cvtpd_epi32(r);
}

__m512d load8(const float* x, __mmask8 lanes) { return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(lanes, x)); }
__m512d load8(const double* x, __mmask8 lanes) { return _mm512_maskz_loadu_pd(lanes, x); }

void store8(float* x, __mmask8 lanes, __m512d v) { _mm256_mask_storeu_ps(x, lanes, _mm512_cvtpd_ps(v)); }
void store8(double* x, __mmask8 lanes, __m512d v) { _mm512_mask_storeu_pd(x, lanes, v); }

template <class T>
bool quantise_all(const T* x, std::size_t n, const Lattice& lattice, Points& points) {
  const __m512d inverse = _mm512_set1_pd(lattice.inverse);
  const __m512d step = _mm512_set1_pd(lattice.step);
  const __m512d largest = _mm512_set1_pd(lattice.largest);
  const __m512d allowance = _mm512_set1_pd(lattice.allowance);
  __mmask8 bad = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const __mmask8 lanes = first(n - i);
    const __m256i q = quantise8(load8(x + i, lanes), inverse, step, largest, allowance, lanes, bad);
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), q);
  }
  return bad == 0;
}

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  const __m512d s = _mm512_set1_pd(step);
  const __m512d d = _mm512_set1_pd(divisor);
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i q = _mm256_load_si256(reinterpret_cast<const __m256i*>(points.q + i));
    __m512d v = _mm512_mul_pd(_mm512_cvtepi32_pd(q), s);
    if (divisor != 1) v = _mm512_div_pd(v, d);
    store8(x + i, first(n - i), v);
  }
}

__m512i zigzag16(__m512i r) { return _mm512_xor_si512(_mm512_slli_epi32(r, 1), _mm512_srai_epi32(r, 31)); }

template <int order>
__m512i residuals16(const std::int32_t* q) {
  const __m512i v = _mm512_load_si512(q);
  if constexpr (order == 0) return zigzag16(v);
  return zigzag16(_mm512_sub_epi32(v, _mm512_loadu_si512(q - 1)));
}

std::uint8_t code16(__m512i z) { return code_of(static_cast<std::uint32_t>(_mm512_reduce_or_epi32(z))); }

template <int order>
std::size_t sampled_width(const Points& points, std::size_t subs) {
  std::size_t width = 0;
  for (std::size_t s = 0; s < subs; s += sample_stride)
    width += width_of_code[code16(residuals16<order>(points.q + s * sub_values))];
  return width;
}

template <int order>
std::size_t pack_order(const Points& points, std::size_t subs, std::byte* out) {
  std::uint8_t codes[block_subs] = {};
  __m512i any = _mm512_setzero_si512();
  for (std::size_t s = 0; s < subs; ++s) {
    const __m512i z = residuals16<order>(points.q + s * sub_values);
    any = _mm512_or_si512(any, z);
    codes[s] = code16(z);
  }
  if (order == 0 && _mm512_test_epi32_mask(any, any) == 0) {
    *out = static_cast<std::byte>(Kind::zero);
    return 1;
  }
  std::byte* at = write_block_head(order == 0 ? Kind::order0 : Kind::order1, points.q[0], codes, out);
  const __m512i one = _mm512_set1_epi32(1);
  for (std::size_t s = 0; s < subs; ++s) {
    if (codes[s] == 0) continue;
    const __m512i z = residuals16<order>(points.q + s * sub_values);
    __m512i bit = one;
    for (unsigned k = width_of_code[codes[s]]; k > 0; --k) {
      const __mmask16 plane = _mm512_test_epi32_mask(z, bit);
      std::memcpy(at, &plane, 2);
      at += 2;
      bit = _mm512_add_epi32(bit, bit);
    }
  }
  return static_cast<std::size_t>(at - out);
}

template <bool differences>
void unpack_planes(const BlockHead& head, const std::byte* at, std::size_t subs, Points& points) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi32(1);
  __m512i carry = _mm512_set1_epi32(head.base);
  for (std::size_t s = 0; s < subs; ++s) {
    __m512i z = zero;
    __m512i bit = one;
    for (unsigned k = width_of_code[head.codes[s]]; k > 0; --k) {
      std::uint16_t plane;
      std::memcpy(&plane, at, 2);
      at += 2;
      z = _mm512_mask_or_epi32(z, plane, z, bit);
      bit = _mm512_add_epi32(bit, bit);
    }
    __m512i r = _mm512_xor_si512(_mm512_srli_epi32(z, 1), _mm512_sub_epi32(zero, _mm512_and_si512(z, one)));
    if constexpr (differences) {
      r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 15));
      r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 14));
      r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 12));
      r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 8));
      r = _mm512_add_epi32(r, carry);
      carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), r);
    }
    _mm512_store_si512(points.q + s * sub_values, r);
  }
}

#include "codec/quant/block.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table{"avx512",           quantise_all<float>, quantise_all<double>, dequantise_all<float>,
                             dequantise_all<double>, pack,                unpack};
  return table;
}

}  // namespace laconic::quant

#pragma GCC pop_options

#endif
