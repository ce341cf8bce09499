// SPDX-License-Identifier: BSD-3-Clause
// Predictions and residuals, 8 points at a time.

__m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
void store(void* p, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
__m256i minus(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
__m256i plus(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
__m256i zigzag(__m256i r) { return _mm256_xor_si256(_mm256_slli_epi32(r, 1), _mm256_srai_epi32(r, 31)); }
__m256i unzigzag(__m256i z) {
  const __m256i sign = minus(_mm256_setzero_si256(), _mm256_and_si256(z, _mm256_set1_epi32(1)));
  return _mm256_xor_si256(_mm256_srli_epi32(z, 1), sign);
}

std::uint32_t sum_of(__m256i v) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sum));
}

// The number of bits of words.  It is read from the exponent of the word as a float, which is that of a greater power
// of two unless the bit 8 places below the highest one is cleared.
__m256i widths(__m256i z) {
  const __m256i kept = _mm256_andnot_si256(_mm256_srli_epi32(z, 8), z);
  const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(kept)), 23);
  // 0 has the exponent 0.  Where the highest bit is set, the float is negative, and its sign is above the exponent.
  const __m256i unused = _mm256_min_epi16(_mm256_subs_epu16(_mm256_set1_epi32(158), exponent), _mm256_set1_epi32(32));
  return minus(_mm256_set1_epi32(32), unused);
}

// A faster way for the widths of small zigzagged residuals r: r + 1/4 is (z + 1/2) / 2, apart from its sign.  The
// results are greater by 125.
constexpr std::int32_t largest_small = (1 << 19) - 1;  // points up to this one have residuals below 2^21
constexpr std::uint32_t small_bias = 125;
__m256i biased_widths(__m256i r) {
  const __m256 v = _mm256_add_ps(_mm256_cvtepi32_ps(r), _mm256_set1_ps(0.25F));
  return _mm256_srli_epi32(_mm256_slli_epi32(_mm256_castps_si256(v), 1), 24);
}

template <bool small>
__m256i widths_of_residuals(__m256i r) {
  if constexpr (small) return biased_widths(r);
  return widths(zigzag(r));
}

__m256i magnitudes(__m256i q) { return _mm256_xor_si256(q, _mm256_srai_epi32(q, 31)); }
bool all_small(__m256i any) { return _mm256_testz_si256(any, _mm256_set1_epi32(~largest_small)) != 0; }

// Whether all points from q on are small; some more may be looked at.
bool are_small(const std::int32_t* q, std::size_t n) {
  __m256i any = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n; i += 8) any = _mm256_or_si256(any, magnitudes(load(q + i)));
  return all_small(any);
}

// Lags are scored 8 at a time; points further back are in lower lanes.
template <bool small>
void score_all_as(const std::int32_t* q, const Probes& probes, std::size_t reach, std::uint32_t* scores) {
  const __m256i reverse = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  const __m256i bias = _mm256_set1_epi32(small ? static_cast<int>(small_bias * few) : 0);
  __m256i differences[few];
  for (std::size_t k = 0; k < few; ++k) differences[k] = _mm256_set1_epi32(static_cast<int>(difference(q, probes[k])));
  // There may be no points before the greatest lag, so the last vector overlaps the one before it.
  for (std::size_t next = least_lag; next <= reach; next += 8) {
    const std::size_t lag = std::min(next, reach - 7);
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t k = 0; k < few; ++k) {
      const std::int32_t* p = q + probes[k] - lag - 7;
      sum = plus(sum, widths_of_residuals<small>(minus(differences[k], minus(load(p), load(p - 1)))));
    }
    store(scores + lag, _mm256_permutevar8x32_epi32(minus(sum, bias), reverse));
  }
}

void score_all(const std::int32_t* q, const Probes& probes, std::size_t reach, std::uint32_t* scores) {
  const std::size_t end = *std::max_element(probes.begin(), probes.end()) + 1;
  const std::size_t whole = end / 8 * 8;
  const bool small = are_small(q, whole) && are_small(q + end - 8, 8);
  if (small)
    score_all_as<true>(q, probes, reach, scores);
  else
    score_all_as<false>(q, probes, reach, scores);
}

std::uint32_t score_window(const std::int32_t* q, std::size_t p, std::size_t lag) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = p; i < p + window; i += 8) {
    const __m256i here = minus(load(q + i), load(q + i - 1));
    const __m256i above = minus(load(q + i - lag), load(q + i - lag - 1));
    sum = plus(sum, widths(zigzag(minus(here, above))));
  }
  return sum_of(sum);
}

struct Scores {
  static constexpr auto all = score_all;
  static constexpr auto window = score_window;
};
std::size_t find_lag(const std::int32_t* q, std::size_t n) { return best_lag<Scores>(q, n); }

template <Predictor predictor>
__m256i residual(const std::int32_t* q, std::size_t lag) {
  const __m256i here = load(q);
  if constexpr (predictor == Predictor::none) return here;
  if constexpr (predictor == Predictor::above) return minus(here, load(q - lag));
  const __m256i before = load(q - 1);
  const __m256i change = minus(here, before);
  if constexpr (predictor == Predictor::line) return minus(change, minus(before, load(q - 2)));
  if constexpr (predictor == Predictor::above_line) return minus(change, minus(load(q - lag), load(q - lag - 1)));
  return change;
}

template <Predictor predictor>
void residuals(const std::int32_t* q, std::size_t n, std::size_t lag, std::uint32_t* z) {
  for (std::size_t i = 0; i < block_values; i += 8) store(z + i, zigzag(residual<predictor>(q + i, lag)));
  std::memset(z + n, 0, (block_values - n) * sizeof *z);
}

// The lanes of 8 points of which the first `left` are inside of the block.
__m256i inside(std::size_t left) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(std::min<std::size_t>(left, 8))), lanes);
}

template <bool small>
void add_widths(__m256i& sum, __m256i r, __m256i mask) {
  sum = plus(sum, widths_of_residuals<small>(_mm256_and_si256(r, mask)));
}

// The sums of the widths for each predictor; all have the same bias.
template <bool with_lag, bool small>
void sum_widths(const std::int32_t* q, std::size_t n, std::size_t lag, std::uint32_t* sums) {
  constexpr unsigned count = with_lag ? predictors : predictors_without_lag;
  __m256i sum[count];
  for (__m256i& s : sum) s = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n; i += 8) {
    const __m256i mask = inside(n - i);
    const __m256i here = load(q + i);
    const __m256i before = load(q + i - 1);
    const __m256i change = minus(here, before);
    add_widths<small>(sum[0], here, mask);
    add_widths<small>(sum[1], change, mask);
    add_widths<small>(sum[2], minus(change, minus(before, load(q + i - 2))), mask);
    if constexpr (with_lag) {
      const __m256i above = load(q + i - lag);
      add_widths<small>(sum[3], minus(here, above), mask);
      add_widths<small>(sum[4], minus(change, minus(above, load(q + i - lag - 1))), mask);
    }
  }
  for (unsigned k = 0; k < count; ++k) sums[k] = sum_of(sum[k]);
}

template <bool with_lag>
Predictor best_predictor(const std::int32_t* q, std::size_t n, std::size_t lag) {
  const bool small = are_small(q - 8, n + 8) && (!with_lag || are_small(q - lag - 1, n + 1));
  std::uint32_t sums[predictors];
  if (small)
    sum_widths<with_lag, true>(q, n, lag, sums);
  else
    sum_widths<with_lag, false>(q, n, lag, sums);
  unsigned best = 0;
  for (unsigned k = 1; k < (with_lag ? predictors : predictors_without_lag); ++k)
    if (sums[k] < sums[best]) best = k;
  return static_cast<Predictor>(best);
}

Predictor predict(const std::int32_t* q, std::size_t n, std::size_t lag, Residuals& out) {
  const Predictor best = lag > 0 ? best_predictor<true>(q, n, lag) : best_predictor<false>(q, n, lag);
  switch (best) {
    case Predictor::none: residuals<Predictor::none>(q, n, lag, out.z); break;
    case Predictor::last: residuals<Predictor::last>(q, n, lag, out.z); break;
    case Predictor::line: residuals<Predictor::line>(q, n, lag, out.z); break;
    case Predictor::above: residuals<Predictor::above>(q, n, lag, out.z); break;
    case Predictor::above_line: residuals<Predictor::above_line>(q, n, lag, out.z); break;
  }
  return best;
}

// Every lane becomes the sum of itself and the lanes before it.
__m256i prefix_sums(__m256i v) {
  v = plus(v, _mm256_slli_si256(v, 4));
  v = plus(v, _mm256_slli_si256(v, 8));
  // The last lane of the lower half is added to the upper half.
  const __m256i low = _mm256_permute2x128_si256(v, v, 0x08);
  return plus(v, _mm256_shuffle_epi32(low, 0xff));
}
__m256i last_of(__m256i v) { return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7)); }

// A lag is at least 16, so that a vector needs no point of itself.
template <Predictor predictor>
void restore_as(const std::uint32_t* z, std::size_t n, std::size_t lag, std::int32_t* q) {
  constexpr bool sums = predictor != Predictor::none && predictor != Predictor::above;
  __m256i last = _mm256_set1_epi32(q[-1]);
  __m256i slope = minus(last, _mm256_set1_epi32(q[-2]));
  const __m256i steps = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8);
  for (std::size_t i = 0; i < n; i += 8) {
    __m256i v = unzigzag(load(z + i));
    if constexpr (predictor == Predictor::above) v = plus(v, load(q + i - lag));
    if constexpr (predictor == Predictor::above_line) v = plus(v, minus(load(q + i - lag), load(q + i - lag - 1)));
    // Only the sums of a vector are added to those before it, which the next vector waits for.
    if constexpr (predictor == Predictor::line) {
      const __m256i changes = prefix_sums(v);
      const __m256i rises = prefix_sums(changes);
      v = plus(plus(rises, last), _mm256_mullo_epi32(slope, steps));
      last = plus(plus(last, last_of(rises)), _mm256_slli_epi32(slope, 3));
      slope = plus(slope, last_of(changes));
    } else if constexpr (sums) {
      const __m256i rises = prefix_sums(v);
      v = plus(rises, last);
      last = plus(last, last_of(rises));
    }
    store(q + i, v);
  }
}

void restore(const std::uint32_t* z, std::size_t n, Predictor predictor, std::size_t lag, std::int32_t* q) {
  switch (predictor) {
    case Predictor::none: restore_as<Predictor::none>(z, n, lag, q); break;
    case Predictor::last: restore_as<Predictor::last>(z, n, lag, q); break;
    case Predictor::line: restore_as<Predictor::line>(z, n, lag, q); break;
    case Predictor::above: restore_as<Predictor::above>(z, n, lag, q); break;
    case Predictor::above_line: restore_as<Predictor::above_line>(z, n, lag, q); break;
  }
}
