// SPDX-License-Identifier: BSD-3-Clause
// From residuals to widths, symbols and verbatim bits.

__m256i join_halves(__m256i a, __m256i b) {
  return _mm256_or_si256(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}
__m256i join_quarters(__m256i a, __m256i b) {
  return _mm256_or_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

// The widths of the 8 sub-blocks of 64 residuals, as words.
__m256i widths_of_subs(const std::uint32_t* z) {
  __m256i two[4];
  for (std::size_t k = 0; k < 4; ++k) two[k] = join_halves(load(z + 16 * k), load(z + 16 * k + 8));
  // Each half of these has half of the bits of four sub-blocks.
  const __m256i low = join_quarters(two[0], two[1]);
  const __m256i high = join_quarters(two[2], two[3]);
  return widths(
      _mm256_or_si256(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31)));
}

// The low bytes of 32 words of 32 bits, each less than 128.
__m256i pack_words(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// Symbols of the differences of 32 widths; `before` are the widths one earlier.
__m256i symbols_of(__m256i here, __m256i before) {
  const __m256i difference = _mm256_sub_epi8(here, before);
  const __m256i twice = _mm256_add_epi8(difference, difference);
  const __m256i rises = _mm256_cmpgt_epi8(difference, _mm256_setzero_si256());
  const __m256i fall = _mm256_sub_epi8(_mm256_setzero_si256(), twice);
  const __m256i rise = _mm256_sub_epi8(twice, _mm256_set1_epi8(1));
  return _mm256_min_epu8(_mm256_blendv_epi8(fall, rise, rises), _mm256_set1_epi8(escape));
}

static_assert(symbol_bits == 4);
constexpr std::size_t quarters = block_subs / 32;

std::size_t cheapest_table(const __m256i (&symbols)[quarters]) {
  std::size_t table = 0;
  std::uint32_t least = ~0u;
  for (std::size_t t = 0; t < width_tables; ++t) {
    const __m256i costs =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(width_costs[t].data())));
    __m256i sum = _mm256_setzero_si256();
    for (const __m256i& s : symbols)
      sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_shuffle_epi8(costs, s), _mm256_setzero_si256()));
    const std::uint32_t cost = sum_of(sum);
    if (cost < least) {
      table = t;
      least = cost;
    }
  }
  return table;
}

// Eight values of at most 8 bits each, one after the other.
std::byte* put_few_bits(__m256i values, unsigned bits, std::byte* at) {
  // Two values become one of twice as many bits, then two of these become one.
  const __m128i one = _mm_cvtsi32_si128(static_cast<int>(32 - bits));
  const __m128i two = _mm_cvtsi32_si128(static_cast<int>(32 - 2 * bits));
  __m256i v = _mm256_or_si256(values, _mm256_srl_epi64(values, one));
  v = _mm256_shuffle_epi32(v, 0x08);
  v = _mm256_or_si256(v, _mm256_srl_epi64(v, two));
  const auto first = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm256_castsi256_si128(v)));
  const auto second = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm256_extracti128_si256(v, 1)));
  const std::uint64_t packed = first | static_cast<std::uint64_t>(second) << 4 * bits;
  std::memcpy(at, &packed, 8);
  return at + bits;
}

// The same for up to 28 bits.
std::byte* put_many_bits(__m256i values, unsigned bits, std::byte* at) {
  const __m256i low = _mm256_and_si256(values, _mm256_set1_epi64x(0xffffffff));
  const __m256i high = _mm256_srl_epi64(_mm256_andnot_si256(_mm256_set1_epi64x(0xffffffff), values),
                                        _mm_cvtsi32_si128(static_cast<int>(32 - bits)));
  alignas(32) std::uint64_t pairs[4];
  store(pairs, _mm256_or_si256(low, high));
  unsigned held = 0;
  std::uint64_t packed = 0;
  for (const std::uint64_t pair : pairs) {
    packed |= pair << held;
    std::memcpy(at, &packed, 8);
    held += 2 * bits;
    at += held / 8;
    packed >>= held / 8 * 8;
    held %= 8;
  }
  // Eight times the number of bits is a multiple of 8, so that nothing is held.
  return at;
}

// The symbols of 8 residuals; their low bits go to `verbatim`.
LACONIC_INLINE __m256i cut(__m256i z, unsigned width, std::byte*& verbatim) {
  const unsigned bits = verbatim_bits(width);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(bits));
  const __m256i high = _mm256_srl_epi32(z, shift);
  const __m256i low = minus(z, _mm256_sll_epi32(high, shift));
  verbatim = bits <= 8 ? put_few_bits(low, bits, verbatim) : put_many_bits(low, bits, verbatim);
  return high;
}

std::byte* split(const Residuals& in, Symbols& out, std::size_t& table, std::byte* verbatim) {
  alignas(32) std::uint8_t padded[32 + block_subs];
  padded[31] = 0;
  std::uint8_t* const widths_of_block = padded + 32;
  for (std::size_t k = 0; k < quarters; ++k) {
    const std::uint32_t* z = in.z + 256 * k;
    store(widths_of_block + 32 * k, pack_words(widths_of_subs(z), widths_of_subs(z + 64), widths_of_subs(z + 128),
                                               widths_of_subs(z + 192)));
  }
  __m256i symbols[quarters];
  for (std::size_t k = 0; k < quarters; ++k) {
    const __m256i here = load(widths_of_block + 32 * k);
    symbols[k] = symbols_of(here, load(widths_of_block + 32 * k - 1));
    store(out.widths + 32 * k, here);
    store(out.differences + 32 * k, symbols[k]);
    auto escapes = static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(symbols[k], _mm256_set1_epi8(escape))));
    for (; escapes != 0; escapes &= escapes - 1)
      *verbatim++ = static_cast<std::byte>(widths_of_block[32 * k + static_cast<std::size_t>(std::countr_zero(escapes))]);
  }
  table = cheapest_table(symbols);
  for (std::size_t s = 0; s < block_subs; s += 4) {
    const std::uint32_t* z = in.z + s * sub_values;
    const std::uint8_t* w = widths_of_block + s;
    __m256i v[4];
    for (std::size_t k = 0; k < 4; ++k) v[k] = load(z + k * sub_values);
    std::uint32_t four;
    std::memcpy(&four, w, sizeof four);
    if (((four + 0x7b7b7b7bu) & 0x80808080u) != 0)  // some width is above 4
      for (std::size_t k = 0; k < 4; ++k) v[k] = cut(v[k], w[k], verbatim);
    store(out.values + s * sub_values, pack_words(v[0], v[1], v[2], v[3]));
  }
  return verbatim;
}
