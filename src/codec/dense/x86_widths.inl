// SPDX-License-Identifier: BSD-3-Clause
// Widths from the symbols of their differences, for AVX2 and AVX-512: vectors of 16 bytes are wide enough.

__m128i sixteen(const std::uint8_t* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }

bool any_escape(const std::uint8_t* symbols) {
  __m128i found = _mm_setzero_si128();
  for (std::size_t k = 0; k < block_subs; k += 16)
    found = _mm_or_si128(found, _mm_cmpeq_epi8(sixteen(symbols + k), _mm_set1_epi8(escape)));
  return _mm_testz_si128(found, found) == 0;
}

// The verbatim bytes that follow escapes are read.  Null where a width is not valid.
const std::byte* read_widths(const std::uint8_t* symbols, const std::byte* verbatim, const std::byte* verbatim_end,
                             std::uint8_t* widths) {
  if (any_escape(symbols)) {
    int width = 0;
    for (std::size_t s = 0; s < block_subs; ++s) {
      if (symbols[s] != escape) {
        width += difference_of(symbols[s]);
      } else {
        if (verbatim == verbatim_end) return nullptr;
        width = static_cast<int>(*verbatim++);
      }
      if (width < 0 || width > 32) return nullptr;
      widths[s] = static_cast<std::uint8_t>(width);
    }
    return verbatim;
  }
  const __m128i differences = _mm_setr_epi8(0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 0);
  __m128i last = _mm_setzero_si128();
  __m128i most = last;
  for (std::size_t k = 0; k < block_subs; k += 16) {
    __m128i v = _mm_shuffle_epi8(differences, sixteen(symbols + k));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 1));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 2));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 4));
    v = _mm_add_epi8(v, _mm_slli_si128(v, 8));
    v = _mm_add_epi8(v, last);
    last = _mm_shuffle_epi8(v, _mm_set1_epi8(15));
    // A negative width counts as more than 127.  The first width that is not valid is off by 7 at most, so it shows.
    most = _mm_max_epu8(most, v);
    _mm_store_si128(reinterpret_cast<__m128i*>(widths + k), v);
  }
  const __m128i beyond = _mm_subs_epu8(most, _mm_set1_epi8(32));
  return _mm_testz_si128(beyond, beyond) != 0 ? verbatim : nullptr;
}
