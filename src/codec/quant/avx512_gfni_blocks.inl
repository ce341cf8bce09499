// SPDX-License-Identifier: BSD-3-Clause
// Encoding of whole blocks of float32 numbers, and their sums, included inside the target region of avx512_gfni.cpp.
// Points, where they are needed at all, are words of 16 bits if they fit: residuals are added as residuals.

#include "codec/quant/avx512_gfni_large.inl"

bool encode_block(const float* x, const Lattice& lattice, Staged& out) {
  Output& o = output_in(out);
  if (!starts_large(x, lattice)) {
    Points16 points;
    if (quantise_words(x, lattice, points) && encode_points(points, o)) return true;
  }
  Points points;
  if (!quantise_large(x, lattice, points)) return false;
  encode_large(points, false, o);
  return true;
}

// Addition reads two frames and computes little, so memory cannot keep up without prefetching.  Prefetching does not
// make decoding and folding faster.
void prefetch_packed(const Packed& in) {
  const auto* at = reinterpret_cast<const char*>(in.body) + prefetch_bytes;
  for (std::size_t i = 0; i < bytes_of(in.entry); i += 64) _mm_prefetch(at + i, _MM_HINT_T0);
}

// The rows of a packed block.
struct PackedRows {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE __m512i operator()(std::size_t g) { return next_narrow(h.low_planes(g), in, each_bit_reversed); }
  bool valid() const { return true; }
};

// The rows of the words of a packed block.
struct PackedWords {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE Pair operator()(std::size_t g) { return next_pair<Layout::rows>(h, g, in); }
  bool valid() const { return true; }
};

// The rows of a sum, to be used only if exact() is true at the end.  It keeps the rows from which the order is chosen.
template <class A, class B>
struct SumRows {
  LACONIC_INLINE SumRows(A& first_summand, B& second_summand, __m512i* first_sums)
      : a(first_summand), b(second_summand), first(first_sums) {}

  LACONIC_INLINE __m512i operator()(std::size_t g) {
    const __m512i x = a(g);
    const __m512i y = b(g);
    const __m512i sum = _mm512_add_epi8(x, y);
    // off |= sum ^ saturated sum
    off = _mm512_ternarylogic_epi64(off, sum, _mm512_adds_epi8(x, y), 0xf6);
    if (g < sampled_groups) first[g] = sum;
    if (g == 0) starts = _mm512_or_si512(x, y);
    return sum;
  }
  bool exact() const { return _mm512_test_epi8_mask(off, off) == 0; }
  // Residuals may be added in place of points only when the first ones are 0, as encoders write them.
  bool from_base() const { return (_mm512_testn_epi8_mask(starts, starts) >> 7 & 1) != 0; }

  A& a;
  B& b;
  __m512i* first;
  __m512i starts;
  __m512i off = _mm512_setzero_si512();
};

// The same for words.
template <class A, class B>
struct SumWords {
  LACONIC_INLINE SumWords(A& first_summand, B& second_summand, Pair* first_sums)
      : a(first_summand), b(second_summand), first(first_sums) {}

  LACONIC_INLINE Pair operator()(std::size_t g) {
    const Pair x = a(g);
    const Pair y = b(g);
    Pair sum = {_mm512_add_epi8(x.low, y.low), _mm512_add_epi8(x.high, y.high)};
    const __mmask64 carry = _mm512_cmplt_epu8_mask(sum.low, x.low);
    sum.high = _mm512_mask_sub_epi8(sum.high, carry, sum.high, _mm512_set1_epi8(-1));
    // An overflow occurs where both summands have a sign other than that of the sum: (x ^ sum) & (y ^ sum).
    off = _mm512_or_si512(off, _mm512_ternarylogic_epi64(x.high, y.high, sum.high, 0x42));
    if (g < sampled_groups) first[g] = sum;
    if (g == 0) starts = _mm512_or_si512(_mm512_or_si512(x.low, x.high), _mm512_or_si512(y.low, y.high));
    return sum;
  }
  bool exact() const { return _mm512_movepi8_mask(off) == 0; }
  bool from_base() const { return (_mm512_testn_epi8_mask(starts, starts) >> 7 & 1) != 0; }

  A& a;
  B& b;
  Pair* first;
  __m512i starts;
  __m512i off = _mm512_setzero_si512();
};

std::int32_t sum_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <int order, class A, class B>
LACONIC_INLINE bool stage_sum_of_rows(A& a, B& b, std::int32_t base, Output& o) {
  __m512i bytes[sampled_groups];
  SumRows<A, B> sum(a, b, bytes);
  o.narrow(sum, block_groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  if (!keeps_order<order>(sampled(bytes), base)) return false;
  o.name(order, base);
  return true;
}

template <int order, class A, class B>
LACONIC_INLINE bool stage_sum_of_words(A& a, B& b, std::int32_t base, Output& o) {
  Pair first[sampled_groups];
  SumWords<A, B> sum(a, b, first);
  o.words(sum, block_groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  if (!keeps_order<order>(sampled(first), base)) return false;
  o.name(order, base);
  return true;
}

template <int order>
bool add_order(const GroupHead& ha, const GroupHead& hb, Source a, Source b, Output& o) {
  const std::int32_t base = sum_of(ha.base, hb.base);
  if (!ha.is_full && !hb.is_full) {
    PackedRows rows_a{ha, a};
    PackedRows rows_b{hb, b};
    if (stage_sum_of_rows<order>(rows_a, rows_b, base, o)) return true;
  }
  PackedWords words_a{ha, a};
  PackedWords words_b{hb, b};
  return stage_sum_of_words<order>(words_a, words_b, base, o);
}

bool add_block(const Packed& a, const Packed& b, Staged& out) {
  prefetch_packed(a);
  prefetch_packed(b);
  GroupHead ha;
  GroupHead hb;
  if (!read_groups(a, block_values, ha) || !read_groups(b, block_values, hb)) return false;
  Tail tail_a;
  Tail tail_b;
  const Source source_a = source_of(ha.planes, a, tail_a);
  const Source source_b = source_of(hb.planes, b, tail_b);
  Output& o = output_in(out);
  bool done = false;
  if (ha.order == hb.order && !ha.is_long && !hb.is_long) switch (ha.order) {
      case 0: done = add_order<0>(ha, hb, source_a, source_b, o); break;
      case 1: done = add_order<1>(ha, hb, source_a, source_b, o); break;
      default: done = add_order<2>(ha, hb, source_a, source_b, o); break;
    }
  if (done) return true;
  // The blocks have different orders, the sum needs another order, or its residuals have more than 16 bits.
  Points sum;
  std::memset(sum.q, 0, sizeof sum.q);
  add_points(ha, source_a, sum);
  add_points(hb, source_b, sum);
  encode_large(sum, ha.is_long || hb.is_long, o);
  return true;
}

template <int order>
bool fold_order(const GroupHead& h, Source in, const Points16& own, Output& o) {
  const std::int32_t base = sum_of(h.base, own.q[0]);
  if (!h.is_full) {
    OwnRows<order> mine{own};
    PackedRows theirs{h, in};
    if (stage_sum_of_rows<order>(mine, theirs, base, o)) return true;
  }
  OwnWords<order> mine{own};
  PackedWords theirs{h, in};
  return stage_sum_of_words<order>(mine, theirs, base, o);
}

template <int order>
bool fold_order(const GroupHead& h, Source in, const Points& own, Output& o) {
  LargeWords<order> mine{own};
  PackedWords theirs{h, in};
  return stage_sum_of_words<order>(mine, theirs, sum_of(h.base, own.q[0]), o);
}

// Folds points of either kind as residuals; false where the sum does not fit or needs another order.
template <class AnyPoints>
bool fold_residuals(const GroupHead& h, Source in, const AnyPoints& own, Output& o) {
  if (h.is_long) return false;
  switch (h.order) {
    case 0: return fold_order<0>(h, in, own, o);
    case 1: return fold_order<1>(h, in, own, o);
    default: return fold_order<2>(h, in, own, o);
  }
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, Staged& out) {
  GroupHead h;
  if (!read_groups(in, block_values, h)) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  Output& o = output_in(out);
  Points sum;
  Points16 own;
  if (!starts_large(x, lattice) && quantise_words(x, lattice, own)) {
    if (fold_residuals(h, source, own, o)) return true;
    to_points(own, sum);
  } else if (!quantise_large(x, lattice, sum)) {
    return false;
  } else if (fold_residuals(h, source, sum, o)) {
    return true;
  }
  add_points(h, source, sum);
  encode_large(sum, h.is_long, o);
  return true;
}

void settle() { _mm_sfence(); }

// Converts points to numbers.  The result is valid if small() is true at the end; otherwise some point may have been
// too large for float32.  A run moves at most 4 slopes and 10 * 2^15 away from its start.
template <bool streaming>
struct ToFloats {
  __m512 step;
  float* x;
  __m512i most = _mm512_setzero_si512();
  __m512i steepest = _mm512_setzero_si512();

  LACONIC_INLINE void before(__m512i start, __m512i slope) {
    most = _mm512_or_si512(most, _mm512_abs_epi32(start));
    steepest = _mm512_or_si512(steepest, _mm512_abs_epi32(slope));
  }
  bool small() const {
    return (_mm512_cmpge_epu32_mask(most, _mm512_set1_epi32(largest_exact_single / 2)) |
            _mm512_cmpge_epu32_mask(steepest, _mm512_set1_epi32(largest_exact_single / 16))) == 0;
  }
  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    const __m512 v = _mm512_mul_ps(_mm512_cvtepi32_ps(q), step);
    if constexpr (streaming)
      _mm512_stream_ps(x + i, v);
    else
      _mm512_storeu_ps(x + i, v);
  }
};

template <bool streaming>
LACONIC_INLINE bool decode_groups(const GroupHead& h, Source in, __m512 step, float* x) {
  ToFloats<streaming> sink{step, x};
  switch (h.order) {
    case 0: block_to_points<0>(h, in, block_groups, sink); break;
    case 1: block_to_points<1>(h, in, block_groups, sink); break;
    default: block_to_points<2>(h, in, block_groups, sink); break;
  }
  return sink.small();
}

// A store to a part of a cache line reads the line first.  A prefetch half a block ahead brings the line in while
// points are computed.
LACONIC_INLINE void prefetch_place(const float* x) {
  const float* ahead = x + block_values / 2;
  for (std::size_t i = 0; i < block_values; i += 16)
    _mm_prefetch(reinterpret_cast<const char*>(ahead + i), _MM_HINT_T0);
}

bool decode_block(const Packed& in, double step, bool streaming, float* x) {
  if (!single_step(step)) return false;
  if (in.entry == zero_block) {
    for (std::size_t i = 0; i < block_values; i += 16) _mm512_storeu_ps(x + i, _mm512_setzero_ps());
    return true;
  }
  GroupHead h;
  if (!read_groups(in, block_values, h) || h.is_long) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  const __m512 s = _mm512_set1_ps(static_cast<float>(step));
  if (!streaming) return decode_groups<false>(h, source, s, x);
  // Stores past the caches pay only for whole cache lines: with shifted ones, whose ends are stored as usual, decoding
  // was slower than without any.
  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(__m512) == 0) return decode_groups<true>(h, source, s, x);
  prefetch_place(x);
  return decode_groups<false>(h, source, s, x);
}
