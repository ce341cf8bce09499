// SPDX-License-Identifier: BSD-3-Clause
// The positions of planes in a frame and in a vector.  They are computed for all sub-blocks of a block at once, since one
// by one they would take a fifth of the time of adding frames.  Included inside a target region.

#include "codec/quant/avx2_heads.inl"

// The positions for one byte of the residuals of each sub-block.
struct Part {
  alignas(32) std::uint16_t entry[block_subs];  // offset of the entry for these planes in a table of places
  alignas(32) std::uint16_t bytes[block_subs];  // size of the planes
};
// Of each of the first `bytes` bytes.
template <std::size_t bytes>
struct PlacesOf {
  Part parts[bytes];

  explicit PlacesOf(const Planes* planes) {
    const __m256i eight = _mm256_set1_epi16(8);
    for (std::size_t s = 0; s < block_subs; s += 16) {
      static_assert(sizeof(Planes) == 2 && offsetof(Planes, first) == 0);
      const __m256i of = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(planes + s));
      __m256i first = _mm256_and_si256(of, _mm256_set1_epi16(255));  // not 0 only where there is no second byte
      __m256i count = _mm256_srli_epi16(of, 8);
      for (Part& part : parts) {
        put(part, s, _mm256_min_epu16(count, eight), first);
        count = _mm256_subs_epu16(count, eight);
        first = _mm256_setzero_si256();
      }
    }
  }

  const Part& low() const { return parts[0]; }
  const Part& high() const { return parts[1]; }

 private:
  LACONIC_INLINE static void put(Part& part, std::size_t s, __m256i count, __m256i first) {
    const __m256i row = _mm256_add_epi16(_mm256_add_epi16(count, count), first);
    _mm256_store_si256(reinterpret_cast<__m256i*>(part.entry + s), _mm256_slli_epi16(row, 4));
    _mm256_store_si256(reinterpret_cast<__m256i*>(part.bytes + s), _mm256_add_epi16(count, count));
  }
};
using Places = PlacesOf<2>;  // of residuals of up to 16 bits
using LongPlaces = PlacesOf<4>;

// Moves `count` adjacent planes, which begin with plane `first` of eight, to their places and sets all others to 0.
struct PlaceTable {
  std::uint8_t at[9][2][16];  // by count and first
};
// The plane that goes to a byte of the result, and whether the byte is its first or its second one.
struct Place {
  unsigned plane;
  unsigned byte;
};
template <class PlaceOf>
constexpr PlaceTable make_place_table(PlaceOf place_of) {
  PlaceTable t{};
  for (unsigned count = 0; count < 9; ++count)
    for (unsigned first = 0; first < 2; ++first)
      for (unsigned byte = 0; byte < 16; ++byte) {
        const Place p = place_of(byte);
        const bool there = p.plane >= first && p.plane < first + count;
        t.at[count][first][byte] = static_cast<std::uint8_t>(there ? 2 * (p.plane - first) + p.byte : 128);
      }
  return t;
}
// byte_after_byte puts the low bytes of all planes before the high ones; word_after_word keeps planes as words.
constexpr Place byte_after_byte(unsigned byte) { return {byte % 8, byte / 8}; }
constexpr Place word_after_word(unsigned byte) { return {byte / 2, byte % 2}; }
alignas(16) constexpr PlaceTable byte_places = make_place_table(byte_after_byte);
alignas(16) constexpr PlaceTable word_places = make_place_table(word_after_word);

LACONIC_INLINE __m128i load16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// The planes of sub-block s.  A whole vector is read, also beyond the last plane.
LACONIC_INLINE __m128i next_planes(const PlaceTable& table, const Part& part, std::size_t s, const std::byte*& at) {
  const __m128i words = load16(at);
  at += part.bytes[s];
  return _mm_shuffle_epi8(words, load16(reinterpret_cast<const std::uint8_t*>(table.at) + part.entry[s]));
}
