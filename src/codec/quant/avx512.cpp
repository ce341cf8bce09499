// AVX-512 kernels: one sub-block is one vector, one bit plane one mask.
#if defined(__x86_64__)

#include <cstring>

#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/target.hpp"

#include <immintrin.h>

LACONIC_TARGET_BEGIN("avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,bmi,bmi2,lzcnt,popcnt",
                     "prefer-vector-width=512")

namespace laconic::quant {
namespace {
#include "codec/quant/avx512.inl"

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
  for (std::size_t s = 0; s < subs; ++s) {
    if (codes[s] == 0) continue;
    const __m512i z = residuals16<order>(points.q + s * sub_values);
    at = pack_planes(z, width_of_code[codes[s]], at);
  }
  return static_cast<std::size_t>(at - out);
}

template <bool differences>
void unpack_planes(const BlockHead& head, const std::byte* at, const std::byte* /*end*/, std::size_t subs,
                   Points& points) {
  __m512i carry = _mm512_set1_epi32(head.base);
  for (std::size_t s = 0; s < subs; ++s) {
    const unsigned width = width_of_code[head.codes[s]];
    __m512i r = planes_to_points(at, width);
    at += 2 * width;
    if constexpr (differences) r = prefix16(r, carry);
    _mm512_store_si512(points.q + s * sub_values, r);
  }
}

#include "codec/quant/pack.inl"
#include "codec/quant/unpack.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table{
      "avx512", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,   combine_points};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
