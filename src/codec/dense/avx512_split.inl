// SPDX-License-Identifier: BSD-3-Clause
// From residuals to widths, symbols and verbatim bits.

__m512i join_halves(__m512i a, __m512i b) {
  return _mm512_or_si512(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}
__m512i join_quarters(__m512i a, __m512i b) {
  return _mm512_or_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

// The widths of the 16 sub-blocks of 128 residuals.
__m128i widths_of(const std::uint32_t* z) {
  __m512i two[4];
  for (std::size_t k = 0; k < 4; ++k) two[k] = join_halves(load(z + 32 * k), load(z + 32 * k + 16));
  // Lane 4j + k holds the bits of four residuals of vector k, those of its j-th quarter.
  const __m512i low = join_quarters(two[0], two[1]);
  const __m512i high = join_quarters(two[2], two[3]);
  const __m512i bits = _mm512_or_si512(_mm512_shuffle_i32x4(low, high, 0x88), _mm512_shuffle_i32x4(low, high, 0xdd));
  const __m512i order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  const __m512i widths = minus(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(_mm512_permutexvar_epi32(order, bits)));
  return _mm512_cvtepi32_epi8(widths);
}

// Symbols of the differences of 64 widths; `before` are the widths one earlier.
__m512i symbols_of(__m512i widths, __m512i before) {
  const __m512i difference = _mm512_sub_epi8(widths, before);
  const __m512i twice = _mm512_add_epi8(difference, difference);
  const __mmask64 rises = _mm512_cmpgt_epi8_mask(difference, _mm512_setzero_si512());
  const __m512i fall = _mm512_sub_epi8(_mm512_setzero_si512(), twice);
  const __m512i symbol = _mm512_mask_sub_epi8(fall, rises, twice, _mm512_set1_epi8(1));
  return _mm512_min_epu8(symbol, _mm512_set1_epi8(escape));
}

std::size_t cheapest_table(__m512i first, __m512i second) {
  std::size_t table = 0;
  long long least = -1;
  for (std::size_t t = 0; t < width_tables; ++t) {
    const __m512i costs = _mm512_broadcast_i32x4(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(width_costs[t].data())));
    const __m512i zero = _mm512_setzero_si512();
    const __m512i sums = _mm512_add_epi64(_mm512_sad_epu8(_mm512_shuffle_epi8(costs, first), zero),
                                          _mm512_sad_epu8(_mm512_shuffle_epi8(costs, second), zero));
    const long long cost = _mm512_reduce_add_epi64(sums);
    if (least < 0 || cost < least) {
      table = t;
      least = cost;
    }
  }
  return table;
}

// Eight values of `bits` bits each, one after the other.
std::byte* put_verbatim(__m256i values, unsigned bits, std::byte* at) {
  if (bits <= 8) {
    const auto bytes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_cvtepi32_epi8(values)));
    const std::uint64_t packed = _pext_u64(bytes, 0x0101010101010101u * ((1u << bits) - 1));
    std::memcpy(at, &packed, 8);
    return at + bits;
  }
  // Neighbours next to each other, then pairs of them: two halves of four values, whose bits end in a byte or in the
  // middle of one.
  const __m256i odd = _mm256_srli_epi64(values, 32);
  const __m256i even = _mm256_blend_epi32(values, _mm256_setzero_si256(), 0xaa);
  alignas(32) std::uint64_t pairs[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(pairs),
                     _mm256_or_si256(even, _mm256_sll_epi64(odd, _mm_cvtsi32_si128(static_cast<int>(bits)))));
  __extension__ using Half = unsigned __int128;
  const Half first = pairs[0] | static_cast<Half>(pairs[1]) << 2 * bits;
  std::memcpy(at, &first, sizeof first);
  std::byte* const middle = at + bits / 2;
  const unsigned begun = 4 * (bits % 2);
  const Half second = (pairs[2] | static_cast<Half>(pairs[3]) << 2 * bits) << begun | static_cast<unsigned>(*middle);
  std::memcpy(middle, &second, sizeof second);
  return at + bits;
}

__m512i in_halves(unsigned low, unsigned high) {
  return _mm512_inserti64x4(_mm512_set1_epi32(static_cast<int>(low)), _mm256_set1_epi32(static_cast<int>(high)), 1);
}

std::byte* split(const Residuals& in, Symbols& out, std::size_t& table, std::byte* verbatim) {
  alignas(64) std::uint8_t padded[64 + block_subs];
  padded[63] = 0;
  std::uint8_t* widths = padded + 64;
  for (std::size_t k = 0; k < block_subs / 16; ++k)
    _mm_store_si128(reinterpret_cast<__m128i*>(widths + 16 * k), widths_of(in.z + 128 * k));
  __m512i symbols[2];
  for (std::size_t half = 0; half < 2; ++half) {
    const __m512i here = load(widths + 64 * half);
    symbols[half] = symbols_of(here, load(widths + 64 * half - 1));
    _mm512_store_si512(out.widths + 64 * half, here);
    _mm512_store_si512(out.differences + 64 * half, symbols[half]);
    std::uint64_t escapes = _mm512_cmpeq_epi8_mask(symbols[half], _mm512_set1_epi8(escape));
    for (; escapes != 0; escapes &= escapes - 1)
      *verbatim++ = static_cast<std::byte>(widths[64 * half + static_cast<std::size_t>(std::countr_zero(escapes))]);
  }
  table = cheapest_table(symbols[0], symbols[1]);
  for (std::size_t k = 0; k < block_values / 16; ++k) {
    const __m512i z = load(in.z + 16 * k);
    const unsigned first = verbatim_bits(widths[2 * k]);
    const unsigned second = verbatim_bits(widths[2 * k + 1]);
    const __m512i shift = in_halves(first, second);
    const __m512i high = _mm512_srlv_epi32(z, shift);
    _mm_store_si128(reinterpret_cast<__m128i*>(out.values + 16 * k), _mm512_cvtepi32_epi8(high));
    if ((first | second) == 0) continue;
    const __m512i low = minus(z, _mm512_sllv_epi32(high, shift));
    if (first != 0) verbatim = put_verbatim(_mm512_castsi512_si256(low), first, verbatim);
    if (second != 0) verbatim = put_verbatim(_mm512_extracti64x4_epi64(low, 1), second, verbatim);
  }
  return verbatim;
}
