// SPDX-License-Identifier: BSD-3-Clause
// Sums of whole blocks that need no points in between.  Included inside a target region.

#include "codec/quant/avx2_blocks.inl"

// The residuals of a block as words, if valid.
template <std::size_t groups>
struct WordBlock {
  static constexpr std::size_t subs = groups * group_subs;
  __m256i r[subs];
  bool valid;
  bool bytes;  // all of them are signed bytes

  // Those of own points.
  template <int order, class AnyPoints>
  LACONIC_INLINE void fill(const AnyPoints& points) {
    OwnWords<order, AnyPoints> own{points};
    for (std::size_t g = 0; g < groups; ++g) own.next(g, r + g * group_subs);
    valid = own.valid();
    bytes = own.bytes();
  }
  // Those of a packed block.
  LACONIC_INLINE void fill(const Head& head, const Places& places, const std::byte* at) {
    for (std::size_t g = 0; g < groups; ++g)
      at = is_wide(head.kind) ? unpack_words<true>(places, g, at, r + g * group_subs)
                              : unpack_words<false>(places, g, at, r + g * group_subs);
    valid = true;
  }
  // Multiplies them by 2^up.
  void shift(int up) {
    const __m128i count = _mm_cvtsi32_si128(up);
    __m256i off = _mm256_setzero_si256();
    Extent extent;
    for (__m256i& v : r) {
      const __m256i shifted = _mm256_sll_epi16(v, count);
      off = _mm256_or_si256(off, _mm256_xor_si256(_mm256_sra_epi16(shifted, count), v));
      extent.take(v = shifted);
    }
    valid = valid && all_zero(off);
    bytes = extent.within(-128, 127);
  }
};

// A summand: residuals in words, or of a packed block.  first() returns those of the groups that decide the order.
template <std::size_t groups>
struct WordSummand {
  const WordBlock<groups>& own;

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

template <bool wide, std::size_t groups, class A, class B>
bool stage_slices(A& a, B& b, StagedBlock& block) {
  __m256i off = _mm256_setzero_si256();
  __m256i present = off;
  for (std::size_t s = 0; s < groups / slice_groups; ++s) {
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

template <int order, std::size_t groups, class A, class B>
bool stage_sum(bool bytes, A a, B b, std::int32_t base, Staged& out) {
  if (!keeps_order<order>(a, b, base)) return false;
  StagedBlock& block = block_in(out);
  block.order = order;
  block.base = base;
  return bytes ? stage_slices<false, groups>(a, b, block) : stage_slices<true, groups>(a, b, block);
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// A packed block of residuals of up to 16 bits, to be added, its points times 2^up.
struct Addend {
  Head head;
  const std::byte* at = nullptr;
  int up = 0;
  bool words = false;  // no residual has more than 16 bits
  Tail tail;

  // False where the block is not valid, or might not be.
  bool read(const Packed& in, std::size_t groups, int times) {
    if (!read_full_head(in, head) || (groups < block_groups && !ends_before(groups))) return false;
    at = readable(in.body + head.bytes, in.end, tail);
    up = times;
    words = up_to_16(head);
    return true;
  }
  std::int32_t base() const { return static_cast<std::int32_t>(static_cast<std::uint32_t>(head.base) << up); }

  // False where some point, times 2^up, may be larger than scaled::largest_addend.
  bool fits(std::size_t n) const {
    int width = 0;
    for (const Planes& p : head.planes) width = std::max(width, p.first + p.count);
    return scaled::fits_addend(order_of(head.kind), head.base, width, n, up);
  }

 private:
  bool ends_before(std::size_t groups) const {
    return std::all_of(head.planes + groups * group_subs, std::end(head.planes),
                       [](const Planes& p) { return p.count == 0; });
  }
};

template <int order, std::size_t groups>
bool add_order(const Addend& a, const Addend& b, Staged& out) {
  const Places places[2] = {Places(a.head.planes), Places(b.head.planes)};
  const PackedSummand second{b.head, places[1], b.at};
  const std::int32_t base = sum_of(a.base(), b.base());
  if (a.up == 0)
    return stage_sum<order, groups>(!is_wide(a.head.kind) && !is_wide(b.head.kind),
                                    PackedSummand{a.head, places[0], a.at}, second, base, out);
  WordBlock<groups> first;
  first.fill(a.head, places[0], a.at);
  first.shift(a.up);
  return first.valid &&
         stage_sum<order, groups>(first.bytes && !is_wide(b.head.kind), WordSummand<groups>{first}, second, base, out);
}

// Only the points of a may be shifted.
template <std::size_t groups>
bool add_packed(const Addend& a, const Addend& b, Staged& out) {
  const int order = order_of(a.head.kind);
  if (order != order_of(b.head.kind) || !a.words || !b.words) return false;
  switch (order) {
    case 0: return add_order<0, groups>(a, b, out);
    case 1: return add_order<1, groups>(a, b, out);
    default: return add_order<2, groups>(a, b, out);
  }
}
bool add_block(const Packed& a, const Packed& b, Staged& out) {
  Addend first;
  Addend second;
  return first.read(a, block_groups, 0) && second.read(b, block_groups, 0) &&
         add_packed<block_groups>(first, second, out);
}

template <int order, std::size_t groups, class AnyPoints>
bool fold_order(const Addend& in, const AnyPoints& points, int up, Staged& out) {
  const Places places(in.head.planes);
  WordBlock<groups> own;
  own.template fill<order>(points);
  if (up > 0) own.shift(up);
  if (!own.valid) return false;
  const std::int32_t base =
      sum_of(in.base(), static_cast<std::int32_t>(static_cast<std::uint32_t>(std::int32_t{points.q[0]}) << up));
  if (in.up == 0)
    return stage_sum<order, groups>(own.bytes && !is_wide(in.head.kind), WordSummand<groups>{own},
                                    PackedSummand{in.head, places, in.at}, base, out);
  WordBlock<groups> theirs;
  theirs.fill(in.head, places, in.at);
  theirs.shift(in.up);
  return theirs.valid && stage_sum<order, groups>(own.bytes && theirs.bytes, WordSummand<groups>{own},
                                                  WordSummand<groups>{theirs}, base, out);
}

// Folds points of either kind as residuals; false where the sum does not fit or needs another order.
template <std::size_t groups, class AnyPoints>
bool fold_residuals(const Addend& in, const AnyPoints& own, int up, Staged& out) {
  if (!in.words) return false;
  switch (order_of(in.head.kind)) {
    case 0: return fold_order<0, groups>(in, own, up, out);
    case 1: return fold_order<1, groups>(in, own, up, out);
    default: return fold_order<2, groups>(in, own, up, out);
  }
}

template <std::size_t groups>
void to_points(const Points16& words, Points& points) {
  for (std::size_t i = 0; i < groups * group_values; i += 8)
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), _mm256_cvtepi16_epi32(load16(words.q + i)));
}

template <std::size_t groups>
bool fold_packed(const Packed& packed, const Addend& in, const float* x, const Lattice& lattice, int up, Staged& out) {
  constexpr std::size_t n = groups * group_values;
  Points own;
  Points16 own_words;
  if (!starts_large(x, lattice) && quantise_words<groups>(x, lattice, own_words)) {
    if (fold_residuals<groups>(in, own_words, up, out)) return true;
    to_points<groups>(own_words, own);
  } else if (up > 0 && std::ldexp(lattice.largest, up) > scaled::largest_addend) {
    return false;
  } else if (!quantise_large<groups>(x, lattice, own)) {
    return false;
  } else {
    own.before[14] = own.before[15] = own.q[0];
    if (fold_residuals<groups>(in, own, up, out)) return true;
  }
  Points sum;
  if (!unpack(packed, n, sum)) return false;
  if (up > 0) shift_points(own, n, up);
  if (in.up > 0) shift_points(sum, n, in.up);
  combine_points(Op::sum, sum, own, n);
  stage_points<groups>(sum, out);
  return true;
}
bool fold_block(const Packed& packed, const float* x, const Lattice& lattice, Staged& out) {
  Addend in;
  return in.read(packed, block_groups, 0) && fold_packed<block_groups>(packed, in, x, lattice, 0, out);
}

// Blocks of scaled frames.
constexpr std::size_t scaled_groups = scaled::values / group_values;
constexpr int most_up = 7;  // no residual of 16 bits is likely to be shifted further

bool add_scaled(const Packed& a, int up_a, const Packed& b, int up_b, Staged& out) {
  if (up_b > 0) return add_scaled(b, up_b, a, up_a, out);
  Addend first;
  Addend second;
  return up_a <= most_up && first.read(a, scaled_groups, up_a) && second.read(b, scaled_groups, 0) &&
         first.fits(scaled::values) && second.fits(scaled::values) && add_packed<scaled_groups>(first, second, out);
}
bool fold_scaled(const Packed& packed, int up_packed, const float* x, const Lattice& lattice, int up, Staged& out) {
  Addend in;
  return up_packed <= most_up && up <= most_up && in.read(packed, scaled_groups, up_packed) &&
         in.fits(scaled::values) && fold_packed<scaled_groups>(packed, in, x, lattice, up, out);
}
bool is_odd(const Staged& staged) {
  const StagedBlock& block = block_of(staged);
  // The lowest bit of a residual is the exclusive or of the two lowest planes of zigzags.
  __m128i odd = _mm_setzero_si128();
  for (std::size_t g = 0; g < scaled_groups; ++g)
    for (std::size_t k = 0; k < group_subs; ++k) {
      const __m128i planes = load16(block.planes.planes[0][g][k]);
      odd = _mm_or_si128(odd, _mm_xor_si128(planes, _mm_srli_si128(planes, 2)));
    }
  return (block.order != 0 && (block.base & 1) != 0) || (_mm_cvtsi128_si32(odd) & 0xffff) != 0;
}
