// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose points are too large for words of 16 bits, but whose residuals are not: smooth numbers under a small
// allowance.  Included inside the target region of avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_order.inl"

// The low or the high bytes of 64 words, as rows; two calls of _mm512_packs_epi32 made the words.
constexpr ByteTable rows_of_packs_table(unsigned byte) {
  ByteTable t{};
  for (unsigned value = 0; value < 64; ++value) {
    const unsigned word = value / 32 * 32 + value % 16 / 4 * 8 + value % 32 / 16 * 4 + value % 4;
    t.at[row_of(value)] = static_cast<std::uint8_t>(2 * word + byte);
  }
  return t;
}
constexpr ByteTable rows_of_packs[2] = {rows_of_packs_table(0), rows_of_packs_table(1)};

// The residuals of own points as rows of words, to be used only if valid() is true at the end.
template <int order>
struct LargeWords {
  const Points& points;
  __m512i most = _mm512_setzero_si512();
  __m512i least = _mm512_setzero_si512();

  LACONIC_INLINE Pair operator()(std::size_t g) {
    const std::int32_t* q = points.q + g * group_values;
    const __m512i r0 = _mm512_packs_epi32(differences16<order>(q), differences16<order>(q + 16));
    const __m512i r1 = _mm512_packs_epi32(differences16<order>(q + 32), differences16<order>(q + 48));
    most = _mm512_max_epi16(most, _mm512_max_epi16(r0, r1));
    least = _mm512_min_epi16(least, _mm512_min_epi16(r0, r1));
    return {_mm512_permutex2var_epi8(r0, load(rows_of_packs[0]), r1),
            _mm512_permutex2var_epi8(r0, load(rows_of_packs[1]), r1)};
  }
  bool valid() const { return !saturated(most, least); }
};

template <int order>
bool encode_large_order(const Points& points, Output& o) {
  LargeWords<order> words{points};
  o.words(words, block_groups);
  o.name(order, points.q[0]);
  return words.valid();
}

bool encode_large(Points& points, Output& o) {
  points.before[14] = points.before[15] = points.q[0];
  const unsigned width0 = sampled_width<0>(points, block_subs);
  const unsigned width1 = sampled_width<1>(points, block_subs);
  const unsigned width2 = sampled_width<2>(points, block_subs);
  if (width2 < width0 && width2 < width1) return encode_large_order<2>(points, o);
  return width1 < width0 ? encode_large_order<1>(points, o) : encode_large_order<0>(points, o);
}

// True if a number at the beginning of a block has a point that is too large for words: then the others need not be
// tried as words.
bool starts_large(const float* x, const Lattice& lattice) {
  const __m512 y = _mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(lattice.inverse_single));
  return _mm512_cmp_ps_mask(_mm512_abs_ps(y), _mm512_set1_ps(largest_point16), _CMP_NLE_UQ) != 0;
}

bool quantise_large(const float* x, const Lattice& lattice, Points& points) {
  if (!quantise_mixed_all(x, block_values, lattice, points)) return false;
  points.before[14] = points.before[15] = points.q[0];
  return true;
}

void to_points(const Points16& words, Points& points) {
  for (std::size_t i = 0; i < block_values; i += 16)
    _mm512_store_si512(points.q + i,
                       _mm512_cvtepi16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(words.q + i))));
}

// Adds the points of a packed block.
struct AddPoints {
  std::int32_t* sum;

  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    _mm512_store_si512(sum + i, _mm512_add_epi32(_mm512_load_si512(sum + i), q));
  }
};
void add_points(const GroupHead& h, Source in, Points& sum) {
  AddPoints sink{sum.q};
  switch (h.order) {
    case 0: block_to_points<0>(h, in, block_groups, sink); break;
    case 1: block_to_points<1>(h, in, block_groups, sink); break;
    default: block_to_points<2>(h, in, block_groups, sink); break;
  }
}
