// Whole blocks of float32 numbers by way of words of 16 bits, and sums without points in between, as in
// avx512_gfni_blocks.inl.  Included inside a target region.

#include "codec/quant/avx2_planes.inl"

struct alignas(32) Points16 {
  std::int16_t before[16];
  std::int16_t q[block_values];
};

// As in avx512_gfni_words.inl.
constexpr int largest_point16 = 31999;

LACONIC_INLINE __m256i load_words(const std::int16_t* q) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
}
LACONIC_INLINE bool all_zero(__m256i v) { return _mm256_testz_si256(v, v) != 0; }

// Rounds in float32; false when a point is too large for this path.
bool quantise_words(const float* x, const Lattice& lattice, Points16& points) {
  if (!(lattice.largest_single > largest_point16)) return false;
  const __m256 inverse = _mm256_set1_ps(lattice.inverse_single);
  __m256i most = _mm256_setzero_si256();
  for (std::size_t i = 0; i < block_values; i += 16) {
    // What does not fit an integer becomes the least one, and then the least word.
    const __m256i a = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i), inverse));
    const __m256i b = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8), inverse));
    const __m256i q = _mm256_permute4x64_epi64(_mm256_packs_epi32(a, b), 0xd8);
    most = _mm256_max_epu16(most, _mm256_abs_epi16(q));
    _mm256_store_si256(reinterpret_cast<__m256i*>(points.q + i), q);
  }
  points.before[14] = points.before[15] = points.q[0];
  return all_zero(_mm256_subs_epu16(most, _mm256_set1_epi16(largest_point16)));
}

// Own residuals, if valid() in the end: differences of words may need more than a word.
template <int order>
struct OwnWords {
  const Points16& points;
  __m256i off = _mm256_setzero_si256();

  LACONIC_INLINE void next(std::size_t g, __m256i* r) {
    for (std::size_t k = 0; k < group_subs; ++k) {
      const std::int16_t* q = points.q + (g * group_subs + k) * sub_values;
      r[k] = load_words(q);
      if constexpr (order == 0) continue;
      const __m256i v1 = load_words(q - 1);
      const __m256i difference = less(r[k], v1);
      r[k] = order == 1 ? difference : less(difference, _mm256_sub_epi16(v1, load_words(q - 2)));
    }
  }
  bool valid() const { return all_zero(off); }

 private:
  LACONIC_INLINE __m256i less(__m256i a, __m256i b) {
    const __m256i exact = _mm256_sub_epi16(a, b);
    off = _mm256_or_si256(off, _mm256_xor_si256(exact, _mm256_subs_epi16(a, b)));
    return exact;
  }
};

// Residuals of a packed block.
template <bool wide>
struct PackedWords {
  const Head& head;
  const std::byte* at;

  LACONIC_INLINE void next(std::size_t g, __m256i* r) { at = unpack_words<wide>(head.planes + g * group_subs, at, r); }
  bool valid() const { return true; }
};

// The order that encoding chooses for points of which those of the groups that decide are given.
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
Entry put_staged(const Staged& staged, std::byte* out) {
  const auto& block = *std::launder(reinterpret_cast<const StagedBlock*>(staged.memory));
  return write_staged(block.order, block.base, block.planes, block_groups, out);
}

// Zigzags of a block.
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
    auto& block = *new (out.memory) StagedBlock;
    static_assert(sizeof block <= sizeof out.memory);
    block.order = order;
    block.base = base;
    std::memset(block.planes.present, 0, sizeof block.planes.present);
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
  for (std::size_t g = 0; g < sampled_groups; ++g) {
    __m256i q[group_subs];
    own.next(g, q);
    widen_words(q, first.q + g * group_subs * sub_values);
  }
  switch (order_of_first(first)) {
    case 0: return encode_order<0>(points, out);
    case 1: return encode_order<1>(points, out);
    default: return encode_order<2>(points, out);
  }
}

template <int order, class A, class B>
bool stage_sum(A a, B b, std::int32_t base, Staged& out) {
  Zigzags zigzags;
  Points first;
  __m256i off = _mm256_setzero_si256();
  for (std::size_t g = 0; g < block_groups; ++g) {
    __m256i r[group_subs];
    __m256i other[group_subs];
    a.next(g, r);
    b.next(g, other);
    // Residuals may be added in place of points only when the first ones are 0, as encoders write them.
    if (order != 0 && g == 0 && (_mm256_extract_epi16(r[0], 0) | _mm256_extract_epi16(other[0], 0)) != 0) return false;
    for (std::size_t k = 0; k < group_subs; ++k) {
      const __m256i sum = _mm256_add_epi16(r[k], other[k]);
      off = _mm256_or_si256(off, _mm256_xor_si256(sum, _mm256_adds_epi16(r[k], other[k])));
      r[k] = sum;
    }
    zigzags.take(g, r);
    if (g < sampled_groups) widen_words(r, first.q + g * group_subs * sub_values);
    if (g + 1 == sampled_groups) {
      sum_up<order>(first, sampled_groups * group_subs, base);
      if (order_of_first(first) != order) return false;
    }
  }
  if (!all_zero(off) || !a.valid() || !b.valid()) return false;
  zigzags.stage(order, base, out);
  return true;
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <class A, class B>
bool stage_sum_of(int order, A a, B b, std::int32_t base, Staged& out) {
  switch (order) {
    case 0: return stage_sum<0>(a, b, base, out);
    case 1: return stage_sum<1>(a, b, base, out);
    default: return stage_sum<2>(a, b, base, out);
  }
}

bool add_block(const Packed& a, const Packed& b, Staged& out) {
  Head ha;
  Head hb;
  const int order = order_of(kind_of(a.entry));
  if (order != order_of(kind_of(b.entry)) || !read_head(a.entry, a.body, block_values, ha) ||
      !read_head(b.entry, b.body, block_values, hb))
    return false;
  Tail tails[2];
  const std::byte* const at_a = readable(a.body + ha.bytes, a.end, tails[0]);
  const std::byte* const at_b = readable(b.body + hb.bytes, b.end, tails[1]);
  const std::int32_t base = sum_of(ha.base, hb.base);
  if (!is_wide(ha.kind) && !is_wide(hb.kind))
    return stage_sum_of(order, PackedWords<false>{ha, at_a}, PackedWords<false>{hb, at_b}, base, out);
  return up_to_16(ha) && up_to_16(hb) &&
         stage_sum_of(order, PackedWords<true>{ha, at_a}, PackedWords<true>{hb, at_b}, base, out);
}

template <int order>
bool fold_order(const Points16& own, const Head& head, const std::byte* at, Staged& out) {
  const OwnWords<order> mine{own};
  const std::int32_t base = sum_of(head.base, own.q[0]);
  if (!is_wide(head.kind)) return stage_sum<order>(mine, PackedWords<false>{head, at}, base, out);
  return up_to_16(head) && stage_sum<order>(mine, PackedWords<true>{head, at}, base, out);
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, Staged& out) {
  Head head;
  Points16 own;
  if (!read_head(in.entry, in.body, block_values, head) || !quantise_words(x, lattice, own)) return false;
  Tail tail;
  const std::byte* const at = readable(in.body + head.bytes, in.end, tail);
  switch (order_of(head.kind)) {
    case 0: return fold_order<0>(own, head, at, out);
    case 1: return fold_order<1>(own, head, at, out);
    default: return fold_order<2>(own, head, at, out);
  }
}
