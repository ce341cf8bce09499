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

// The residuals of a group; true when all have up to 16 bits.
template <int order>
LACONIC_INLINE bool residuals64(const std::int32_t* q, __m512i* r) {
  __m512i beyond = _mm512_setzero_si512();
  for (int k = 0; k < 4; ++k) {
    r[k] = differences16<order>(q + 16 * k);
    beyond = _mm512_or_si512(beyond, _mm512_add_epi32(r[k], _mm512_set1_epi32(1 << 15)));
  }
  return _mm512_test_epi32_mask(beyond, _mm512_set1_epi32(~0xffff)) == 0;
}

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  Words words;
  unsigned too_long = 0;
  __m512i r[4];
  for (std::size_t g = 0; g < groups; ++g) {
    if (!residuals64<order>(points.q + g * group_values, r)) {
      too_long |= 1u << g;
      words.store(g, {_mm512_setzero_si512(), _mm512_setzero_si512()});
      continue;
    }
    words.store(g, rows_of(_mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(r[0], r[1])),
                           _mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(r[2], r[3]))));
  }
  Output o;
  o.words(words, groups);
  o.name(order, points.q[0]);
  if (too_long == 0) return o.finish(out, groups);
  for (std::size_t g = 0; g < groups; ++g)
    if ((too_long >> g & 1) != 0) {
      residuals64<order>(points.q + g * group_values, r);
      o.long_group(g, r);
    }
  std::byte* at = o.head(out);
  for (std::size_t g = 0; g < groups; ++g) {
    if (!o.is_long(g)) {
      o.low_planes(g, at);
      o.high_planes(g, at);
      continue;
    }
    residuals64<order>(points.q + g * group_values, r);
    Planes planes[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k) {
      r[k] = zigzag16(r[k]);
      planes[k] = planes_of_code(code_of(bits16(r[k]), GroupKind::long_group), GroupKind::long_group);
    }
    at = pack_group(r, planes, at);
  }
  return o.entry(out, at);
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

struct ToPoints {
  std::int32_t* q;
  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i points) const { _mm512_store_si512(q + i, points); }
};

// Converts any residuals, one group after the other.
template <int order>
void long_block_to_points(const GroupHead& h, Source in, std::size_t groups, std::int32_t* q) {
  __m512i last = _mm512_set1_epi32(h.base);
  __m512i difference = _mm512_setzero_si512();
  for (std::size_t g = 0; g < groups; ++g) {
    Planes planes[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k)
      planes[k] = planes_of_code(h.codes[g * group_subs + k], h.kind_of_group(g));
    __m512i r[group_subs];
    in.at = unpack_group(in.at, planes, r);
    for (std::size_t k = 0; k < group_subs; ++k) {
      if constexpr (order == 2) r[k] = prefix16(r[k], difference);
      if constexpr (order != 0) r[k] = prefix16(r[k], last);
      _mm512_store_si512(q + g * group_values + k * sub_values, r[k]);
    }
  }
}

template <int order>
void unpack_order(const GroupHead& h, Source in, std::size_t groups, Points& points) {
  ToPoints sink{points.q};
  if (h.is_long)
    long_block_to_points<order>(h, in, groups, points.q);
  else
    block_to_points<order>(h, in, groups, sink);
}

bool unpack(const Packed& in, std::size_t n, Points& points) {
  GroupHead h;
  if (!read_groups(in, n, h)) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  const std::size_t groups = (subs_of(n) + group_subs - 1) / group_subs;
  switch (h.order) {
    case 0: unpack_order<0>(h, source, groups, points); break;
    case 1: unpack_order<1>(h, source, groups, points); break;
    default: unpack_order<2>(h, source, groups, points); break;
  }
  return true;
}
