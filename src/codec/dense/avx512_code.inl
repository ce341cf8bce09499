// SPDX-License-Identifier: BSD-3-Clause
// The coder: interleaved range ANS (Giesen, "Interleaved entropy coders", 2014) with 64 states of 16 bits in two vectors,
// which advance independently of each other.

constexpr std::uint32_t all_bits = ~0u;
constexpr std::size_t half = lanes / 2;  // the lanes of a vector

// Two rows of 16 entries as one vector.
__m512i rows(const std::uint16_t* first, const std::uint16_t* second) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(first))),
                            _mm256_load_si256(reinterpret_cast<const __m256i*>(second)), 1);
}

// The tables of the sub-blocks of one vector, from their widths.
struct Tables {
  explicit Tables(std::uint32_t widths)
      : a(of(widths)), b(of(widths >> 8)), c(of(widths >> 16)), d(of(widths >> 24)) {}
  static const Table& of(std::uint32_t width) { return tables_of_values[value_table(width & 255)]; }

  // Entry symbol[l] of the table of lane l.
  __m512i look_up(__m512i symbols, std::uint16_t const (Table::*row)[alphabet]) const {
    const __m512i bias = _mm512_set_epi64(0x0030003000300030, 0x0030003000300030, 0x0020002000200020,
                                          0x0020002000200020, 0x0010001000100010, 0x0010001000100010, 0, 0);
    return _mm512_permutex2var_epi16(rows(a.*row, b.*row), _mm512_or_si512(symbols, bias), rows(c.*row, d.*row));
  }

  const Table& a;
  const Table& b;
  const Table& c;
  const Table& d;
};

__m512i frequency_of(__m512i entries) { return _mm512_and_si512(entries, _mm512_set1_epi16(255)); }
__m512i below_of(__m512i entries) { return _mm512_srli_epi16(entries, 8); }

std::byte* encode_vector(__m512i& states, __m512i entries, __m512i inverses, std::byte* at) {
  const __m512i f = frequency_of(entries);
  const __mmask32 full = _mm512_cmpge_epu16_mask(_mm512_srli_epi16(states, 16 - slot_bits), f);
  if (full != 0) {
    const auto count = static_cast<unsigned>(std::popcount(static_cast<std::uint32_t>(full)));
    at -= count;
    const __m256i bytes = _mm256_maskz_compress_epi8(full, _mm512_cvtepi16_epi8(states));
    _mm256_mask_storeu_epi8(at, _bzhi_u32(all_bits, count), bytes);
    states = _mm512_mask_srli_epi16(states, full, states, 8);
  }
  // The product with the rounded inverse is the quotient or one less.
  __m512i quotient = _mm512_mulhi_epu16(states, inverses);
  __m512i rest = _mm512_sub_epi16(states, _mm512_mullo_epi16(quotient, f));
  const __mmask32 less = _mm512_cmpge_epu16_mask(rest, f);
  quotient = _mm512_mask_add_epi16(quotient, less, quotient, _mm512_set1_epi16(1));
  rest = _mm512_mask_sub_epi16(rest, less, rest, f);
  states = _mm512_add_epi16(_mm512_slli_epi16(quotient, slot_bits), _mm512_add_epi16(below_of(entries), rest));
  return at;
}

__m512i load_symbols(const std::uint8_t* symbols) {
  return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols)));
}

// Values from number `first` of the block on.
std::byte* encode_values(__m512i& states, const Symbols& in, std::size_t first, std::byte* at) {
  std::uint32_t widths;
  std::memcpy(&widths, in.widths + first / sub_values, 4);
  if (widths == 0) return at;  // all symbols have frequency 128: no state changes
  const Tables tables(widths);
  const __m512i symbols = load_symbols(in.values + first);
  return encode_vector(states, tables.look_up(symbols, &Table::entry), tables.look_up(symbols, &Table::inverse), at);
}

std::byte* encode(std::span<const CodedBlock> blocks, std::byte* end, std::uint16_t* states) {
  __m512i low = _mm512_set1_epi16(least_state);
  __m512i high = low;
  for (std::size_t b = blocks.size(); b-- > 0;) {
    const Symbols& in = *blocks[b].symbols;
    for (std::size_t step = value_steps; step-- > 0;) {
      end = encode_values(high, in, step * lanes + half, end);
      end = encode_values(low, in, step * lanes, end);
    }
    const Table& table = tables_of_widths[blocks[b].table];
    const __m512i entries = rows(table.entry, table.entry);
    const __m512i inverses = rows(table.inverse, table.inverse);
    for (std::size_t step = width_steps; step-- > 0;)
      for (std::size_t h = 2; h-- > 0;) {
        const __m512i symbols = load_symbols(in.differences + step * lanes + h * half);
        end = encode_vector(h == 0 ? low : high, _mm512_permutexvar_epi16(symbols, entries),
                            _mm512_permutexvar_epi16(symbols, inverses), end);
      }
  }
  _mm512_storeu_si512(states, low);
  _mm512_storeu_si512(states + half, high);
  return end;
}

__m512i slots_of(__m512i states) { return _mm512_and_si512(states, _mm512_set1_epi16(slots - 1)); }

// The symbols of slots; the high bytes of the result are not zero.
__m512i find_symbols(const Table& table, __m512i slot) {
  return _mm512_permutex2var_epi8(load(table.symbol_of_slot), slot, load(table.symbol_of_slot + 64));
}
__m512i low_bytes(__m512i v) { return _mm512_and_si512(v, _mm512_set1_epi16(255)); }

const std::byte* decode_vector(__m512i& states, __m512i entries, const std::byte* at) {
  const __m512i bytes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
  const __m512i product = _mm512_mullo_epi16(frequency_of(entries), _mm512_srli_epi16(states, slot_bits));
  states = _mm512_add_epi16(product, _mm512_sub_epi16(slots_of(states), below_of(entries)));
  const __mmask32 low = _mm512_cmplt_epu16_mask(states, _mm512_set1_epi16(least_state));
  const __m512i raised = _mm512_mask_slli_epi16(states, low, states, 8);
  states = _mm512_or_si512(raised, _mm512_maskz_expand_epi16(low, bytes));
  return at + std::popcount(static_cast<std::uint32_t>(low));
}

// Eight values of `bits` bits each.
__m256i get_verbatim(unsigned bits, const std::byte*& at) {
  const std::byte* from = at;
  at += bits;
  if (bits <= 8) {
    std::uint64_t packed;
    std::memcpy(&packed, from, 8);
    const std::uint64_t bytes = _pdep_u64(packed, 0x0101010101010101u * ((1u << bits) - 1));
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(bytes)));
  }
  // For each value the eight bytes in the first of which its bits begin.
  const __m512i replicate = _mm512_broadcast_i64x2(_mm_set_epi64x(0x0808080808080808, 0));
  const __m512i position = _mm512_mul_epu32(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(bits));
  const __m512i places = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(position, 3), replicate),
                                         _mm512_set1_epi64(0x0706050403020100));
  const __m512i packed = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  const __m512i begun = _mm512_and_si512(position, _mm512_set1_epi64(7));
  const __m512i words = _mm512_srlv_epi64(_mm512_permutexvar_epi8(places, packed), begun);
  return _mm512_cvtepi64_epi32(_mm512_and_si512(words, _mm512_set1_epi64((1 << bits) - 1)));
}

// 16 residuals from their symbols and verbatim bits.
__m512i join(__m256i symbols, unsigned first, unsigned second, const std::byte*& verbatim) {
  const __m512i high = _mm512_cvtepu16_epi32(symbols);
  if ((first | second) == 0) return high;
  const __m256i low0 = get_verbatim(first, verbatim);
  const __m256i low1 = get_verbatim(second, verbatim);
  return _mm512_or_si512(_mm512_sllv_epi32(high, in_halves(first, second)),
                         _mm512_inserti64x4(_mm512_castsi256_si512(low0), low1, 1));
}

std::size_t verbatim_bytes(const std::uint8_t* widths) {
  const __m512i base = _mm512_set1_epi8(symbol_bits);
  const __m512i zero = _mm512_setzero_si512();
  const __m512i sums = _mm512_add_epi64(_mm512_sad_epu8(_mm512_subs_epu8(load(widths), base), zero),
                                        _mm512_sad_epu8(_mm512_subs_epu8(load(widths + 64), base), zero));
  return static_cast<std::size_t>(_mm512_reduce_add_epi64(sums));
}

// 32 symbols of differences of widths.
const std::byte* decode_differences(__m512i& states, const Table& table, __m512i entries, std::uint8_t* out,
                                    const std::byte* at) {
  const __m512i symbols = low_bytes(find_symbols(table, slots_of(states)));
  _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi16_epi8(symbols));
  return decode_vector(states, _mm512_permutexvar_epi16(symbols, entries), at);
}

// 32 residuals, whose sub-blocks have the widths in `widths`.
const std::byte* decode_values(__m512i& states, std::uint32_t widths, std::uint32_t* z, const std::byte*& verbatim,
                               const std::byte* at) {
  if (widths == 0) {
    _mm512_store_si512(z, _mm512_setzero_si512());
    _mm512_store_si512(z + 16, _mm512_setzero_si512());
    return at;
  }
  const Tables tables(widths);
  const __m512i slot = slots_of(states);
  __m512i symbols = find_symbols(tables.a, slot);
  if (&tables.a != &tables.b || &tables.b != &tables.c || &tables.c != &tables.d) {
    const __m512i high = _mm512_mask_mov_epi16(find_symbols(tables.c, slot), 0xff000000, find_symbols(tables.d, slot));
    symbols = _mm512_mask_mov_epi16(symbols, 0x0000ff00, find_symbols(tables.b, slot));
    symbols = _mm512_mask_mov_epi16(symbols, 0xffff0000, high);
  }
  symbols = low_bytes(symbols);
  at = decode_vector(states, tables.look_up(symbols, &Table::entry), at);
  const unsigned bits[4] = {verbatim_bits(widths & 255), verbatim_bits(widths >> 8 & 255), verbatim_bits(widths >> 16 & 255),
                            verbatim_bits(widths >> 24)};
  _mm512_store_si512(z, join(_mm512_castsi512_si256(symbols), bits[0], bits[1], verbatim));
  _mm512_store_si512(z + 16, join(_mm512_extracti64x4_epi64(symbols, 1), bits[2], bits[3], verbatim));
  return at;
}

const std::byte* decode(Decoder& decoder, std::size_t table, const std::byte* verbatim, const std::byte* verbatim_end,
                        Residuals& out) {
  __m512i low = load(decoder.states);
  __m512i high = load(decoder.states + half);
  const std::byte* at = decoder.at;
  alignas(64) std::uint8_t differences[block_subs];
  alignas(64) std::uint8_t widths[block_subs];
  const Table& of_widths = tables_of_widths[table];
  const __m512i entries = rows(of_widths.entry, of_widths.entry);
  for (std::size_t step = 0; step < width_steps; ++step) {
    at = decode_differences(low, of_widths, entries, differences + step * lanes, at);
    at = decode_differences(high, of_widths, entries, differences + step * lanes + half, at);
  }
  verbatim = read_widths(differences, verbatim, verbatim_end, widths);
  if (verbatim == nullptr || verbatim_bytes(widths) > static_cast<std::size_t>(verbatim_end - verbatim)) return nullptr;
  for (std::size_t step = 0; step < value_steps; ++step) {
    std::uint32_t w[2];
    std::memcpy(w, widths + step * step_subs, 8);
    at = decode_values(low, w[0], out.z + step * lanes, verbatim, at);
    at = decode_values(high, w[1], out.z + step * lanes + half, verbatim, at);
  }
  _mm512_store_si512(decoder.states, low);
  _mm512_store_si512(decoder.states + half, high);
  decoder.at = at;
  return verbatim;
}
