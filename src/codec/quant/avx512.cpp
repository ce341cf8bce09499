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
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  std::uint32_t bits[block_subs] = {};
  for (std::size_t s = 0; s < subs; ++s) bits[s] = bits16(residuals16<order>(points.q + s * sub_values));
  const Head head = write_head(order, points.q[0], bits, out);
  std::byte* at = out + head.bytes;
  for (std::size_t s = 0; s < subs; s += group_subs) {
    __m512i z[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k) z[k] = residuals16<order>(points.q + (s + k) * sub_values);
    at = pack_group(z, head.planes + s, at);
  }
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
}

template <int order>
void unpack_planes(const Head& head, const std::byte* at, const std::byte* /*end*/, std::size_t subs, Points& points) {
  __m512i last = _mm512_set1_epi32(head.base);
  __m512i difference = _mm512_setzero_si512();
  for (std::size_t s = 0; s < subs; s += group_subs) {
    __m512i r[group_subs];
    at = unpack_group(at, head.planes + s, r);
    for (std::size_t k = 0; k < group_subs; ++k) {
      if constexpr (order == 2) r[k] = prefix16(r[k], difference);
      if constexpr (order != 0) r[k] = prefix16(r[k], last);
      _mm512_store_si512(points.q + (s + k) * sub_values, r[k]);
    }
  }
}

#include "codec/quant/pack.inl"
#include "codec/quant/unpack.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table{
      "avx512", quantise_all<float>, quantise_all<double>, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,   combine_points, {}};
  return table;
}

}  // namespace laconic::quant

LACONIC_TARGET_END

#endif
