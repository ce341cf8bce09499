// Whole blocks of float32 numbers and their sums, included inside the target region of avx512_gfni.cpp.  Points are
// words of 16 bits where they are needed at all: residuals are added as residuals.

#include "codec/quant/avx512_gfni_points.inl"

struct alignas(64) Points16 {
  std::int16_t before[32];
  std::int16_t q[block_values];
};

// Differences of two points of at most this size, in one order, fit 16 bits.
constexpr int largest_point16 = 16383;

// Rounds in float32; false when a point is too large for this path.
LACONIC_INLINE bool quantise_words(const float* x, const Lattice& lattice, Points16& points) {
  if (!(lattice.largest_single > largest_point16 + 1)) return false;
  const __m512 inverse = _mm512_set1_ps(lattice.inverse_single);
  const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  __m512i most = _mm512_setzero_si512();
  for (std::size_t i = 0; i < block_values; i += 32) {
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + prefetch_bytes, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(x + i) + prefetch_bytes + 64, _MM_HINT_T0);
    // What does not fit an integer becomes the least one, and then the least word.
    const __m512i a = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i), inverse));
    const __m512i b = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + i + 16), inverse));
    const __m512i q = _mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(a, b));
    most = _mm512_max_epu16(most, _mm512_abs_epi16(q));
    _mm512_store_si512(points.q + i, q);
  }
  points.before[30] = points.before[31] = points.q[0];
  return _mm512_cmpgt_epu16_mask(most, _mm512_set1_epi16(largest_point16)) == 0;
}

// 32 residuals in order.  Those of order 2 saturate: see saturated().
template <int order>
LACONIC_INLINE __m512i residuals32(const std::int16_t* q) {
  const __m512i v = _mm512_loadu_si512(q);
  if constexpr (order == 0) return v;
  const __m512i v1 = _mm512_loadu_si512(q - 1);
  const __m512i first = _mm512_sub_epi16(v, v1);
  if constexpr (order == 1) return first;
  return _mm512_subs_epi16(first, _mm512_sub_epi16(v1, _mm512_loadu_si512(q - 2)));
}
// A saturated residual is the largest or the least word; taking the few honest ones of these for saturated is safe.
LACONIC_INLINE bool saturated(__m512i r0, __m512i r1) {
  const __m512i most = _mm512_max_epi16(r0, r1);
  const __m512i least = _mm512_min_epi16(r0, r1);
  return (_mm512_cmpeq_epi16_mask(most, _mm512_set1_epi16(32767)) |
          _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(-32768))) != 0;
}

LACONIC_INLINE __m512i load_two(const std::int16_t* first, const std::int16_t* second) {
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first));
  return _mm512_inserti64x4(_mm512_castsi256_si512(a), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second)), 1);
}

// Leading zeros of the bits that are set in the sub-blocks in a and in b, two in each: less width is more of them.
LACONIC_INLINE int leading_zeros(__m512i a, __m512i b) {
  a = zigzag_words(a);
  b = zigzag_words(b);
  __m512i t = _mm512_or_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
  t = _mm512_or_si512(t, _mm512_shuffle_i64x2(t, t, 0xb1));
  t = _mm512_or_si512(t, _mm512_srli_epi64(t, 32));
  t = _mm512_and_si512(_mm512_or_si512(t, _mm512_srli_epi64(t, 16)), _mm512_set1_epi64(0xffff));
  return static_cast<int>(_mm512_reduce_add_epi64(_mm512_lzcnt_epi64(t)));
}

struct Choice {
  int order = -1;  // -1: cannot be told in 16 bits
  bool wide = false;
};

Choice best_order(const Points16& points) {
  static_assert(sampled_subs[0] == 1 && sampled_subs[1] == 3 && sampled_subs[2] == 5 && sampled_subs[3] == 7);
  const std::int16_t* q = points.q + sub_values;
  constexpr std::size_t apart = 2 * sub_values;
  const __m512i a = load_two(q, q + apart);
  const __m512i b = load_two(q + 2 * apart, q + 3 * apart);
  const __m512i a1 = load_two(q - 1, q + apart - 1);
  const __m512i b1 = load_two(q + 2 * apart - 1, q + 3 * apart - 1);
  const __m512i a2 = load_two(q - 2, q + apart - 2);
  const __m512i b2 = load_two(q + 2 * apart - 2, q + 3 * apart - 2);
  const __m512i da = _mm512_sub_epi16(a, a1);
  const __m512i db = _mm512_sub_epi16(b, b1);
  const __m512i sa = _mm512_subs_epi16(da, _mm512_sub_epi16(a1, a2));
  const __m512i sb = _mm512_subs_epi16(db, _mm512_sub_epi16(b1, b2));
  if (saturated(sa, sb)) return {};
  const int zeros0 = leading_zeros(a, b);
  const int zeros1 = leading_zeros(da, db);
  const int zeros2 = leading_zeros(sa, sb);
  if (zeros2 > zeros0 && zeros2 > zeros1) return {2, !all_bytes(beyond_bytes(sa, sb))};
  return zeros1 > zeros0 ? Choice{1, !all_bytes(beyond_bytes(da, db))} : Choice{0, !all_bytes(beyond_bytes(a, b))};
}

// Own residuals as rows, if valid() in the end.
template <int order>
struct OwnRows {
  const Points16& points;
  __m512i beyond = _mm512_setzero_si512();

  LACONIC_INLINE __m512i operator()(std::size_t g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    beyond = _mm512_or_si512(beyond, beyond_bytes(r0, r1));
    return _mm512_permutex2var_epi8(r0, load(rows_of_words), r1);
  }
  bool valid() const { return all_bytes(beyond); }
};

// Own residuals as words, if valid() in the end.
template <int order>
struct OwnWords {
  const Points16& points;
  bool exact = true;

  LACONIC_INLINE Halves operator()(std::size_t g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if (order == 2 && saturated(r0, r1)) exact = false;
    return halves_of_words(r0, r1);
  }
  bool valid() const { return exact; }
};

template <int order>
bool encode_order(const Points16& points, bool wide, std::byte* out, Entry& entry) {
  Output o;
  OwnRows<order> rows{points};
  if (!wide) o.narrow(rows, block_groups);
  if (wide || !rows.valid()) {
    OwnWords<order> words{points};
    o.words(words, block_groups);
    if (!words.valid()) return false;
  }
  entry = o.finish(order, points.q[0], out, block_groups);
  return true;
}

bool encode_points(const Points16& points, std::byte* out, Entry& entry) {
  const Choice choice = best_order(points);
  switch (choice.order) {
    case 0: return encode_order<0>(points, choice.wide, out, entry);
    case 1: return encode_order<1>(points, choice.wide, out, entry);
    case 2: return encode_order<2>(points, choice.wide, out, entry);
    default: return false;
  }
}

bool encode_block(const float* x, const Lattice& lattice, std::byte* out, Entry& entry) {
  Points16 points;
  return quantise_words(x, lattice, points) && encode_points(points, out, entry);
}

// Adds the points of a packed block; `most` tells whether a sum is too large for this path.
struct AddPoints {
  Points16& sum;
  __m256i most = _mm256_setzero_si256();

  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    auto* const place = reinterpret_cast<__m256i*>(sum.q + i);
    const __m256i v = _mm256_adds_epi16(_mm256_load_si256(place), _mm512_cvtsepi32_epi16(q));
    most = _mm256_max_epu16(most, _mm256_abs_epi16(v));
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
  sum.before[30] = sum.before[31] = sum.q[0];
  return _mm256_cmpgt_epu16_mask(sink.most, _mm256_set1_epi16(largest_point16)) == 0;
}

// Rows of a packed block.
struct PackedRows {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE __m512i operator()(std::size_t g) { return next_narrow(h.low_planes(g), in, each_bit_reversed); }
  bool valid() const { return true; }
};

LACONIC_INLINE Halves next_halves(const GroupHead& h, std::size_t g, Source& in) {
  if (h.is_wide != 0) return next_words(h, g, in, each_bit_reversed);
  return widen(next_narrow(h.low_planes(g), in, each_bit_reversed));
}

// Words of a packed block.
struct PackedWords {
  const GroupHead& h;
  Source in;

  LACONIC_INLINE Halves operator()(std::size_t g) { return next_halves(h, g, in); }
  bool valid() const { return true; }
};

// Rows of a sum, if exact() in the end.  Keeps those that the order is chosen from.
template <class A, class B>
struct SumRows {
  LACONIC_INLINE SumRows(A& first_summand, B& second_summand) : a(first_summand), b(second_summand) {}

  LACONIC_INLINE __m512i operator()(std::size_t g) {
    const __m512i x = a(g);
    const __m512i y = b(g);
    const __m512i sum = _mm512_add_epi8(x, y);
    // off |= sum ^ saturated sum
    off = _mm512_ternarylogic_epi64(off, sum, _mm512_adds_epi8(x, y), 0xf6);
    first[g] = sum;
    if (g == 0) starts = _mm512_or_si512(x, y);
    return sum;
  }
  bool exact() const { return _mm512_test_epi8_mask(off, off) == 0; }
  // Residuals may be added in place of points only when the first ones are 0, as encoders write them.
  bool from_base() const { return (_mm512_testn_epi8_mask(starts, starts) >> 7 & 1) != 0; }

  A& a;
  B& b;
  __m512i starts;
  __m512i off = _mm512_setzero_si512();
  __m512i first[block_groups];
};

// Words of a sum; false where one needs more, or a block does not start at its base.
template <int order, class A, class B>
LACONIC_INLINE bool add_words(A& a, B& b, Words& sums) {
  __m512i off = _mm512_setzero_si512();
  for (std::size_t g = 0; g < block_groups; ++g) {
    const Halves x = a(g);
    const Halves y = b(g);
    if (order != 0 && g == 0 &&
        (_mm512_test_epi16_mask(x.first, x.first) | _mm512_test_epi16_mask(y.first, y.first)) >> 7 & 1)
      return false;
    const Halves sum = {_mm512_add_epi16(x.first, y.first), _mm512_add_epi16(x.second, y.second)};
    off = _mm512_ternarylogic_epi64(off, sum.first, _mm512_adds_epi16(x.first, y.first), 0xf6);
    off = _mm512_ternarylogic_epi64(off, sum.second, _mm512_adds_epi16(x.second, y.second), 0xf6);
    sums.store(g, sum);
  }
  return _mm512_test_epi8_mask(off, off) == 0;
}

// Whether encoding the points of a sum would choose the order that its residuals are in; `first` are those of the
// groups that decide, in order.
template <int order>
LACONIC_INLINE bool keeps_order(const Halves* first, std::int32_t base) {
  constexpr std::size_t count = 2 * sampled_groups;
  __m512i r[count];
  for (std::size_t v = 0; v < count; ++v)
    r[v] = _mm512_permutex2var_epi16(first[v / 2].first, load(words_of_halves[v % 2]), first[v / 2].second);
  Starts<order, true> starts;
  starts.find(r, count, base);
  __m512i points[2 * count];
  for (std::size_t v = 0; v < count; ++v)
    words_to_points<order>(r[v], starts.start(v), starts.slope(v), points + 2 * v);
  __m512i z0[4];
  __m512i z1[4];
  __m512i z2[4];
  for (int k = 0; k < 4; ++k) {
    const __m512i v = points[2 * k + 1];
    const __m512i v1 = _mm512_alignr_epi32(v, points[2 * k], 15);
    const __m512i v2 = _mm512_alignr_epi32(v, points[2 * k], 14);
    const __m512i d = _mm512_sub_epi32(v, v1);
    z0[k] = zigzag16(v);
    z1[k] = zigzag16(d);
    z2[k] = zigzag16(_mm512_sub_epi32(d, _mm512_sub_epi32(v1, v2)));
  }
  const unsigned width0 = width_of_four(z0);
  const unsigned width1 = width_of_four(z1);
  const unsigned width2 = width_of_four(z2);
  if (order == 2) return width2 < width0 && width2 < width1;
  if (width2 < width0 && width2 < width1) return false;
  return (width1 < width0) == (order == 1);
}

std::int32_t sum_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

template <int order, class A, class B>
LACONIC_INLINE bool put_sum_of_rows(A& a, B& b, std::int32_t base, std::byte* out, Entry& entry) {
  SumRows<A, B> sum(a, b);
  Output o;
  o.narrow(sum, block_groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  const Halves first[sampled_groups] = {widen(sum.first[0]), widen(sum.first[1])};
  if (!keeps_order<order>(first, base)) return false;
  entry = o.finish(order, base, out, block_groups);
  return true;
}

template <int order, class A, class B>
LACONIC_INLINE bool put_sum_of_words(A& a, B& b, std::int32_t base, std::byte* out, Entry& entry) {
  Words sums;
  if (!add_words<order>(a, b, sums) || !a.valid() || !b.valid()) return false;
  Output o;
  o.words(sums, block_groups);
  const Halves first[sampled_groups] = {sums(0), sums(1)};
  if (!keeps_order<order>(first, base)) return false;
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
  GroupHead ha;
  GroupHead hb;
  if (!read_groups(a, block_values, ha) || !read_groups(b, block_values, hb)) return false;
  const Source source_a = source_of(ha.planes, a);
  const Source source_b = source_of(hb.planes, b);
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
  const Source source = source_of(h.planes, in);
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

// Points to numbers; `most` tells whether some point was too large for float32.
template <bool streaming>
struct ToFloats {
  __m512 step;
  float* x;
  __m512i most = _mm512_setzero_si512();

  LACONIC_INLINE void operator()(std::size_t i, __m512i q) {
    most = _mm512_or_si512(most, _mm512_abs_epi32(q));
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
  return _mm512_cmpge_epu32_mask(sink.most, _mm512_set1_epi32(largest_exact_single)) == 0;
}

bool decode_block(const Packed& in, double step, bool streaming, float* x) {
  if (!single_step(step)) return false;
  if (in.entry == zero_block) {
    for (std::size_t i = 0; i < block_values; i += 16) _mm512_storeu_ps(x + i, _mm512_setzero_ps());
    return true;
  }
  GroupHead h;
  if (!read_groups(in, block_values, h) || h.is_long) return false;
  const Source source = source_of(h.planes, in);
  const __m512 s = _mm512_set1_ps(static_cast<float>(step));
  // Stores past the caches pay only for whole cache lines: with shifted ones, whose ends are stored as usual, decoding
  // was slower than without any.
  const bool lines = reinterpret_cast<std::uintptr_t>(x) % sizeof(__m512) == 0;
  return streaming && lines ? decode_groups<true>(h, source, s, x) : decode_groups<false>(h, source, s, x);
}
