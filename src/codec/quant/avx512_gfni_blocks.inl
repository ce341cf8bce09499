// Whole blocks of float32 numbers and their sums, included inside the target region of avx512_gfni.cpp.  Points are
// words of 16 bits where they are needed at all: residuals are added as residuals.

#include "codec/quant/avx512_gfni_order.inl"

// Adds the points of a packed block; `most` tells whether one of them, or a sum, is too large for this path.
struct AddPoints {
  Points16& sum;
  __m256i most = _mm256_setzero_si256();

  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    auto* const place = reinterpret_cast<__m256i*>(sum.q + i);
    const __m256i words = _mm512_cvtsepi32_epi16(q);
    const __m256i v = _mm256_adds_epi16(_mm256_load_si256(place), words);
    most = _mm256_max_epu16(most, _mm256_max_epu16(_mm256_abs_epi16(words), _mm256_abs_epi16(v)));
    _mm256_store_si256(place, v);
  }
};

bool add_points(const GroupHead& h, Source in, Points16& sum) {
  AddPoints sink{sum};
  switch (h.order) {
    case 0: block_to_points<0>(h, in, block_groups, sink); break;
    case 1: block_to_points<1>(h, in, block_groups, sink); break;
    default: block_to_points<2>(h, in, block_groups, sink); break;
  }
  return in_words(sum, _mm512_zextsi256_si512(sink.most));
}

// Adding reads two frames and computes little: memory cannot keep up unless it is asked ahead.  Decoding and folding are
// not faster for it.
void prefetch_packed(const Packed& in) {
  const auto* at = reinterpret_cast<const char*>(in.body) + prefetch_bytes;
  for (std::size_t i = 0; i < bytes_of(in.entry); i += 64) _mm_prefetch(at + i, _MM_HINT_T0);
}

// Rows of a packed block.
struct PackedRows {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE __m512i operator()(std::size_t g) { return next_narrow(h.low_planes(g), in, each_bit_reversed); }
  bool valid() const { return true; }
};

// Rows of words of a packed block.
struct PackedWords {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE Pair operator()(std::size_t g) { return next_pair<false>(h, g, in); }
  bool valid() const { return true; }
};

// Rows of a sum, if exact() in the end.  Keeps those that the order is chosen from.
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

// The same of words.
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
    // Where both have the sign that the sum has not: (x ^ sum) & (y ^ sum).
    off = _mm512_or_si512(off, _mm512_ternarylogic_epi64(x.high, y.high, sum.high, 0x42));
    if (g < sampled_groups) first[g] = sum;
    if (g == 0)
      starts = _mm512_or_si512(_mm512_or_si512(x.low, x.high), _mm512_or_si512(y.low, y.high));
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
LACONIC_INLINE bool put_sum_of_rows(A& a, B& b, std::int32_t base, std::byte* out, Entry& entry) {
  __m512i bytes[sampled_groups];
  SumRows<A, B> sum(a, b, bytes);
  Output o;
  o.narrow(sum, block_groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  for (__m512i& row : bytes) row = _mm512_shuffle_epi8(row, load(bytes_of_rows));
  if (!keeps_order<order, false>(bytes, base)) return false;
  entry = o.finish(order, base, out, block_groups);
  return true;
}

template <int order, class A, class B>
LACONIC_INLINE bool put_sum_of_words(A& a, B& b, std::int32_t base, std::byte* out, Entry& entry) {
  Pair first[sampled_groups];
  SumWords<A, B> sum(a, b, first);
  Output o;
  o.words(sum, block_groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  __m512i words[2 * sampled_groups];
  for (std::size_t v = 0; v < 2 * sampled_groups; ++v)
    words[v] = _mm512_permutex2var_epi8(first[v / 2].low, load(words_of_rows[v % 2]), first[v / 2].high);
  if (!keeps_order<order, true>(words, base)) return false;
  entry = o.finish(order, base, out, block_groups);
  return true;
}

template <int order>
bool add_order(const GroupHead& ha, const GroupHead& hb, Source a, Source b, std::byte* out, Entry& entry) {
  const std::int32_t base = sum_of(ha.base, hb.base);
  if (!ha.is_full && !hb.is_full) {
    PackedRows rows_a{ha, a};
    PackedRows rows_b{hb, b};
    if (put_sum_of_rows<order>(rows_a, rows_b, base, out, entry)) return true;
  }
  PackedWords words_a{ha, a};
  PackedWords words_b{hb, b};
  return put_sum_of_words<order>(words_a, words_b, base, out, entry);
}

bool add_block(const Packed& a, const Packed& b, std::byte* out, Entry& entry) {
  prefetch_packed(a);
  prefetch_packed(b);
  GroupHead ha;
  GroupHead hb;
  if (!read_groups(a, block_values, ha) || !read_groups(b, block_values, hb)) return false;
  Tail tail_a;
  Tail tail_b;
  const Source source_a = source_of(ha.planes, a, tail_a);
  const Source source_b = source_of(hb.planes, b, tail_b);
  if (ha.is_long || hb.is_long) return false;
  bool done = false;
  if (ha.order == hb.order) switch (ha.order) {
      case 0: done = add_order<0>(ha, hb, source_a, source_b, out, entry); break;
      case 1: done = add_order<1>(ha, hb, source_a, source_b, out, entry); break;
      default: done = add_order<2>(ha, hb, source_a, source_b, out, entry); break;
    }
  if (done) return true;
  // Two orders, or a sum that asks for another.
  Points16 sum;
  std::memset(sum.q, 0, sizeof sum.q);
  return add_points(ha, source_a, sum) && add_points(hb, source_b, sum) && encode_points(sum, out, entry);
}

template <int order>
bool fold_order(const GroupHead& h, Source in, const Points16& own, std::byte* out, Entry& entry) {
  const std::int32_t base = sum_of(h.base, own.q[0]);
  if (!h.is_full) {
    OwnRows<order> mine{own};
    PackedRows theirs{h, in};
    if (put_sum_of_rows<order>(mine, theirs, base, out, entry)) return true;
  }
  OwnWords<order> mine{own};
  PackedWords theirs{h, in};
  return put_sum_of_words<order>(mine, theirs, base, out, entry);
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, std::byte* out, Entry& entry) {
  GroupHead h;
  Points16 own;
  if (!read_groups(in, block_values, h) || h.is_long) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  if (!quantise_words(x, lattice, own)) return false;
  bool done = false;
  switch (h.order) {
    case 0: done = fold_order<0>(h, source, own, out, entry); break;
    case 1: done = fold_order<1>(h, source, own, out, entry); break;
    default: done = fold_order<2>(h, source, own, out, entry); break;
  }
  return done || (add_points(h, source, own) && encode_points(own, out, entry));
}

void settle() { _mm_sfence(); }

// Points to numbers, if small() in the end: else some point may have been too large for float32.  A run of four bytes goes
// at most 4 slopes and 10 * 128 away from where it starts, one of two words 2 slopes and 3 * 2^15.
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
  // Stores past the caches pay only for whole cache lines: with shifted ones, whose ends are stored as usual, decoding
  // was slower than without any.
  const bool lines = reinterpret_cast<std::uintptr_t>(x) % sizeof(__m512) == 0;
  return streaming && lines ? decode_groups<true>(h, source, s, x) : decode_groups<false>(h, source, s, x);
}
