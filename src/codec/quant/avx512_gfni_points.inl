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

// Residuals of a group; true when all have up to 16 bits.
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
  if (too_long == 0) return o.finish(order, points.q[0], out, groups);
  for (std::size_t g = 0; g < groups; ++g)
    if ((too_long >> g & 1) != 0) {
      residuals64<order>(points.q + g * group_values, r);
      o.long_group(g, r);
    }
  std::byte* at = o.head(order, points.q[0], out);
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
      planes[k] = planes_of_code(code_of(bits16(r[k]), true), true);
    }
    at = pack_group(r, planes, at);
  }
  return o.entry(at);
}

// Sums of each lane and those before it.
LACONIC_INLINE __m512i prefix_lanes(__m512i r) {
  const __m512i zero = _mm512_setzero_si512();
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 15));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 14));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 12));
  return _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 8));
}
LACONIC_INLINE __m512i last_lane(__m512i v) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v); }

// Sums over residuals in runs, one run to a 32-bit lane: four bytes, or two words.  What a run adds up to comes from
// one instruction.
template <bool words>
struct Runs {
  static constexpr int positions = words ? 2 : 4;
  // Weights of the residuals of a run in the sum of its first 1, 2, ... ones, and of their sums.
  static constexpr std::uint32_t once[4] = {0x00000001, words ? 0x00010001 : 0x00000101, 0x00010101, 0x01010101};
  static constexpr std::uint32_t twice[4] = {0x00000001, words ? 0x00010002 : 0x00000102, 0x00010203, 0x01020304};

  LACONIC_INLINE static __m512i add(__m512i before, std::uint32_t weights, __m512i r) {
    const __m512i w = _mm512_set1_epi32(static_cast<int>(weights));
    if constexpr (words) return _mm512_dpwssd_epi32(before, w, r);
    return _mm512_dpbusd_epi32(before, w, r);
  }

  // The sum before each run of what the runs add up to, from `carry` on.
  LACONIC_INLINE static __m512i before_each(__m512i moves, __m512i& carry) {
    const __m512i sums = prefix_lanes(moves);
    const __m512i start = _mm512_add_epi32(_mm512_sub_epi32(sums, moves), carry);
    carry = _mm512_add_epi32(carry, last_lane(sums));
    return start;
  }
  LACONIC_INLINE static __m512i first_sums(__m512i r, __m512i& carry) {
    return before_each(add(_mm512_setzero_si512(), once[positions - 1], r), carry);
  }
  // From the difference before each run: by how much the point moves over it.
  LACONIC_INLINE static __m512i second_sums(__m512i r, __m512i slope, __m512i& carry) {
    return before_each(add(_mm512_slli_epi32(slope, words ? 1 : 2), twice[positions - 1], r), carry);
  }

  // Points at each position, from the point (and for order 2 the difference) before each run.
  template <int order>
  LACONIC_INLINE static void points(__m512i r, __m512i start, __m512i slope, __m512i* p) {
    for (int k = 0; k < positions; ++k) {
      if constexpr (order == 2) start = _mm512_add_epi32(start, slope);
      p[k] = add(start, order == 2 ? twice[k] : once[k], r);
    }
  }
};

// 64 residuals as bytes in order, and what comes before each run, to points.
template <int order>
LACONIC_INLINE void bytes_to_points(__m512i r, __m512i start, __m512i slope, __m512i* q) {
  if constexpr (order == 0) {
    q[0] = _mm512_cvtepi8_epi32(_mm512_castsi512_si128(r));
    q[1] = _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 1));
    q[2] = _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 2));
    q[3] = _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32(r, 3));
  } else {
    // Run 4m + l goes to place 4l + m: then the 4x4 transposes leave the values in order.
    const __m512i places = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i p[4];
    r = _mm512_permutexvar_epi32(places, r);
    start = _mm512_permutexvar_epi32(places, start);
    if constexpr (order == 2) slope = _mm512_permutexvar_epi32(places, slope);
    Runs<false>::points<order>(r, start, slope, p);
    const __m512i a = _mm512_unpacklo_epi32(p[0], p[1]);
    const __m512i b = _mm512_unpackhi_epi32(p[0], p[1]);
    const __m512i c = _mm512_unpacklo_epi32(p[2], p[3]);
    const __m512i d = _mm512_unpackhi_epi32(p[2], p[3]);
    q[0] = _mm512_unpacklo_epi64(a, c);
    q[1] = _mm512_unpackhi_epi64(a, c);
    q[2] = _mm512_unpacklo_epi64(b, d);
    q[3] = _mm512_unpackhi_epi64(b, d);
  }
}

// The same of 32 words.
template <int order>
LACONIC_INLINE void words_to_points(__m512i r, __m512i start, __m512i slope, __m512i* q) {
  if constexpr (order == 0) {
    q[0] = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(r));
    q[1] = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(r, 1));
  } else {
    const __m512i places = _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    __m512i p[2];
    Runs<true>::points<order>(r, start, slope, p);
    for (__m512i& points : p) points = _mm512_permutexvar_epi32(places, points);
    q[0] = _mm512_unpacklo_epi32(p[0], p[1]);
    q[1] = _mm512_unpackhi_epi32(p[0], p[1]);
  }
}

// What comes before the runs of a block, as many vectors as its residuals are.
template <int order, bool words>
class Starts {
 public:
  static constexpr std::size_t vectors = block_groups * (words ? 2 : 1);

  LACONIC_INLINE void find(const __m512i* r, std::size_t count, std::int32_t base) {
    if constexpr (order == 0) return;
    __m512i last = _mm512_set1_epi32(base);
    if constexpr (order == 1) {
      for (std::size_t v = 0; v < count; ++v) start_[v] = Runs<words>::first_sums(r[v], last);
    } else {
      __m512i difference = _mm512_setzero_si512();
      for (std::size_t v = 0; v < count; ++v) slope_[v] = Runs<words>::first_sums(r[v], difference);
      for (std::size_t v = 0; v < count; ++v) start_[v] = Runs<words>::second_sums(r[v], slope_[v], last);
    }
  }
  LACONIC_INLINE __m512i start(std::size_t v) const { return order == 0 ? _mm512_setzero_si512() : start_[v]; }
  LACONIC_INLINE __m512i slope(std::size_t v) const { return order == 2 ? slope_[v] : _mm512_setzero_si512(); }

 private:
  __m512i start_[order == 0 ? 1 : vectors];
  __m512i slope_[order == 2 ? vectors : 1];
};

// Points of a block whose residuals have up to 16 bits, in passes; sink(i, q) takes points i .. i+15, after
// sink.before(start, slope) has seen what comes before their runs.
template <int order, class Sink>
LACONIC_INLINE void block_to_points(const GroupHead& h, Source in, std::size_t groups, Sink& sink) {
  if (h.is_wide == 0) {
    __m512i r[block_groups];
    for (std::size_t g = 0; g < groups; ++g) r[g] = next_narrow(h.low_planes(g), in, each_bit);
    Starts<order, false> starts;
    starts.find(r, groups, h.base);
    for (std::size_t g = 0; g < groups; ++g) {
      sink.before(starts.start(g), starts.slope(g));
      __m512i q[4];
      bytes_to_points<order>(r[g], starts.start(g), starts.slope(g), q);
      for (std::size_t k = 0; k < 4; ++k) sink(g * group_values + 16 * k, q[k]);
    }
    return;
  }
  __m512i r[2 * block_groups];
  for (std::size_t g = 0; g < groups; ++g) {
    const Pair bytes = next_pair<true>(h, g, in);
    r[2 * g] = _mm512_unpacklo_epi8(bytes.low, bytes.high);
    r[2 * g + 1] = _mm512_unpackhi_epi8(bytes.low, bytes.high);
  }
  Starts<order, true> starts;
  starts.find(r, 2 * groups, h.base);
  for (std::size_t v = 0; v < 2 * groups; ++v) {
    sink.before(starts.start(v), starts.slope(v));
    __m512i q[2];
    words_to_points<order>(r[v], starts.start(v), starts.slope(v), q);
    sink(32 * v, q[0]);
    sink(32 * v + 16, q[1]);
  }
}

struct ToPoints {
  std::int32_t* q;
  LACONIC_INLINE void before(__m512i, __m512i) const {}
  LACONIC_INLINE void operator()(std::size_t i, __m512i points) const { _mm512_store_si512(q + i, points); }
};

// Any residuals, one group after the other.
template <int order>
void long_block_to_points(const GroupHead& h, Source in, std::size_t groups, std::int32_t* q) {
  __m512i last = _mm512_set1_epi32(h.base);
  __m512i difference = _mm512_setzero_si512();
  for (std::size_t g = 0; g < groups; ++g) {
    Planes planes[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k)
      planes[k] = planes_of_code(h.codes[g * group_subs + k], h.wide_group(g));
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
