// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a block that are in a mask, with AVX-512.  Included inside a target region, after masks.inl, whose
// functions take numbers of 16 bits.

LACONIC_INLINE __mmask8 beyond8(__m512d x, __m512d inverse, __m512d limit) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_mul_pd(x, inverse)), limit, _CMP_NLE_UQ);
}

template <class T>
void find_beyond_in_vectors(const T* x, std::size_t n, double inverse, double limit, Mask& mask) {
  const __m512d inverses = _mm512_set1_pd(inverse);
  const __m512d limits = _mm512_set1_pd(limit);
  mask.clear();
  for (std::size_t begin = 0; begin < n; begin += mask_word_bits) {
    std::uint32_t word = 0;
    for (std::size_t i = begin; i < std::min(begin + mask_word_bits, n); i += 8) {
      const __mmask8 lanes = first(n - i);
      const __mmask8 beyond = lanes & beyond8(load8(x + i, lanes), inverses, limits);
      word |= static_cast<std::uint32_t>(beyond) << (i - begin);
    }
    mask.words[begin / mask_word_bits] = word;
  }
}

// On some processors compressing and expanding wait for the old value of their destination even when they do not use
// it; a fresh zero that the compiler cannot see through avoids that.
LACONIC_INLINE __m512i fresh_zero() {
  __m512i zero = _mm512_setzero_si512();
  __asm__("" : "+v"(zero));
  return zero;
}

// The bits for the lanes from i on.
template <std::size_t lanes>
LACONIC_INLINE std::uint32_t bits_at(const Mask& mask, std::size_t i) {
  return mask.words[i / mask_word_bits] >> i % mask_word_bits & ((1u << lanes) - 1);
}

void take_in_vectors(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  if (item_bytes == 4) {
    const auto* from = static_cast<const std::int32_t*>(in);
    auto* to = static_cast<std::int32_t*>(out);
    for (std::size_t i = 0; i < n; i += 16) {
      const auto bits = static_cast<__mmask16>(bits_at<16>(mask, i));
      _mm512_storeu_si512(to, _mm512_mask_compress_epi32(fresh_zero(), bits, _mm512_maskz_loadu_epi32(bits, from + i)));
      to += _mm_popcnt_u32(bits);
    }
  } else if (item_bytes == 8) {
    const auto* from = static_cast<const std::int64_t*>(in);
    auto* to = static_cast<std::int64_t*>(out);
    for (std::size_t i = 0; i < n; i += 8) {
      const auto bits = static_cast<__mmask8>(bits_at<8>(mask, i));
      _mm512_storeu_si512(to, _mm512_mask_compress_epi64(fresh_zero(), bits, _mm512_maskz_loadu_epi64(bits, from + i)));
      to += _mm_popcnt_u32(bits);
    }
  } else {
    take_masked(in, item_bytes, mask, n, out);
  }
}

void put_in_vectors(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  if (item_bytes == 4) {
    const auto* from = static_cast<const std::int32_t*>(in);
    auto* to = static_cast<std::int32_t*>(out);
    for (std::size_t i = 0; i < n; i += 16) {
      const auto bits = static_cast<__mmask16>(bits_at<16>(mask, i));
      const __m512i v = _mm512_mask_expand_epi32(fresh_zero(), bits, _mm512_loadu_si512(from));
      _mm512_mask_storeu_epi32(to + i, first16(n - i), v);
      from += _mm_popcnt_u32(bits);
    }
  } else if (item_bytes == 8) {
    const auto* from = static_cast<const std::int64_t*>(in);
    auto* to = static_cast<std::int64_t*>(out);
    for (std::size_t i = 0; i < n; i += 8) {
      const auto bits = static_cast<__mmask8>(bits_at<8>(mask, i));
      const __m512i v = _mm512_mask_expand_epi64(fresh_zero(), bits, _mm512_loadu_si512(from));
      _mm512_mask_storeu_epi64(to + i, first(n - i), v);
      from += _mm_popcnt_u32(bits);
    }
  } else {
    put_masked(in, item_bytes, mask, n, out);
  }
}

void copy_in_vectors(const void* in, std::size_t item_bytes, const Mask& mask, std::size_t n, void* out) {
  if (item_bytes == 4) {
    const auto* from = static_cast<const std::int32_t*>(in);
    auto* to = static_cast<std::int32_t*>(out);
    for (std::size_t i = 0; i < n; i += 16) {
      const auto bits = static_cast<__mmask16>(bits_at<16>(mask, i));
      _mm512_mask_storeu_epi32(to + i, bits, _mm512_maskz_loadu_epi32(bits, from + i));
    }
  } else if (item_bytes == 8) {
    const auto* from = static_cast<const std::int64_t*>(in);
    auto* to = static_cast<std::int64_t*>(out);
    for (std::size_t i = 0; i < n; i += 8) {
      const auto bits = static_cast<__mmask8>(bits_at<8>(mask, i));
      _mm512_mask_storeu_epi64(to + i, bits, _mm512_maskz_loadu_epi64(bits, from + i));
    }
  } else {
    copy_masked(in, item_bytes, mask, n, out);
  }
}

void find_changes_in_vectors(const void* in, std::size_t item_bytes, std::size_t n, Mask& mask) {
  if (item_bytes != 4) return find_changes(in, item_bytes, n, mask);
  const auto* items = static_cast<const std::int32_t*>(in);
  mask.clear();
  for (std::size_t begin = 0; begin + 1 < n; begin += mask_word_bits) {
    std::uint32_t word = 0;
    for (std::size_t i = begin; i < std::min(begin + mask_word_bits, n - 1); i += 16) {
      const __mmask16 lanes = first16(n - 1 - i);
      word |= static_cast<std::uint32_t>(_mm512_mask_cmpneq_epi32_mask(lanes, _mm512_maskz_loadu_epi32(lanes, items + i),
                                                                      _mm512_maskz_loadu_epi32(lanes, items + i + 1)))
              << (i - begin);
    }
    mask.words[begin / mask_word_bits] = word;
  }
}

constexpr Kernels::Masks masks_in_vectors{find_beyond_in_vectors<float>, find_beyond_in_vectors<double>,
                                          take_in_vectors,               put_in_vectors,
                                          copy_in_vectors,               find_changes_in_vectors};
