// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking 32-bit points, included inside the target region of avx512_gfni.cpp.

#include "codec/quant/avx512_gfni_output.inl"

template <int order>
LACONIC_INLINE __m512i differences16(const std::int32_t* q) {
  const __m512i v = _mm512_load_si512(q);
  if constexpr (order == 0) return v;
  const __m512i v1 = _mm512_loadu_si512(q - 1);
  const __m512i first = _mm512_sub_epi32(v, v1);
  if constexpr (order == 1) return first;
  return _mm512_sub_epi32(first, _mm512_sub_epi32(v1, _mm512_loadu_si512(q - 2)));
}

// A saturated residual is the largest or the smallest word.  Treating the few genuine residuals with these values as
// saturated is safe.
LACONIC_INLINE bool saturated(__m512i most, __m512i least) {
  return (_mm512_cmpeq_epi16_mask(most, _mm512_set1_epi16(32767)) |
          _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(-32768))) != 0;
}

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

// The zigzags of the residuals of points, of any width.
template <int order>
struct LongRows {
  const Points& points;

  LACONIC_INLINE Quad operator()(std::size_t g) const {
    __m512i z[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k)
      z[k] = residuals16<order>(points.q + g * group_values + k * sub_values);
    return rows_of_longs(z);
  }
};

// Takes points whose residuals are likely to have up to 16 bits, or more.
template <int order>
void take_points(const Points& points, std::size_t groups, bool likely_long, Output& o) {
  LargeWords<order> words{points};
  if (!likely_long) o.words(words, groups);
  if (likely_long || !words.valid()) {
    LongRows<order> longs{points};
    o.longs(longs, groups);
  }
  o.name(order, points.q[0]);
}

// Four sub-blocks of 16 bits have widths of 64.
constexpr bool likely_long(unsigned width_of_sample) { return width_of_sample > 64; }

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  Output o;
  take_points<order>(points, groups, likely_long(sampled_width<order>(points, subs)), o);
  return o.finish(out, groups);
}

// The prefix sum of the lanes.
LACONIC_INLINE __m512i prefix_lanes(__m512i r) {
  const __m512i zero = _mm512_setzero_si512();
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 15));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 14));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 12));
  return _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 8));
}
LACONIC_INLINE __m512i last_lane(__m512i v) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v); }

// Residuals in runs of four, with a run in each 32-bit lane: four bytes, or two words and the next two in a second
// vector.
template <bool words>
struct Runs {
  __m512i parts[words ? 2 : 1];
};

// `before` plus the residuals of each run, each multiplied by its template argument.
template <int first, int second, int third, int fourth, bool words>
LACONIC_INLINE __m512i add_runs(__m512i before, const Runs<words>& r) {
  if constexpr (words) {
    if constexpr (first != 0) before = _mm512_dpwssd_epi32(before, _mm512_set1_epi32(first | second << 16), r.parts[0]);
    if constexpr (third != 0) before = _mm512_dpwssd_epi32(before, _mm512_set1_epi32(third | fourth << 16), r.parts[1]);
    return before;
  } else {
    const int weights = first | second << 8 | third << 16 | fourth << 24;
    return _mm512_dpbusd_epi32(before, _mm512_set1_epi32(weights), r.parts[0]);
  }
}
template <bool words>
LACONIC_INLINE __m512i sums_of(const Runs<words>& r) {
  return add_runs<1, 1, 1, 1>(_mm512_setzero_si512(), r);
}
// The change of the point over each run, given the difference before the run.
template <bool words>
LACONIC_INLINE __m512i moves_of(const Runs<words>& r, __m512i slope) {
  return add_runs<4, 3, 2, 1>(_mm512_slli_epi32(slope, 2), r);
}

// The sum of all lanes before each lane, starting from `carry`.
LACONIC_INLINE __m512i before_each(__m512i moves, __m512i& carry) {
  const __m512i sums = prefix_lanes(moves);
  const __m512i start = _mm512_add_epi32(_mm512_sub_epi32(sums, moves), carry);
  carry = _mm512_add_epi32(carry, last_lane(sums));
  return start;
}

// The points at each position of the runs, computed from the point (and for order 2 the difference) before each run.
template <int order, bool words>
LACONIC_INLINE void points_of(const Runs<words>& r, __m512i start, __m512i slope, __m512i* p) {
  if constexpr (order == 1) {
    p[0] = add_runs<1, 0, 0, 0>(start, r);
    p[1] = add_runs<1, 1, 0, 0>(start, r);
    p[2] = words ? add_runs<0, 0, 1, 0>(p[1], r) : add_runs<1, 1, 1, 0>(start, r);
    p[3] = words ? add_runs<0, 0, 1, 1>(p[1], r) : add_runs<1, 1, 1, 1>(start, r);
  } else {
    p[0] = add_runs<1, 0, 0, 0>(start = _mm512_add_epi32(start, slope), r);
    p[1] = add_runs<2, 1, 0, 0>(start = _mm512_add_epi32(start, slope), r);
    p[2] = add_runs<3, 2, 1, 0>(start = _mm512_add_epi32(start, slope), r);
    p[3] = add_runs<4, 3, 2, 1>(_mm512_add_epi32(start, slope), r);
  }
}

// Converts 64 residuals of order 1 or 2 to points.
template <int order, bool words>
LACONIC_INLINE void runs_to_points(Runs<words> r, __m512i start, __m512i slope, __m512i* q) {
  // Run 4m + l goes to place 4l + m, so that the 4x4 transposes leave the values in order.
  const __m512i places = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (__m512i& part : r.parts) part = _mm512_permutexvar_epi32(places, part);
  start = _mm512_permutexvar_epi32(places, start);
  if constexpr (order == 2) slope = _mm512_permutexvar_epi32(places, slope);
  __m512i p[4];
  points_of<order>(r, start, slope, p);
  const __m512i a = _mm512_unpacklo_epi32(p[0], p[1]);
  const __m512i b = _mm512_unpackhi_epi32(p[0], p[1]);
  const __m512i c = _mm512_unpacklo_epi32(p[2], p[3]);
  const __m512i d = _mm512_unpackhi_epi32(p[2], p[3]);
  q[0] = _mm512_unpacklo_epi64(a, c);
  q[1] = _mm512_unpackhi_epi64(a, c);
  q[2] = _mm512_unpacklo_epi64(b, d);
  q[3] = _mm512_unpackhi_epi64(b, d);
}

// The points, and for order 2 the differences, before the runs of a block.
template <int order, bool words>
class Starts {
 public:
  LACONIC_INLINE void find(const Runs<words>* r, std::size_t groups, std::int32_t base) {
    __m512i last = _mm512_set1_epi32(base);
    if constexpr (order == 1) {
      for (std::size_t g = 0; g < groups; ++g) start_[g] = before_each(sums_of(r[g]), last);
    } else {
      __m512i difference = _mm512_setzero_si512();
      for (std::size_t g = 0; g < groups; ++g) slope_[g] = before_each(sums_of(r[g]), difference);
      for (std::size_t g = 0; g < groups; ++g) start_[g] = before_each(moves_of(r[g], slope_[g]), last);
    }
  }
  LACONIC_INLINE __m512i start(std::size_t g) const { return start_[g]; }
  LACONIC_INLINE __m512i slope(std::size_t g) const { return order == 2 ? slope_[g] : _mm512_setzero_si512(); }

 private:
  __m512i start_[block_groups];
  __m512i slope_[order == 2 ? block_groups : 1];
};

LACONIC_INLINE Runs<false> next_runs(const GroupHead& h, std::size_t g, Source& in, Runs<false>*) {
  return {{next_narrow(h.low_planes(g), in, each_bit)}};
}
LACONIC_INLINE Runs<true> next_runs(const GroupHead& h, std::size_t g, Source& in, Runs<true>*) {
  const Pair bytes = next_pair<Layout::runs>(h, g, in);
  const __m512i even = _mm512_unpacklo_epi8(bytes.low, bytes.high);
  const __m512i odd = _mm512_unpackhi_epi8(bytes.low, bytes.high);
  return {{_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)}};
}

// Works in passes; sink(i, q) takes points i .. i+15, after sink.before(start, slope) has received the values before
// their runs.
template <int order, bool words, class Sink>
LACONIC_INLINE void sums_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  Runs<words> r[block_groups];
  for (std::size_t g = 0; g < groups; ++g) r[g] = next_runs(h, g, in, r);
  Starts<order, words> starts;
  starts.find(r, groups, h.base);
  for (std::size_t g = 0; g < groups; ++g) {
    sink.before(starts.start(g), starts.slope(g));
    __m512i q[4];
    runs_to_points<order>(r[g], starts.start(g), starts.slope(g), q);
    for (std::size_t k = 0; k < 4; ++k) sink(g * group_values + 16 * k, q[k]);
  }
}

// The same for residuals of order 0.
template <class Sink>
LACONIC_INLINE void residuals_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t i = g * group_values;
    if (!h.is_wide) {
      const __m512i r = next_narrow(h.low_planes(g), in, each_bit);
      sink(i, _mm512_cvtepi8_epi32(_mm512_castsi512_si128(r)));
      sink(i + 16, _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 1)));
      sink(i + 32, _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 2)));
      sink(i + 48, _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 3)));
      continue;
    }
    const Pair bytes = next_pair<Layout::words>(h, g, in);
    const __m512i words[2] = {_mm512_unpacklo_epi8(bytes.low, bytes.high), _mm512_unpackhi_epi8(bytes.low, bytes.high)};
    for (std::size_t k = 0; k < 2; ++k) {
      sink(i + 32 * k, _mm512_cvtepi16_epi32(_mm512_castsi512_si256(words[k])));
      sink(i + 32 * k + 16, _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(words[k], 1)));
    }
  }
}

// Points of a block whose residuals have up to 16 bits.
template <int order, class Sink>
LACONIC_INLINE void block_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  if constexpr (order == 0)
    residuals_to_points(h, in, groups, sink);
  else if (!h.is_wide)
    sums_to_points<order, false>(h, in, groups, sink);
  else
    sums_to_points<order, true>(h, in, groups, sink);
}

// Points of any block, one group after the other.
template <int order, class Sink>
LACONIC_INLINE void longs_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  __m512i last = _mm512_set1_epi32(h.base);
  __m512i difference = _mm512_setzero_si512();
  for (std::size_t g = 0; g < groups; ++g) {
    __m512i r[group_subs];
    next_longs(h, g, in, r);
    for (std::size_t k = 0; k < group_subs; ++k) {
      if constexpr (order == 2) r[k] = prefix16(r[k], difference);
      if constexpr (order != 0) r[k] = prefix16(r[k], last);
      sink(g * group_values + k * sub_values, r[k]);
    }
  }
}

struct ToPoints {
  std::int32_t* q;
  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i points) const { _mm512_store_si512(q + i, points); }
};

template <int order, class Sink>
void any_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  if (h.is_long)
    longs_to_points<order>(h, in, groups, sink);
  else
    block_to_points<order>(h, in, groups, sink);
}

bool unpack(const Packed& in, std::size_t n, Points& points) {
  GroupHead h;
  if (!read_groups(in, n, h)) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  const std::size_t groups = (subs_of(n) + group_subs - 1) / group_subs;
  ToPoints sink{points.q};
  switch (h.order) {
    case 0: any_to_points<0>(h, source, groups, sink); break;
    case 1: any_to_points<1>(h, source, groups, sink); break;
    default: any_to_points<2>(h, source, groups, sink); break;
  }
  return true;
}
