// SPDX-License-Identifier: BSD-3-Clause
// Whole blocks of float32 numbers encoded through 16-bit words, as in avx512_gfni_words.inl.  Included inside a target
// region.

#include "codec/quant/avx2_slices.inl"
#include "codec/quant/unpack.inl"

struct alignas(32) Points16 {
  std::int16_t before[16];
  std::int16_t q[block_values];
};

// The same values as in avx512_gfni_words.inl.
constexpr int largest_point16 = 31999;
constexpr int largest_half = 16383;

LACONIC_INLINE __m256i load_words(const std::int16_t* q) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
}
LACONIC_INLINE bool all_zero(__m256i v) { return _mm256_testz_si256(v, v) != 0; }

// The minimum and the maximum of several words, in each lane.
struct Extent {
  __m256i most;
  __m256i least;

  LACONIC_INLINE Extent()
      : most(_mm256_set1_epi16(std::numeric_limits<std::int16_t>::min())),
        least(_mm256_set1_epi16(std::numeric_limits<std::int16_t>::max())) {}
  LACONIC_INLINE void take(__m256i q) {
    most = _mm256_max_epi16(most, q);
    least = _mm256_min_epi16(least, q);
  }
  LACONIC_INLINE bool within(int from, int to) const {
    return all_zero(_mm256_or_si256(_mm256_cmpgt_epi16(most, _mm256_set1_epi16(static_cast<std::int16_t>(to))),
                                    _mm256_cmpgt_epi16(_mm256_set1_epi16(static_cast<std::int16_t>(from)), least)));
  }
};

// True if points of this extent, and the differences of neighbouring points, are small enough for this path.
template <std::size_t groups>
LACONIC_INLINE bool in_words(Points16& points, const Extent& extent) {
  points.before[14] = points.before[15] = points.q[0];
  if (extent.within(-largest_half, largest_half)) return true;
  if (!extent.within(-largest_point16, largest_point16)) return false;
  __m256i off = _mm256_setzero_si256();
  for (std::size_t i = 0; i < groups * group_values; i += 16) {
    const __m256i v = load_words(points.q + i);
    const __m256i v1 = load_words(points.q + i - 1);
    off = _mm256_or_si256(off, _mm256_xor_si256(_mm256_sub_epi16(v, v1), _mm256_subs_epi16(v, v1)));
  }
  return all_zero(off);
}

// The same prefetch distance as in avx512_gfni_words.inl: while residuals are packed, memory serves only earlier
// requests.
constexpr std::ptrdiff_t own_ahead = 2 * block_values * sizeof(float);

// Rounds in float32; false when a point is too large for this path.
template <std::size_t groups>
bool quantise_words(const float* x, const Lattice& lattice, Points16& points) {
  if (!(lattice.largest_single > largest_point16)) return false;
  const __m256 inverse = _mm256_set1_ps(lattice.inverse_single);
  Extent extent;
  for (std::size_t i = 0; i < groups * group_values; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + own_ahead, _MM_HINT_T0);
    // A number that does not fit an integer becomes the smallest integer, and then the smallest word.
    const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), inverse));
    const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8), inverse));
    const __m256i q = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    extent.take(q);
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), q);
  }
  return in_words<groups>(points, extent);
}

// True if a number at the beginning of a block has a point that is too large for words: then the others need not be
// tried as words.
bool starts_large(const float* x, const Lattice& lattice) {
  const __m256 y = _mm256_mul_ps(_mm256_loadu_ps(x), _mm256_set1_ps(lattice.inverse_single));
  const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), y);
  return _mm256_movemask_ps(_mm256_cmp_ps(size, _mm256_set1_ps(largest_point16), _CMP_NLE_UQ)) != 0;
}

// The residuals of a sub-block as words.  Those of order 2, and all of large points, saturate.
template <int order>
LACONIC_INLINE __m256i residual_words(const std::int16_t* q) {
  const __m256i v = load_words(q);
  if constexpr (order == 0) return v;
  const __m256i v1 = load_words(q - 1);
  const __m256i first = _mm256_sub_epi16(v, v1);
  if constexpr (order == 1) return first;
  return _mm256_subs_epi16(first, _mm256_sub_epi16(v1, load_words(q - 2)));
}
template <int order>
LACONIC_INLINE __m256i residual_words(const std::int32_t* q) {
  return _mm256_permute4x64_epi64(_mm256_packs_epi32(differences8<order>(q), differences8<order>(q + 8)), 0xd8);
}

// Residuals of own numbers, to be used only if valid() is true at the end.  Treating the few genuine extreme values as
// saturated is safe.  AnyPoints: Points16, or Points for large ones.
template <int order, class AnyPoints>
struct OwnWords {
  const AnyPoints& points;
  Extent extent;

  LACONIC_INLINE explicit OwnWords(const AnyPoints& own) : points(own) {}
  LACONIC_INLINE void next(std::size_t g, __m256i* r) {
    for (std::size_t k = 0; k < group_subs; ++k) {
      r[k] = residual_words<order>(points.q + (g * group_subs + k) * sub_values);
      extent.take(r[k]);
    }
  }
  bool valid() const {
    constexpr bool saturates = order == 2 || sizeof points.q[0] == sizeof(std::int32_t);
    return !saturates || extent.within(-32767, 32766);
  }
  bool bytes() const { return extent.within(-128, 127); }
};

// The order that encoding would choose, given the points of the groups that decide it.
int order_of_first(Points& points) {
  constexpr std::size_t subs = sampled_groups * group_subs;
  points.before[14] = points.before[15] = points.q[0];
  const unsigned width0 = sampled_width<0>(points, subs);
  const unsigned width1 = sampled_width<1>(points, subs);
  const unsigned width2 = sampled_width<2>(points, subs);
  return width2 < width0 && width2 < width1 ? 2 : width1 < width0 ? 1 : 0;
}

struct StagedBlock {
  int order;
  std::int32_t base;
  StagedPlanes planes;
};
StagedBlock& block_in(Staged& out) {
  static_assert(sizeof(StagedBlock) <= sizeof out.memory);
  auto& block = *new (out.memory) StagedBlock;
  std::memset(block.planes.present, 0, sizeof block.planes.present);
  return block;
}
const StagedBlock& block_of(const Staged& staged) {
  return *std::launder(reinterpret_cast<const StagedBlock*>(staged.memory));
}
template <std::size_t groups>
Entry put_staged(const Staged& staged, std::byte* out) {
  const StagedBlock& block = block_of(staged);
  return write_staged(block.order, block.base, block.planes, groups, out);
}

// The zigzagged residuals of a block.
template <std::size_t groups>
struct Zigzags {
  __m256i of[groups][group_subs];
  __m256i any;

  LACONIC_INLINE Zigzags() : any(_mm256_setzero_si256()) {}
  LACONIC_INLINE void take(std::size_t g, const __m256i* r) {
    for (std::size_t k = 0; k < group_subs; ++k) {
      of[g][k] = _mm256_xor_si256(_mm256_slli_epi16(r[k], 1), _mm256_srai_epi16(r[k], 15));
      any = _mm256_or_si256(any, of[g][k]);
    }
  }
  void stage(int order, std::int32_t base, Staged& out) const {
    StagedBlock& block = block_in(out);
    block.order = order;
    block.base = base;
    const bool wide = _mm256_testc_si256(_mm256_set1_epi16(255), any) == 0;
    for (std::size_t g = 0; g < groups; ++g) stage_words(of[g], wide, g, block.planes);
  }
};

template <int order, std::size_t groups>
bool encode_order(const Points16& points, Staged& out) {
  OwnWords<order, Points16> own{points};
  Zigzags<groups> zigzags;
  for (std::size_t g = 0; g < groups; ++g) {
    __m256i r[group_subs];
    own.next(g, r);
    zigzags.take(g, r);
  }
  if (!own.valid()) return false;
  zigzags.stage(order, points.q[0], out);
  return true;
}

template <std::size_t groups>
bool encode_words(const Points16& points, Staged& out) {
  Points first;
  OwnWords<0, Points16> own{points};
  __m256i q[sampled_groups * group_subs];
  for (std::size_t g = 0; g < sampled_groups; ++g) own.next(g, q + g * group_subs);
  sum_up_words<0>(q, sampled_groups * group_subs, 0, first.q);
  switch (order_of_first(first)) {
    case 0: return encode_order<0, groups>(points, out);
    case 1: return encode_order<1, groups>(points, out);
    default: return encode_order<2, groups>(points, out);
  }
}

template <int order, std::size_t groups>
void stage_order(const Points& points, Staged& out) {
  StagedBlock& block = block_in(out);
  block.order = order;
  block.base = points.q[0];
  for (std::size_t g = 0; g < groups; ++g) stage_group<order>(points.q + g * group_subs * sub_values, g, block.planes);
}

// Stages any points.
template <std::size_t groups>
void stage_points(Points& points, Staged& out) {
  switch (order_of_first(points)) {
    case 0: stage_order<0, groups>(points, out); break;
    case 1: stage_order<1, groups>(points, out); break;
    default: stage_order<2, groups>(points, out); break;
  }
}

template <std::size_t groups>
bool quantise_large(const float* x, const Lattice& lattice, Points& points) {
  constexpr std::size_t n = groups * group_values;
  return quantise_single_all(x, n, lattice, points) || quantise_mixed_all(x, n, lattice, points);
}

template <std::size_t groups>
bool encode_block(const float* x, const Lattice& lattice, Staged& out) {
  if (!starts_large(x, lattice)) {
    Points16 points;
    if (quantise_words<groups>(x, lattice, points) && encode_words<groups>(points, out)) return true;
  }
  Points points;
  if (!quantise_large<groups>(x, lattice, points)) return false;
  stage_points<groups>(points, out);
  return true;
}
