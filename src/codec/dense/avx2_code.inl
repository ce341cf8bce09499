// SPDX-License-Identifier: BSD-3-Clause
// The coder: interleaved range ANS (Giesen, "Interleaved entropy coders", 2014) with 64 states of 16 bits in four
// vectors, which advance independently of each other.

constexpr std::size_t quarter = lanes / 4;  // the lanes of a vector

__m256i row(const avx2::Row& r) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(r.data())); }

// Bytes in the low half of words as indices of shuffles, which give words whose high bytes are 0.
__m256i indices(__m256i words) { return _mm256_or_si256(words, _mm256_set1_epi16(static_cast<short>(0x8000))); }

// A bit for every lane of a mask of words: lanes 0 to 7 in bits 0 to 7, lanes 8 to 15 in bits 16 to 23.
std::uint32_t bits_of(__m256i mask) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(mask, _mm256_setzero_si256())));
}

LACONIC_INLINE std::byte* encode_vector(__m256i& states, const std::uint8_t* symbols, const avx2::EncodeRows& rows, std::byte* at) {
  const __m256i index = indices(_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(symbols))));
  const __m256i f = _mm256_shuffle_epi8(row(rows.frequency), index);
  const __m256i below = _mm256_shuffle_epi8(row(rows.below), index);
  const __m256i inverse =
      _mm256_or_si256(_mm256_shuffle_epi8(row(rows.inverse_low), index),
                      _mm256_slli_epi16(_mm256_shuffle_epi8(row(rows.inverse_high), index), 8));
  const __m256i stay = _mm256_cmpgt_epi16(f, _mm256_srli_epi16(states, 16 - slot_bits));
  // The bytes of a half are stored so that they end where they should; the bytes before are written later.
  const std::uint32_t full = ~bits_of(stay);
  const unsigned first = full & 255;
  const unsigned second = full >> 16 & 255;
  const __m256i low_bytes = _mm256_and_si256(states, _mm256_set1_epi16(255));
  const __m256i order = _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(avx2::gather_at_end[first].data()))),
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(avx2::gather_at_end[second].data())), 1);
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_packus_epi16(low_bytes, low_bytes), order);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(at - 8), _mm256_extracti128_si256(bytes, 1));
  at -= std::popcount(second);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(at - 8), _mm256_castsi256_si128(bytes));
  at -= std::popcount(first);
  states = _mm256_blendv_epi8(_mm256_srli_epi16(states, 8), states, stay);
  // The product with the rounded inverse is the quotient or one less.
  __m256i quotient = _mm256_mulhi_epu16(states, inverse);
  const __m256i rest = _mm256_sub_epi16(states, _mm256_mullo_epi16(quotient, f));
  const __m256i exact = _mm256_cmpgt_epi16(f, rest);
  quotient = _mm256_add_epi16(quotient, _mm256_add_epi16(exact, _mm256_set1_epi16(1)));
  // 128 quotient + below + rest, where the state is f quotient + rest.
  const __m256i spread = _mm256_mullo_epi16(quotient, _mm256_sub_epi16(_mm256_set1_epi16(slots), f));
  states = _mm256_add_epi16(_mm256_add_epi16(states, below), spread);
  return at;
}

// For each pair of sub-blocks the number of their rows among those of values.
void find_rows(const std::uint8_t* widths_of_block, std::uint16_t* numbers) {
  const __m256i factors = _mm256_set1_epi16(static_cast<short>(value_tables | 1 << 8));
  for (std::size_t k = 0; k < block_subs; k += 32) {
    const __m256i tables = _mm256_min_epu8(load(widths_of_block + k), _mm256_set1_epi8(value_tables - 1));
    store(numbers + k / 2, _mm256_maddubs_epi16(tables, factors));
  }
}

std::byte* encode(std::span<const CodedBlock> blocks, std::byte* end, std::uint16_t* states) {
  __m256i x[4];
  for (__m256i& v : x) v = _mm256_set1_epi16(least_state);
  for (std::size_t b = blocks.size(); b-- > 0;) {
    const Symbols& in = *blocks[b].symbols;
    alignas(32) std::uint16_t rows[block_subs / 2];
    find_rows(in.widths, rows);
    for (std::size_t step = value_steps; step-- > 0;)
      for (std::size_t v = 4; v-- > 0;) {
        const std::size_t number = rows[4 * step + v];
        if (number == 0) continue;  // all symbols have frequency 128: no state changes
        end = encode_vector(x[v], in.values + step * lanes + v * quarter, avx2::encode_values_rows[number], end);
      }
    const avx2::EncodeRows& of_widths = avx2::encode_widths_rows[blocks[b].table];
    for (std::size_t step = width_steps; step-- > 0;)
      for (std::size_t v = 4; v-- > 0;)
        end = encode_vector(x[v], in.differences + step * lanes + v * quarter, of_widths, end);
  }
  for (std::size_t v = 0; v < 4; ++v) store(states + v * quarter, x[v]);
  return end;
}

__m256i slots_of(__m256i states) { return _mm256_and_si256(states, _mm256_set1_epi16(slots - 1)); }

// Advances states whose symbols have these frequencies, with sums before them.
LACONIC_INLINE const std::byte* decode_vector(__m256i& states, __m256i f, __m256i below, const std::byte* at) {
  const __m256i product = _mm256_mullo_epi16(f, _mm256_srli_epi16(states, slot_bits));
  const __m256i x = _mm256_add_epi16(product, _mm256_sub_epi16(slots_of(states), below));
  const __m256i low = _mm256_cmpeq_epi16(_mm256_srli_epi16(x, 8), _mm256_setzero_si256());
  const std::uint32_t hungry = bits_of(low);
  const unsigned first = hungry & 255;
  const unsigned second = hungry >> 16;
  const __m128i front = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  at += std::popcount(first);
  const __m128i back = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  at += std::popcount(second);
  const __m256i order = _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(avx2::spread_to_words[first].bytes))),
      _mm_load_si128(reinterpret_cast<const __m128i*>(avx2::spread_to_words[second].bytes)), 1);
  const __m256i bytes =
      _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(front), back, 1), order);
  states = _mm256_or_si256(_mm256_blendv_epi8(x, _mm256_slli_epi16(x, 8), low), bytes);
  return at;
}

// 16 symbols of differences of widths, as words.
LACONIC_INLINE __m256i decode_differences(__m256i& states, std::size_t table, const std::byte*& at) {
  const __m256i slot = slots_of(states);
  __m256i symbols = _mm256_setzero_si256();
  for (int k = 0; k < static_cast<int>(slots); k += 16) {
    const __m128i part =
        _mm_load_si128(reinterpret_cast<const __m128i*>(tables_of_widths[table].symbol_of_slot + k));
    // Indices of other parts, and those of high bytes, are from 128 on, which gives 0.
    const __m256i index = _mm256_adds_epu8(_mm256_xor_si256(slot, _mm256_set1_epi16(static_cast<short>(k))),
                                           _mm256_set1_epi16(static_cast<short>(0x8070)));
    symbols = _mm256_or_si256(symbols, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(part), index));
  }
  const avx2::EncodeRows& rows = avx2::encode_widths_rows[table];
  at = decode_vector(states, _mm256_shuffle_epi8(row(rows.frequency), indices(symbols)),
                     _mm256_shuffle_epi8(row(rows.below), indices(symbols)), at);
  return symbols;
}

std::size_t verbatim_bytes(const std::uint8_t* widths_of_block) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t k = 0; k < block_subs; k += 32)
    sum = _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_subs_epu8(load(widths_of_block + k), _mm256_set1_epi8(symbol_bits)),
                                                _mm256_setzero_si256()));
  return sum_of(sum);
}

// Eight values of `bits` bits each.
LACONIC_INLINE __m256i get_verbatim(unsigned bits, const std::byte*& at) {
  const std::byte* from = at;
  at += bits;
  if (bits <= avx2::most_shuffled_bits) {
    const avx2::Unpack& unpack = avx2::unpack_values[bits];
    const __m256i bytes = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(from + bits / 2),
                                              reinterpret_cast<const __m128i*>(from));
    const __m256i words = _mm256_shuffle_epi8(bytes, load(unpack.bytes));
    return _mm256_and_si256(_mm256_srlv_epi32(words, load(unpack.shift)),
                            _mm256_set1_epi32(static_cast<int>((1u << bits) - 1)));
  }
  alignas(32) std::uint32_t words[8];
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t packed;
    std::memcpy(&packed, from + i * bits / 8, 8);
    words[i] = static_cast<std::uint32_t>(packed >> (i * bits % 8)) & ((1u << bits) - 1);
  }
  return load(words);
}

// Eight residuals from their symbols and verbatim bits.
LACONIC_INLINE void join(__m128i symbols, unsigned width, std::uint32_t* z, const std::byte*& verbatim) {
  const unsigned bits = verbatim_bits(width);
  const __m256i high = _mm256_sll_epi32(_mm256_cvtepu16_epi32(symbols), _mm_cvtsi32_si128(static_cast<int>(bits)));
  store(z, bits == 0 ? high : _mm256_or_si256(high, get_verbatim(bits, verbatim)));
}

// 16 residuals of two sub-blocks with the widths w[0] and w[1], whose rows these are.
LACONIC_INLINE const std::byte* decode_values(__m256i& states, const avx2::DecodeRows& rows, const std::uint8_t* w,
                                              std::uint32_t* z, const std::byte*& verbatim, const std::byte* at) {
  const __m256i slot = slots_of(states);
  const __m256i eighth = indices(_mm256_srli_epi16(slot, 3));
  __m256i symbols = _mm256_shuffle_epi8(row(rows.first), eighth);
  for (const avx2::Row& threshold : rows.threshold)
    symbols = _mm256_sub_epi16(symbols, _mm256_cmpgt_epi16(slot, _mm256_shuffle_epi8(row(threshold), eighth)));
  at = decode_vector(states, _mm256_shuffle_epi8(row(rows.frequency), indices(symbols)),
                     _mm256_shuffle_epi8(row(rows.below), indices(symbols)), at);
  join(_mm256_castsi256_si128(symbols), w[0], z, verbatim);
  join(_mm256_extracti128_si256(symbols, 1), w[1], z + sub_values, verbatim);
  return at;
}

const std::byte* decode(Decoder& decoder, std::size_t table, const std::byte* verbatim, const std::byte* verbatim_end,
                        Residuals& out) {
  __m256i x[4];
  for (std::size_t v = 0; v < 4; ++v) x[v] = load(decoder.states + v * quarter);
  const std::byte* at = decoder.at;
  alignas(32) std::uint8_t differences[block_subs];
  alignas(32) std::uint8_t widths_of_block[block_subs];
  for (std::size_t step = 0; step < width_steps; ++step)
    for (std::size_t h = 0; h < 4; h += 2) {
      const __m256i first = decode_differences(x[h], table, at);
      const __m256i second = decode_differences(x[h + 1], table, at);
      store(differences + step * lanes + h * quarter,
            _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xd8));
    }
  verbatim = read_widths(differences, verbatim, verbatim_end, widths_of_block);
  if (verbatim == nullptr || verbatim_bytes(widths_of_block) > static_cast<std::size_t>(verbatim_end - verbatim))
    return nullptr;
  alignas(32) std::uint16_t rows[block_subs / 2];
  find_rows(widths_of_block, rows);
  for (std::size_t step = 0; step < value_steps; ++step)
    for (std::size_t v = 0; v < 4; ++v) {
      const std::size_t pair = 4 * step + v;
      std::uint32_t* z = out.z + pair * quarter;
      if (rows[pair] == 0) {
        store(z, _mm256_setzero_si256());
        store(z + 8, _mm256_setzero_si256());
        continue;
      }
      at = decode_values(x[v], avx2::decode_values_rows[rows[pair]], widths_of_block + 2 * pair, z, verbatim, at);
    }
  for (std::size_t v = 0; v < 4; ++v) store(decoder.states + v * quarter, x[v]);
  decoder.at = at;
  return verbatim;
}
