// Whole blocks of float32 numbers and their sums, included inside the target region of avx512_gfni.cpp.  Points are words
// of 16 bits where they are needed at all: residuals are added as residuals.

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

// 32 residuals in order.  Those of order 2 saturate; `exact` becomes false where they did.
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
  if (zeros2 > zeros0 && zeros2 > zeros1) return {2, !fit_bytes(sa, sb)};
  return zeros1 > zeros0 ? Choice{1, !fit_bytes(da, db)} : Choice{0, !fit_bytes(a, b)};
}

LACONIC_INLINE void put_halves(Output& out, std::size_t g, const Halves& r, std::byte*& at) {
  if (fit_bytes(r.first, r.second))
    out.put_narrow_group(g, _mm512_packs_epi16(r.first, r.second), at);
  else
    out.put_wide_group(g, r, at);
}

template <int order>
bool encode_order(const Points16& points, bool wide, std::byte* out, Entry& entry) {
  Output o(out, order, wide);
  std::byte* at = o.begin();
  std::size_t g = 0;
  // Groups of bytes, up to the first that is none.
  for (; g < block_groups && !wide; ++g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if (!fit_bytes(r0, r1)) break;
    o.put_narrow_group(g, _mm512_permutex2var_epi8(r0, load(rows_of_words), r1), at);
  }
  for (; g < block_groups; ++g) {
    const std::int16_t* q = points.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if (order == 2 && saturated(r0, r1)) return false;
    put_halves(o, g, halves_of_words(r0, r1), at);
  }
  entry = o.finish(points.q[0], at);
  return true;
}

bool encode_block(const float* x, const Lattice& lattice, std::byte* out, Entry& entry) {
  Points16 points;
  if (!quantise_words(x, lattice, points)) return false;
  const Choice choice = best_order(points);
  switch (choice.order) {
    case 0: return encode_order<0>(points, choice.wide, out, entry);
    case 1: return encode_order<1>(points, choice.wide, out, entry);
    case 2: return encode_order<2>(points, choice.wide, out, entry);
    default: return false;
  }
}

LACONIC_INLINE Halves widen(__m512i rows) {
  return {_mm512_srai_epi16(_mm512_unpacklo_epi8(rows, rows), 8), _mm512_srai_epi16(_mm512_unpackhi_epi8(rows, rows), 8)};
}

LACONIC_INLINE Halves next_halves(const GroupHead& h, std::size_t g, Source& in) {
  if (h.wide_group(g)) return next_wide(h.low_planes(g), h.high_planes(g), in, each_bit_reversed);
  return widen(next_narrow(h.low_planes(g), in, each_bit_reversed));
}

// Residuals may be added in place of points only when the first one is 0, as encoders write it.
bool starts_at_base(const GroupHead& h, const Source& first) {
  if (h.order == 0) return true;
  Source in = first;
  const Halves r = next_halves(h, 0, in);
  return (_mm_cvtsi128_si32(_mm_srli_si128(_mm512_castsi512_si128(r.first), 14)) & 0xffff) == 0;
}

// a + b as rows of bytes; false where a sum needs more.
LACONIC_INLINE bool add_bytes(__m512i a, __m512i b, __m512i& sum) {
  sum = _mm512_add_epi8(a, b);
  return _mm512_cmpneq_epi8_mask(sum, _mm512_adds_epi8(a, b)) == 0;
}

// a + b; false where a sum needs more than 16 bits.
LACONIC_INLINE bool add_words(const Halves& a, const Halves& b, Halves& sum) {
  sum = {_mm512_add_epi16(a.first, b.first), _mm512_add_epi16(a.second, b.second)};
  return (_mm512_cmpneq_epi16_mask(sum.first, _mm512_adds_epi16(a.first, b.first)) |
          _mm512_cmpneq_epi16_mask(sum.second, _mm512_adds_epi16(a.second, b.second))) == 0;
}

// The order that a sum asks for, from the points of its first groups.
template <int order>
class Sample {
 public:
  // Group g of the sum.
  LACONIC_INLINE void add(std::size_t g, const Halves& sum) { groups_[g] = sum; }

  // Whether encoding the points would choose the order that the residuals are in.  To be asked when the block is done:
  // what it takes is a long chain, and the processor would wait for it with the groups that follow.
  LACONIC_INLINE bool keeps_order(std::int32_t base) const {
    Before before{_mm512_set1_epi32(base), _mm512_setzero_si512()};
    __m512i points[8];
    for (std::size_t part = 0; part < 4; ++part) {
      const Halves& h = groups_[part / 2];
      words_to_points<order>(_mm512_permutex2var_epi16(h.first, load(words_of_halves[part % 2]), h.second), before,
                             points[2 * part], points[2 * part + 1]);
    }
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

 private:
  Halves groups_[sampled_groups];
};

// Adds two blocks of one order, residual by residual.
template <int order>
bool add_order(const GroupHead& ha, const GroupHead& hb, Source a, Source b, std::byte* out, Entry& entry) {
  const bool wide = (ha.is_wide | hb.is_wide) != 0;
  Output o(out, order, wide);
  std::byte* at = o.begin();
  const auto base = static_cast<std::int32_t>(static_cast<std::uint32_t>(ha.base) + static_cast<std::uint32_t>(hb.base));
  Sample<order> sample;
  std::size_t g = 0;
  // Groups of bytes, up to the first sum that is none.
  Halves sum;
  for (; g < block_groups && !wide; ++g) {
    const Source here_a = a;
    const Source here_b = b;
    const __m512i rows_a = next_narrow(ha.low_planes(g), a, each_bit_reversed);
    const __m512i rows_b = next_narrow(hb.low_planes(g), b, each_bit_reversed);
    __m512i rows;
    if (!add_bytes(rows_a, rows_b, rows)) {
      a = here_a;
      b = here_b;
      break;
    }
    if (g < sampled_groups) sample.add(g, widen(rows));
    o.put_narrow_group(g, rows, at);
  }
  for (; g < block_groups; ++g) {
    if (!add_words(next_halves(ha, g, a), next_halves(hb, g, b), sum)) return false;
    if (g < sampled_groups) sample.add(g, sum);
    put_halves(o, g, sum, at);
  }
  if (!sample.keeps_order(base)) return false;
  entry = o.finish(base, at);
  return true;
}

bool add_block(const Packed& a, const Packed& b, std::byte* out, Entry& entry) {
  GroupHead ha;
  GroupHead hb;
  if (!read_groups(a, block_values, ha) || !read_groups(b, block_values, hb)) return false;
  const Source source_a = source_of(ha.planes, a);
  const Source source_b = source_of(hb.planes, b);
  if (ha.order != hb.order || ha.is_long || hb.is_long) return false;
  if (!starts_at_base(ha, source_a) || !starts_at_base(hb, source_b)) return false;
  switch (ha.order) {
    case 0: return add_order<0>(ha, hb, source_a, source_b, out, entry);
    case 1: return add_order<1>(ha, hb, source_a, source_b, out, entry);
    default: return add_order<2>(ha, hb, source_a, source_b, out, entry);
  }
}

// Adds own points to a block.
template <int order>
bool fold_order(const GroupHead& h, Source in, const Points16& own, std::byte* out, Entry& entry) {
  const bool wide = h.is_wide != 0;
  Output o(out, order, wide);
  std::byte* at = o.begin();
  const auto base = static_cast<std::int32_t>(static_cast<std::uint32_t>(h.base) + static_cast<std::uint32_t>(own.q[0]));
  Sample<order> sample;
  std::size_t g = 0;
  Halves sum;
  for (; g < block_groups && !wide; ++g) {
    const std::int16_t* q = own.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if (!fit_bytes(r0, r1)) break;
    const Source here = in;
    const __m512i theirs = next_narrow(h.low_planes(g), in, each_bit_reversed);
    __m512i rows;
    if (!add_bytes(_mm512_permutex2var_epi8(r0, load(rows_of_words), r1), theirs, rows)) {
      in = here;
      break;
    }
    if (g < sampled_groups) sample.add(g, widen(rows));
    o.put_narrow_group(g, rows, at);
  }
  for (; g < block_groups; ++g) {
    const std::int16_t* q = own.q + g * group_values;
    const __m512i r0 = residuals32<order>(q);
    const __m512i r1 = residuals32<order>(q + 32);
    if (order == 2 && saturated(r0, r1)) return false;
    if (!add_words(halves_of_words(r0, r1), next_halves(h, g, in), sum)) return false;
    if (g < sampled_groups) sample.add(g, sum);
    put_halves(o, g, sum, at);
  }
  if (!sample.keeps_order(base)) return false;
  entry = o.finish(base, at);
  return true;
}

bool fold_block(const Packed& in, const float* x, const Lattice& lattice, std::byte* out, Entry& entry) {
  GroupHead h;
  Points16 own;
  if (!read_groups(in, block_values, h) || h.is_long || !starts_at_base(h, source_of(h.planes, in)) || !quantise_words(x, lattice, own))
    return false;
  switch (h.order) {
    case 0: return fold_order<0>(h, source_of(h.planes, in), own, out, entry);
    case 1: return fold_order<1>(h, source_of(h.planes, in), own, out, entry);
    default: return fold_order<2>(h, source_of(h.planes, in), own, out, entry);
  }
}

// Every point is a float32 number.
bool all_exact_single(const Points& points) {
  __m512i most = _mm512_setzero_si512();
  for (std::size_t i = 0; i < block_values; i += 16) {
    const __m512i q = _mm512_load_si512(points.q + i);
    most = _mm512_or_si512(most, _mm512_xor_si512(q, _mm512_srai_epi32(q, 31)));
  }
  return _mm512_cmpge_epu32_mask(most, _mm512_set1_epi32(largest_exact_single)) == 0;
}

// Stores that go past the caches, between the ends of x that share a cache line with something else.
void stream_floats(const Points& points, __m512 step, float* x) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(x) / sizeof(float) % 16;
  const std::size_t head = (16 - misaligned) % 16;
  if (head != 0)
    _mm512_mask_storeu_ps(x, first16(head),
                          _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(points.q)), step));
  std::size_t i = head;
  for (; i + 16 <= block_values; i += 16)
    _mm512_stream_ps(x + i, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(points.q + i)), step));
  if (i < block_values)
    _mm512_mask_storeu_ps(x + i, first16(block_values - i),
                          _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(first16(block_values - i), points.q + i)), step));
}

void settle() { _mm_sfence(); }

bool decode_block(const Packed& in, double step, bool streaming, float* x) {
  if (!single_step(step)) return false;
  const __m512 s = _mm512_set1_ps(static_cast<float>(step));
  Points points;
  if (in.entry == zero_block) {
    std::memset(points.q, 0, sizeof points.q);
  } else {
    GroupHead h;
    if (!read_groups(in, block_values, h)) return false;
    groups_to_points(h, in, block_groups, points);
    // Bytes of orders 0 and 1 cannot lead far from the base.
    constexpr std::int32_t near = largest_exact_single - static_cast<std::int32_t>(block_values) * 128;
    const bool small = h.is_wide == 0 && h.order < 2 && h.base < near && h.base > -near;
    if (!small && !all_exact_single(points)) return false;
  }
  if (streaming && reinterpret_cast<std::uintptr_t>(x) % sizeof(float) == 0) {
    stream_floats(points, s, x);
    return true;
  }
  for (std::size_t i = 0; i < block_values; i += 16)
    _mm512_storeu_ps(x + i, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(points.q + i)), s));
  return true;
}
