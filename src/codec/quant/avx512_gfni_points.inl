// Packing and unpacking 32-bit points, included inside the target region of avx512_gfni.cpp.

template <int order>
__m512i differences16(const std::int32_t* q) {
  const __m512i v = _mm512_load_si512(q);
  if constexpr (order == 0) return v;
  const __m512i v1 = _mm512_loadu_si512(q - 1);
  const __m512i first = _mm512_sub_epi32(v, v1);
  if constexpr (order == 1) return first;
  return _mm512_sub_epi32(first, _mm512_sub_epi32(v1, _mm512_loadu_si512(q - 2)));
}

template <int order>
LACONIC_INLINE void put_points_group(Output& out, std::size_t g, const std::int32_t* q, std::byte*& at) {
  __m512i r[4];
  __m512i beyond_word = _mm512_setzero_si512();
  for (int k = 0; k < 4; ++k) {
    r[k] = differences16<order>(q + 16 * k);
    beyond_word = _mm512_or_si512(beyond_word, _mm512_add_epi32(r[k], _mm512_set1_epi32(1 << 15)));
  }
  if (_mm512_test_epi32_mask(beyond_word, _mm512_set1_epi32(~0xffff)) != 0) {
    out.put_long_group(g, r, at);
    return;
  }
  const __m512i in_order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  const __m512i r0 = _mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(r[0], r[1]));
  const __m512i r1 = _mm512_permutexvar_epi64(in_order, _mm512_packs_epi32(r[2], r[3]));
  if (fit_bytes(r0, r1))
    out.put_narrow_group(g, _mm512_permutex2var_epi8(r0, load(rows_of_words), r1), at);
  else
    out.put_wide_group(g, halves_of_words(r0, r1), at);
}

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  Output o(out, order, true);
  std::byte* at = o.begin();
  const std::size_t groups = (subs + group_subs - 1) / group_subs;
  for (std::size_t g = 0; g < groups; ++g) put_points_group<order>(o, g, points.q + g * group_values, at);
  return o.finish(points.q[0], at);
}

// What comes before the next residual.
struct Before {
  __m512i last;        // point, in every lane
  __m512i difference;  // order 2: of the last two points
};

// Sums of each lane and those before it.
LACONIC_INLINE __m512i prefix_lanes(__m512i r) {
  const __m512i zero = _mm512_setzero_si512();
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 15));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 14));
  r = _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 12));
  return _mm512_add_epi32(r, _mm512_alignr_epi32(r, zero, 8));
}
LACONIC_INLINE __m512i last_lane(__m512i v) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), v); }

// Prefix sums over runs of residuals, one run to a 32-bit lane: four bytes, or two words.  Sums inside a run come from
// one instruction per position, on top of what went before the run.
template <bool words>
LACONIC_INLINE __m512i add_run(__m512i before, std::uint32_t weights, __m512i r) {
  const __m512i w = _mm512_set1_epi32(static_cast<int>(weights));
  if constexpr (words) return _mm512_dpwssd_epi32(before, w, r);
  return _mm512_dpbusd_epi32(before, w, r);
}

// Points at every position of the runs in r, p[position]; `places` puts the runs where the transposes that follow want
// them.
template <int order, bool words>
LACONIC_INLINE void run_to_points(__m512i r, __m512i places, Before& before, __m512i* p) {
  static_assert(order == 1 || order == 2);
  const __m512i zero = _mm512_setzero_si512();
  constexpr std::uint32_t all = words ? 0x00010001 : 0x01010101;
  // Weights of the residuals in the sum of a run's first 1, 2, ... differences.
  constexpr std::uint32_t once[4] = {0x00000001, words ? 0x00010001 : 0x00000101, 0x00010101, 0x01010101};
  constexpr std::uint32_t twice[4] = {0x00000001, words ? 0x00010002 : 0x00000102, 0x00010203, 0x01020304};
  constexpr int positions = words ? 2 : 4;
  const __m512i runs = add_run<words>(zero, all, r);
  const __m512i sums = prefix_lanes(runs);
  if constexpr (order == 1) {
    const __m512i start = _mm512_add_epi32(_mm512_sub_epi32(sums, runs), before.last);
    before.last = _mm512_add_epi32(before.last, last_lane(sums));
    r = _mm512_permutexvar_epi32(places, r);
    const __m512i s = _mm512_permutexvar_epi32(places, start);
    for (int k = 0; k < positions; ++k) p[k] = add_run<words>(s, once[k], r);
  } else {
    // The difference before each run, and from it by how much the point moves over the run.
    const __m512i slope = _mm512_add_epi32(_mm512_sub_epi32(sums, runs), before.difference);
    before.difference = _mm512_add_epi32(before.difference, last_lane(sums));
    const __m512i moves = add_run<words>(_mm512_slli_epi32(slope, words ? 1 : 2), twice[positions - 1], r);
    const __m512i points = prefix_lanes(moves);
    __m512i s = _mm512_add_epi32(_mm512_sub_epi32(points, moves), before.last);
    before.last = _mm512_add_epi32(before.last, last_lane(points));
    r = _mm512_permutexvar_epi32(places, r);
    s = _mm512_permutexvar_epi32(places, s);
    const __m512i d = _mm512_permutexvar_epi32(places, slope);
    for (int k = 0; k < positions; ++k) {
      s = _mm512_add_epi32(s, d);
      p[k] = add_run<words>(s, twice[k], r);
    }
  }
}

// 64 residuals as bytes to points.
template <int order>
LACONIC_INLINE void bytes_to_points(__m512i r, Before& before, std::int32_t* q) {
  if constexpr (order == 0) {
    for (int k = 0; k < 4; ++k) {
      const __m128i part = k == 0   ? _mm512_castsi512_si128(r)
                           : k == 1 ? _mm512_extracti32x4_epi32(r, 1)
                           : k == 2 ? _mm512_extracti32x4_epi32(r, 2)
                                    : _mm512_extracti32x4_epi32(r, 3);
      _mm512_store_si512(q + 16 * k, _mm512_cvtepi8_epi32(part));
    }
  } else {
    // Run 4m + l goes to place 4l + m: then the 4x4 transposes leave the values in order.
    const __m512i places = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i p[4];
    run_to_points<order, false>(r, places, before, p);
    const __m512i a = _mm512_unpacklo_epi32(p[0], p[1]);
    const __m512i b = _mm512_unpackhi_epi32(p[0], p[1]);
    const __m512i c = _mm512_unpacklo_epi32(p[2], p[3]);
    const __m512i d = _mm512_unpackhi_epi32(p[2], p[3]);
    _mm512_store_si512(q, _mm512_unpacklo_epi64(a, c));
    _mm512_store_si512(q + 16, _mm512_unpackhi_epi64(a, c));
    _mm512_store_si512(q + 32, _mm512_unpacklo_epi64(b, d));
    _mm512_store_si512(q + 48, _mm512_unpackhi_epi64(b, d));
  }
}

// 32 residuals as words to points.
template <int order>
LACONIC_INLINE void words_to_points(__m512i r, Before& before, __m512i& q0, __m512i& q1) {
  if constexpr (order == 0) {
    q0 = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(r));
    q1 = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(r, 1));
  } else {
    const __m512i places = _mm512_setr_epi32(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    __m512i p[2];
    run_to_points<order, true>(r, places, before, p);
    q0 = _mm512_unpacklo_epi32(p[0], p[1]);
    q1 = _mm512_unpackhi_epi32(p[0], p[1]);
  }
}

// 16 residuals to points.
template <int order>
LACONIC_INLINE void put_points(__m512i r, Before& before, std::int32_t* q) {
  if constexpr (order == 2) r = prefix16(r, before.difference);
  if constexpr (order != 0) r = prefix16(r, before.last);
  _mm512_store_si512(q, r);
}

// Points of one group.
template <int order>
LACONIC_INLINE void group_to_points(const GroupHead& h, std::size_t g, Source& in, Before& before,
                     std::int32_t* q) {
  if (!h.wide_group(g)) {
    bytes_to_points<order>(next_narrow(h.low_planes(g), in, each_bit), before, q);
    return;
  }
  if (h.is_long && h.long_group(g)) {
    Planes planes[group_subs];
    for (std::size_t k = 0; k < group_subs; ++k) planes[k] = planes_of_code(h.codes[g * group_subs + k], true);
    __m512i r[group_subs];
    in.at = unpack_group(in.at, planes, r);
    for (std::size_t k = 0; k < group_subs; ++k) put_points<order>(r[k], before, q + k * sub_values);
    return;
  }
  const Halves r = next_wide(h.low_planes(g), h.high_planes(g), in, each_bit);
  __m512i p[4];
  words_to_points<order>(_mm512_permutex2var_epi64(r.first, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), r.second),
                         before, p[0], p[1]);
  words_to_points<order>(_mm512_permutex2var_epi64(r.first, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), r.second),
                         before, p[2], p[3]);
  for (int k = 0; k < 4; ++k) _mm512_store_si512(q + 16 * k, p[k]);
}

// Points of the first `groups` groups.
template <int order>
void groups_to_points(const GroupHead& h, Source in, std::size_t groups, Points& points) {
  Before before{_mm512_set1_epi32(h.base), _mm512_setzero_si512()};
  for (std::size_t g = 0; g < groups; ++g)
    group_to_points<order>(h, g, in, before, points.q + g * group_values);
}
void groups_to_points(const GroupHead& h, const Packed& block, std::size_t groups, Points& points) {
  const Source in = source_of(h.planes, block);
  switch (h.order) {
    case 0: return groups_to_points<0>(h, in, groups, points);
    case 1: return groups_to_points<1>(h, in, groups, points);
    default: return groups_to_points<2>(h, in, groups, points);
  }
}

bool unpack(const Packed& in, std::size_t n, Points& points) {
  GroupHead h;
  if (!read_groups(in, n, h)) return false;
  groups_to_points(h, in, (subs_of(n) + group_subs - 1) / group_subs, points);
  return true;
}
