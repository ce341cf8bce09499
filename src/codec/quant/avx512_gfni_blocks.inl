// SPDX-License-Identifier: BSD-3-Clause
// Encoding of whole blocks of float32 numbers, and their sums, included inside the target region of avx512_gfni.cpp.
// Points, where they are needed at all, are words of 16 bits if they fit: residuals are added as residuals.

#include "codec/quant/avx512_gfni_large.inl"

template <std::size_t groups>
bool encode_block(const float* x, const Lattice& lattice, Staged& out) {
  Output& o = output_in(out);
  if (!starts_large(x, lattice)) {
    Points16 points;
    if (quantise_words<groups>(x, lattice, points) && encode_points<groups>(points, o)) return true;
  }
  Points points;
  if (!quantise_large<groups>(x, lattice, points)) return false;
  encode_large<groups>(points, false, o);
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

template <int order, std::size_t groups, class A, class B>
LACONIC_INLINE bool stage_sum_of_rows(A& a, B& b, std::int32_t base, Output& o) {
  __m512i bytes[sampled_groups];
  SumRows<A, B> sum(a, b, bytes);
  o.narrow(sum, groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  if (!keeps_order<order>(sampled(bytes), base)) return false;
  o.name(order, base);
  return true;
}

template <int order, std::size_t groups, class A, class B>
LACONIC_INLINE bool stage_sum_of_words(A& a, B& b, std::int32_t base, Output& o) {
  Pair first[sampled_groups];
  SumWords<A, B> sum(a, b, first);
  o.words(sum, groups);
  if (!a.valid() || !b.valid() || !sum.exact() || (order != 0 && !sum.from_base())) return false;
  if (!keeps_order<order>(sampled(first), base)) return false;
  o.name(order, base);
  return true;
}

// The matrices that shift a byte to the left by `up`, and to the right by 8 - up.
constexpr int most_up = 7;
struct ShiftMatrices {
  long long left[most_up + 1];
  long long right[most_up + 1];
};
constexpr ShiftMatrices make_shift_matrices() {
  ShiftMatrices t{};
  for (int up = 0; up <= most_up; ++up) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    // Byte 7 - i of a matrix selects the bits that make bit i.
    for (int i = 0; i < 8; ++i)
      (i >= up ? left : right) |= std::uint64_t{1} << (i - up + (i >= up ? 0 : 8)) << (8 * (7 - i));
    t.left[up] = static_cast<long long>(left);
    t.right[up] = static_cast<long long>(right);
  }
  return t;
}
constexpr ShiftMatrices shift_matrices = make_shift_matrices();

// The residuals of a summand times 2^up, to be used only if valid() is true at the end.
template <class Summand>
class Shifted {
 public:
  // up: at most most_up.
  LACONIC_INLINE Shifted(Summand& summand, int up)
      : r_(summand),
        left_(_mm512_set1_epi64(shift_matrices.left[up])),
        carry_(_mm512_set1_epi64(shift_matrices.right[up])),
        half_(_mm512_set1_epi8(static_cast<char>(0x80 >> up))),
        above_(_mm512_set1_epi8(static_cast<char>(~(0xff >> up)))),
        over_(_mm512_setzero_si512()) {}

  LACONIC_INLINE auto operator()(std::size_t g) { return shifted(r_(g)); }
  bool valid() const { return r_.valid() && _mm512_test_epi8_mask(over_, above_) == 0; }

 private:
  // Adds the bits that a signed byte loses at its top.
  LACONIC_INLINE void check(__m512i top) { over_ = _mm512_or_si512(over_, _mm512_add_epi8(top, half_)); }
  LACONIC_INLINE __m512i shifted(__m512i bytes) {
    check(bytes);
    return _mm512_gf2p8affine_epi64_epi8(bytes, left_, 0);
  }
  LACONIC_INLINE Pair shifted(const Pair& words) {
    check(words.high);
    return {_mm512_gf2p8affine_epi64_epi8(words.low, left_, 0),
            _mm512_or_si512(_mm512_gf2p8affine_epi64_epi8(words.high, left_, 0),
                            _mm512_gf2p8affine_epi64_epi8(words.low, carry_, 0))};
  }

  Summand& r_;
  __m512i left_;
  __m512i carry_;
  __m512i half_;
  __m512i above_;
  __m512i over_;
};

// Where a summand of a scaled block is shifted, and one of another block is not.
template <bool scaled, class Summand>
struct Lifted {
  Summand summand;
  LACONIC_INLINE Lifted(const Summand& s, int) : summand(s) {}
  LACONIC_INLINE Summand& residuals() { return summand; }
};
template <class Summand>
struct Lifted<true, Summand> {
  Summand summand;
  Shifted<Summand> shifted;
  LACONIC_INLINE Lifted(const Summand& s, int up) : summand(s), shifted(summand, up) {}
  LACONIC_INLINE Shifted<Summand>& residuals() { return shifted; }
};

// A packed block to be added, its points times 2^up.
struct Addend {
  GroupHead h;
  Source in;
  int up = 0;
  Tail tail;

  // False where the block is not valid.
  bool read(const Packed& packed, std::size_t groups, int times) {
    up = times;
    if (!read_groups(packed, groups * group_values, h)) return false;
    in = source_of(h.planes, packed, tail);
    return true;
  }
  std::int32_t base() const { return static_cast<std::int32_t>(static_cast<std::uint32_t>(h.base) << up); }

  // False where some point, times 2^up, may be larger than scaled::largest_addend.
  bool fits(std::size_t n) const {
    return scaled::fits_addend(h.order, h.base, h.widest(), n, up);
  }
};

template <int order, std::size_t groups, bool scaled>
bool add_order(const Addend& a, const Addend& b, Output& o) {
  const std::int32_t base = sum_of(a.base(), b.base());
  if (!a.h.is_full && !b.h.is_full) {
    Lifted<scaled, PackedRows> rows_a({a.h, a.in}, a.up);
    Lifted<scaled, PackedRows> rows_b({b.h, b.in}, b.up);
    if (stage_sum_of_rows<order, groups>(rows_a.residuals(), rows_b.residuals(), base, o)) return true;
  }
  Lifted<scaled, PackedWords> words_a({a.h, a.in}, a.up);
  Lifted<scaled, PackedWords> words_b({b.h, b.in}, b.up);
  return stage_sum_of_words<order, groups>(words_a.residuals(), words_b.residuals(), base, o);
}

template <std::size_t groups, bool scaled>
LACONIC_INLINE bool add_packed(const Packed& a, int up_a, const Packed& b, int up_b, Staged& out) {
  prefetch_packed(a);
  prefetch_packed(b);
  Addend first;
  Addend second;
  if (!first.read(a, groups, up_a) || !second.read(b, groups, up_b)) return false;
  if (scaled && !(first.fits(groups * group_values) && second.fits(groups * group_values))) return false;
  Output& o = output_in(out);
  bool done = false;
  if (first.h.order == second.h.order && !first.h.is_long && !second.h.is_long) switch (first.h.order) {
      case 0: done = add_order<0, groups, scaled>(first, second, o); break;
      case 1: done = add_order<1, groups, scaled>(first, second, o); break;
      default: done = add_order<2, groups, scaled>(first, second, o); break;
    }
  if (done) return true;
  // The blocks have different orders, the sum needs another order, or its residuals have more than 16 bits.
  Points sum;
  std::memset(sum.q, 0, sizeof sum.q);
  add_points<groups>(first.h, first.in, up_a, sum);
  add_points<groups>(second.h, second.in, up_b, sum);
  encode_large<groups>(sum, first.h.is_long || second.h.is_long, o);
  return true;
}
bool add_block(const Packed& a, const Packed& b, Staged& out) {
  return add_packed<block_groups, false>(a, 0, b, 0, out);
}

template <int order, std::size_t groups, bool scaled>
bool fold_order(const Addend& in, const Points16& own, int up, Output& o) {
  const std::int32_t base = sum_of(in.base(), own.q[0] * (1 << up));
  if (!in.h.is_full) {
    Lifted<scaled, OwnRows<order>> mine({own}, up);
    Lifted<scaled, PackedRows> theirs({in.h, in.in}, in.up);
    if (stage_sum_of_rows<order, groups>(mine.residuals(), theirs.residuals(), base, o)) return true;
  }
  Lifted<scaled, OwnWords<order>> mine({own}, up);
  Lifted<scaled, PackedWords> theirs({in.h, in.in}, in.up);
  return stage_sum_of_words<order, groups>(mine.residuals(), theirs.residuals(), base, o);
}

template <int order, std::size_t groups, bool scaled>
bool fold_order(const Addend& in, const Points& own, int up, Output& o) {
  const auto first = static_cast<std::int32_t>(static_cast<std::uint32_t>(own.q[0]) << up);
  Lifted<scaled, LargeWords<order>> mine({own}, up);
  Lifted<scaled, PackedWords> theirs({in.h, in.in}, in.up);
  return stage_sum_of_words<order, groups>(mine.residuals(), theirs.residuals(), sum_of(in.base(), first), o);
}

// Folds points of either kind as residuals; false where the sum does not fit or needs another order.
template <std::size_t groups, bool scaled, class AnyPoints>
bool fold_residuals(const Addend& in, const AnyPoints& own, int up, Output& o) {
  if (in.h.is_long) return false;
  switch (in.h.order) {
    case 0: return fold_order<0, groups, scaled>(in, own, up, o);
    case 1: return fold_order<1, groups, scaled>(in, own, up, o);
    default: return fold_order<2, groups, scaled>(in, own, up, o);
  }
}

template <std::size_t groups, bool scaled>
LACONIC_INLINE bool fold_packed(const Packed& packed, int up_packed, const float* x, const Lattice& lattice, int up,
                                Staged& out) {
  Addend in;
  if (!in.read(packed, groups, up_packed) || (scaled && !in.fits(groups * group_values))) return false;
  Output& o = output_in(out);
  Points sum;
  Points16 own;
  if (!starts_large(x, lattice) && quantise_words<groups>(x, lattice, own)) {
    if (fold_residuals<groups, scaled>(in, own, up, o)) return true;
    to_points<groups>(own, sum);
  } else if (std::ldexp(lattice.largest, up) > scaled::largest_addend && scaled) {
    return false;
  } else if (!quantise_large<groups>(x, lattice, sum)) {
    return false;
  } else if (fold_residuals<groups, scaled>(in, sum, up, o)) {
    return true;
  }
  if (up > 0) shift_points(sum, groups * group_values, up);
  add_points<groups>(in.h, in.in, up_packed, sum);
  encode_large<groups>(sum, in.h.is_long, o);
  return true;
}
bool fold_block(const Packed& in, const float* x, const Lattice& lattice, Staged& out) {
  return fold_packed<block_groups, false>(in, 0, x, lattice, 0, out);
}

// Blocks of scaled frames.
constexpr std::size_t scaled_groups = scaled::values / group_values;

bool add_scaled(const Packed& a, int up_a, const Packed& b, int up_b, Staged& out) {
  return up_a <= most_up && up_b <= most_up && add_packed<scaled_groups, true>(a, up_a, b, up_b, out);
}
bool fold_scaled(const Packed& in, int up_in, const float* x, const Lattice& lattice, int up, Staged& out) {
  return up_in <= most_up && up <= most_up && fold_packed<scaled_groups, true>(in, up_in, x, lattice, up, out);
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

template <bool streaming, std::size_t groups>
LACONIC_INLINE bool decode_groups(const GroupHead& h, Source in, __m512 step, float* x) {
  ToFloats<streaming> sink{step, x};
  switch (h.order) {
    case 0: block_to_points<0>(h, in, groups, sink); break;
    case 1: block_to_points<1>(h, in, groups, sink); break;
    default: block_to_points<2>(h, in, groups, sink); break;
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

template <std::size_t groups>
bool decode_block(const Packed& in, double step, bool streaming, float* x) {
  if (!single_step(step)) return false;
  if (in.entry == zero_block) {
    for (std::size_t i = 0; i < groups * group_values; i += 16) _mm512_storeu_ps(x + i, _mm512_setzero_ps());
    return true;
  }
  GroupHead h;
  if (!read_groups(in, groups * group_values, h) || h.is_long) return false;
  Tail tail;
  const Source source = source_of(h.planes, in, tail);
  const __m512 s = _mm512_set1_ps(static_cast<float>(step));
  if (!streaming) return decode_groups<false, groups>(h, source, s, x);
  // Stores past the caches pay only for whole cache lines: with shifted ones, whose ends are stored as usual, decoding
  // was slower than without any.
  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(__m512) == 0) return decode_groups<true, groups>(h, source, s, x);
  prefetch_place(x);
  return decode_groups<false, groups>(h, source, s, x);
}
