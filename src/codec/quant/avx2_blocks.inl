// SPDX-License-Identifier: BSD-3-Clause
// Whole blocks of float32 numbers encoded through 16-bit words, and sums that need no points in between, as in
// avx512_gfni_blocks.inl.  Included inside a target region.

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
LACONIC_INLINE bool in_words(Points16& points, const Extent& extent) {
  points.before[14] = points.before[15] = points.q[0];
  if (extent.within(-largest_half, largest_half)) return true;
  if (!extent.within(-largest_point16, largest_point16)) return false;
  __m256i off = _mm256_setzero_si256();
  for (std::size_t i = 0; i < block_values; i += 16) {
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
bool quantise_words(const float* x, const Lattice& lattice, Points16& points) {
  if (!(lattice.largest_single > largest_point16)) return false;
  const __m256 inverse = _mm256_set1_ps(lattice.inverse_single);
  Extent extent;
  for (std::size_t i = 0; i < block_values; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + own_ahead, _MM_HINT_T0);
    // A number that does not fit an integer becomes the smallest integer, and then the smallest word.
    const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), inverse));
    const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8), inverse));
    const __m256i q = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    extent.take(q);
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), q);
  }
  return in_words(points, extent);
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
Entry put_staged(const Staged& staged, std::byte* out) {
  const auto& block = *std::launder(reinterpret_cast<const StagedBlock*>(staged.memory));
  return write_staged(block.order, block.base, block.planes, block_groups, out);
}

// The zigzagged residuals of a block.
struct Zigzags {
  __m256i of[block_groups][group_subs];
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
    for (std::size_t g = 0; g < block_groups; ++g) stage_words(of[g], wide, g, block.planes);
  }
};

template <int order>
bool encode_order(const Points16& points, Staged& out) {
  OwnWords<order, Points16> own{points};
  Zigzags zigzags;
  for (std::size_t g = 0; g < block_groups; ++g) {
    __m256i r[group_subs];
    own.next(g, r);
    zigzags.take(g, r);
  }
  if (!own.valid()) return false;
  zigzags.stage(order, points.q[0], out);
  return true;
}

bool encode_words(const Points16& points, Staged& out) {
  Points first;
  OwnWords<0, Points16> own{points};
  __m256i q[sampled_groups * group_subs];
  for (std::size_t g = 0; g < sampled_groups; ++g) own.next(g, q + g * group_subs);
  sum_up_words<0>(q, sampled_groups * group_subs, 0, first.q);
  switch (order_of_first(first)) {
    case 0: return encode_order<0>(points, out);
    case 1: return encode_order<1>(points, out);
    default: return encode_order<2>(points, out);
  }
}

template <int order>
void stage_order(const Points& points, Staged& out) {
  StagedBlock& block = block_in(out);
  block.order = order;
  block.base = points.q[0];
  for (std::size_t g = 0; g < block_groups; ++g)
    stage_group<order>(points.q + g * group_subs * sub_values, g, block.planes);
}

// Stages any points.
void stage_points(Points& points, Staged& out) {
  switch (order_of_first(points)) {
    case 0: stage_order<0>(points, out); break;
    case 1: stage_order<1>(points, out); break;
    default: stage_order<2>(points, out); break;
  }
}

bool encode_block(const float* x, const Lattice& lattice, Staged& out) {
  if (!starts_large(x, lattice)) {
    Points16 points;
    if (quantise_words(x, lattice, points) && encode_words(points, out)) return true;
  }
  Points points;
  if (!quantise_mixed_all(x, block_values, lattice, points)) return false;
  stage_points(points, out);
  return true;
}

// The residuals of own numbers of a block, if valid.
struct OwnBlock {
  __m256i r[block_groups * group_subs];
  bool valid;
  bool bytes;  // all of them are signed bytes

  template <int order, class AnyPoints>
  LACONIC_INLINE void fill(const AnyPoints& points) {
    OwnWords<order, AnyPoints> own{points};
    for (std::size_t g = 0; g < block_groups; ++g) own.next(g, r + g * group_subs);
    valid = own.valid();
    bytes = own.bytes();
  }
};

// A summand: residuals of own numbers or of a packed block.  first() returns those of the groups that decide the order.
struct OwnSummand {
  const OwnBlock& own;

  LACONIC_INLINE void first(__m256i* r) const { std::memcpy(r, own.r, sampled_groups * group_subs * sizeof *r); }
  template <bool wide>
  LACONIC_INLINE void next(std::size_t s, Slice& slice) const {
    slice_words<wide>(own.r + s * slice_groups * group_subs, slice);
  }
};
struct PackedSummand {
  const Head& head;
  const Places& places;
  const std::byte* at;

  LACONIC_INLINE void first(__m256i* r) const {
    const std::byte* from = at;
    for (std::size_t g = 0; g < sampled_groups; ++g)
      from = is_wide(head.kind) ? unpack_words<true>(places, g, from, r + g * group_subs)
                                : unpack_words<false>(places, g, from, r + g * group_subs);
  }
  template <bool wide>
  LACONIC_INLINE void next(std::size_t s, Slice& slice) {
    at = slice_planes<wide>(places, s * slice_groups, at, slice);
  }
};

// True if the sum of two blocks keeps their order.
template <int order, class A, class B>
LACONIC_INLINE bool keeps_order(const A& a, const B& b, std::int32_t base) {
  __m256i r[sampled_groups * group_subs];
  __m256i other[sampled_groups * group_subs];
  a.first(r);
  b.first(other);
  // Residuals may be added in place of points only when the first ones are 0, as encoders write them.
  if (order != 0 && (_mm256_extract_epi16(r[0], 0) | _mm256_extract_epi16(other[0], 0)) != 0) return false;
  for (std::size_t k = 0; k < sampled_groups * group_subs; ++k) r[k] = _mm256_add_epi16(r[k], other[k]);
  Points points;
  sum_up_words<order>(r, sampled_groups * group_subs, base, points.q);
  return order_of_first(points) == order;
}

template <bool wide, class A, class B>
bool stage_slices(A& a, B& b, StagedBlock& block) {
  __m256i off = _mm256_setzero_si256();
  __m256i present = off;
  for (std::size_t s = 0; s < slices; ++s) {
    Slice sum;
    Slice other;
    a.template next<wide>(s, sum);
    b.template next<wide>(s, other);
    add_slice<wide>(sum, other, off);
    present = _mm256_or_si256(present, stage_slice<wide>(sum, s, block.planes));
  }
  const bool some_high = _mm256_testc_si256(_mm256_set1_epi16(255), present) == 0;
  std::memset(block.planes.bytes, some_high ? 2 : 1, sizeof block.planes.bytes);
  return all_zero(off);
}

template <int order, class A, class B>
bool stage_sum(bool bytes, A a, B b, std::int32_t base, Staged& out) {
  if (!keeps_order<order>(a, b, base)) return false;
  StagedBlock& block = block_in(out);
  block.order = order;
  block.base = base;
  return bytes ? stage_slices<false>(a, b, block) : stage_slices<true>(a, b, block);
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

bool add_block(const Packed& a, const Packed& b, Staged& out) {
  Head ha;
  Head hb;
  const int order = order_of(kind_of(a.entry));
  if (order != order_of(kind_of(b.entry)) || !read_full_head(a, ha) || !read_full_head(b, hb) || !up_to_16(ha) ||
      !up_to_16(hb))
    return false;
  Tail tails[2];
  const Places places[2] = {Places(ha.planes), Places(hb.planes)};
  const PackedSummand first{ha, places[0], readable(a.body + ha.bytes, a.end, tails[0])};
  const PackedSummand second{hb, places[1], readable(b.body + hb.bytes, b.end, tails[1])};
  const std::int32_t base = sum_of(ha.base, hb.base);
  const bool bytes = !is_wide(ha.kind) && !is_wide(hb.kind);
  switch (order) {
    case 0: return stage_sum<0>(bytes, first, second, base, out);
    case 1: return stage_sum<1>(bytes, first, second, base, out);
    default: return stage_sum<2>(bytes, first, second, base, out);
  }
}

template <int order, class AnyPoints>
bool fold_order(const AnyPoints& points, const Head& head, const std::byte* at, Staged& out) {
  OwnBlock own;
  own.template fill<order>(points);
  const Places places(head.planes);
  return own.valid && stage_sum<order>(own.bytes && !is_wide(head.kind), OwnSummand{own},
                                       PackedSummand{head, places, at}, sum_of(head.base, points.q[0]), out);
}

// Folds points of either kind as residuals; false where the sum does not fit or needs another order.
template <class AnyPoints>
bool fold_residuals(const AnyPoints& own, const Head& head, const std::byte* at, Staged& out) {
  switch (order_of(head.kind)) {
    case 0: return fold_order<0>(own, head, at, out);
    case 1: return fold_order<1>(own, head, at, out);
    default: return fold_order<2>(own, head, at, out);
  }
}

void to_points(const Points16& words, Points& points) {
  for (std::size_t i = 0; i < block_values; i += 8)
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_cvtepi16_epi32(load16(words.q + i)));
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, Staged& out) {
  Head head;
  if (!read_full_head(in, head)) return false;
  Tail tail;
  const std::byte* const at = readable(in.body + head.bytes, in.end, tail);
  const bool words = up_to_16(head);
  Points own;
  Points16 own_words;
  if (!starts_large(x, lattice) && quantise_words(x, lattice, own_words)) {
    if (words && fold_residuals(own_words, head, at, out)) return true;
    to_points(own_words, own);
  } else if (!quantise_mixed_all(x, block_values, lattice, own)) {
    return false;
  } else {
    own.before[14] = own.before[15] = own.q[0];
    if (words && fold_residuals(own, head, at, out)) return true;
  }
  Points sum;
  if (!unpack(in, block_values, sum)) return false;
  combine_points(Op::sum, sum, own, block_values);
  stage_points(sum, out);
  return true;
}
