// SPDX-License-Identifier: BSD-3-Clause
// Whole blocks of float32 numbers encoded through 16-bit words, and sums that need no points in between, as in
// avx512_gfni_blocks.inl.  Included inside a target region.

#include "codec/quant/avx2_slices.inl"

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

// Residuals of own numbers, to be used only if valid() is true at the end.  Those of order 2 saturate; treating the few
// genuine extreme values as saturated is safe.
template <int order>
struct OwnWords {
  const Points16& points;
  Extent extent;

  LACONIC_INLINE explicit OwnWords(const Points16& own) : points(own) {}
  LACONIC_INLINE void next(std::size_t g, __m256i* r) {
    for (std::size_t k = 0; k < group_subs; ++k) {
      const std::int16_t* q = points.q + (g * group_subs + k) * sub_values;
      r[k] = load_words(q);
      if constexpr (order != 0) {
        const __m256i v1 = load_words(q - 1);
        r[k] = _mm256_sub_epi16(r[k], v1);
        if constexpr (order == 2) r[k] = _mm256_subs_epi16(r[k], _mm256_sub_epi16(v1, load_words(q - 2)));
      }
      extent.take(r[k]);
    }
  }
  bool valid() const { return order < 2 || extent.within(-32767, 32766); }
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
  OwnWords<order> own{points};
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

bool encode_block(const float* x, const Lattice& lattice, Staged& out) {
  Points16 points;
  if (!quantise_words(x, lattice, points)) return false;
  Points first;
  OwnWords<0> own{points};
  __m256i q[sampled_groups * group_subs];
  for (std::size_t g = 0; g < sampled_groups; ++g) own.next(g, q + g * group_subs);
  sum_up_words<0>(q, sampled_groups * group_subs, 0, first.q);
  switch (order_of_first(first)) {
    case 0: return encode_order<0>(points, out);
    case 1: return encode_order<1>(points, out);
    default: return encode_order<2>(points, out);
  }
}

// The residuals of own numbers of a block, if valid.
struct OwnBlock {
  __m256i r[block_groups * group_subs];
  bool valid;
  bool bytes;  // all of them are signed bytes

  template <int order>
  LACONIC_INLINE void fill(const Points16& points) {
    OwnWords<order> own{points};
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

template <int order>
bool fold_order(const Points16& points, const Head& head, const std::byte* at, Staged& out) {
  OwnBlock own;
  own.fill<order>(points);
  const Places places(head.planes);
  return own.valid && stage_sum<order>(own.bytes && !is_wide(head.kind), OwnSummand{own},
                                       PackedSummand{head, places, at}, sum_of(head.base, points.q[0]), out);
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, Staged& out) {
  Head head;
  Points16 own;
  if (!read_full_head(in, head) || !up_to_16(head) || !quantise_words(x, lattice, own)) return false;
  Tail tail;
  const std::byte* const at = readable(in.body + head.bytes, in.end, tail);
  switch (order_of(head.kind)) {
    case 0: return fold_order<0>(own, head, at, out);
    case 1: return fold_order<1>(own, head, at, out);
    default: return fold_order<2>(own, head, at, out);
  }
}
