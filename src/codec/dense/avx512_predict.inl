// SPDX-License-Identifier: BSD-3-Clause
// Predictions and residuals, 16 points at a time.

__m512i load(const void* p) { return _mm512_loadu_si512(p); }
__m512i minus(__m512i a, __m512i b) { return _mm512_sub_epi32(a, b); }
__m512i zigzag(__m512i r) { return _mm512_xor_si512(_mm512_slli_epi32(r, 1), _mm512_srai_epi32(r, 31)); }
__m512i unzigzag(__m512i z) {
  const __m512i sign = minus(_mm512_setzero_si512(), _mm512_and_si512(z, _mm512_set1_epi32(1)));
  return _mm512_xor_si512(_mm512_srli_epi32(z, 1), sign);
}

// Lags are scored 16 at a time; points further back are in lower lanes.
void score_all(const std::int32_t* q, const Probes& probes, std::size_t reach, std::uint32_t* scores) {
  const __m512i reverse = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i differences[few];
  for (std::size_t k = 0; k < few; ++k) differences[k] = _mm512_set1_epi32(static_cast<int>(difference(q, probes[k])));
  // There may be no points before the greatest lag, so the last vector overlaps the one before it.
  for (std::size_t next = least_lag; next <= reach; next += 16) {
    const std::size_t lag = std::min(next, reach + 1 - fewest_lags);
    __m512i unused = _mm512_setzero_si512();
    for (std::size_t k = 0; k < few; ++k) {
      const std::int32_t* p = q + probes[k] - lag - 15;
      const __m512i residual = minus(differences[k], minus(load(p), load(p - 1)));
      unused = _mm512_add_epi32(unused, _mm512_lzcnt_epi32(zigzag(residual)));
    }
    const __m512i used = minus(_mm512_set1_epi32(32 * few), unused);
    _mm512_storeu_si512(scores + lag, _mm512_permutexvar_epi32(reverse, used));
  }
}

std::uint32_t score_window(const std::int32_t* q, std::size_t p, std::size_t lag) {
  const __m512i here = minus(load(q + p), load(q + p - 1));
  const __m512i above = minus(load(q + p - lag), load(q + p - lag - 1));
  const __m512i unused = _mm512_lzcnt_epi32(zigzag(minus(here, above)));
  return static_cast<std::uint32_t>(32 * window) - static_cast<std::uint32_t>(_mm512_reduce_add_epi32(unused));
}

struct Scores {
  static constexpr auto all = score_all;
  static constexpr auto window = score_window;
};
std::size_t find_lag(const std::int32_t* q, std::size_t n) { return best_lag<Scores>(q, n); }

template <Predictor predictor>
__m512i residual(const std::int32_t* q, std::size_t lag) {
  const __m512i here = load(q);
  if constexpr (predictor == Predictor::none) return here;
  if constexpr (predictor == Predictor::above) return minus(here, load(q - lag));
  const __m512i before = load(q - 1);
  const __m512i difference = minus(here, before);
  if constexpr (predictor == Predictor::line) return minus(difference, minus(before, load(q - 2)));
  if constexpr (predictor == Predictor::above_line) return minus(difference, minus(load(q - lag), load(q - lag - 1)));
  return difference;
}

template <Predictor predictor>
void residuals(const std::int32_t* q, std::size_t n, std::size_t lag, std::uint32_t* z) {
  for (std::size_t i = 0; i < block_values; i += 16) _mm512_store_si512(z + i, zigzag(residual<predictor>(q + i, lag)));
  std::memset(z + n, 0, (block_values - n) * sizeof *z);
}

// Adds the leading zeros of the zigzagged residuals that are inside of the block.
void count_unused(__m512i residual, __mmask16 inside, __m512i& unused) {
  unused = _mm512_add_epi32(unused, _mm512_lzcnt_epi32(_mm512_maskz_mov_epi32(inside, zigzag(residual))));
}

template <bool with_lag>
Predictor best_predictor(const std::int32_t* q, std::size_t n, std::size_t lag) {
  constexpr unsigned count = with_lag ? predictors : predictors_without_lag;
  __m512i unused[count] = {};
  for (std::size_t i = 0; i < n; i += 16) {
    const auto inside = static_cast<__mmask16>(n - i >= 16 ? 0xffffu : (1u << (n - i)) - 1);
    const __m512i here = load(q + i);
    const __m512i before = load(q + i - 1);
    const __m512i difference = minus(here, before);
    count_unused(here, inside, unused[0]);
    count_unused(difference, inside, unused[1]);
    count_unused(minus(difference, minus(before, load(q + i - 2))), inside, unused[2]);
    if constexpr (with_lag) {
      const __m512i above = load(q + i - lag);
      count_unused(minus(here, above), inside, unused[3]);
      count_unused(minus(difference, minus(above, load(q + i - lag - 1))), inside, unused[4]);
    }
  }
  unsigned best = 0;
  int most = -1;
  for (unsigned k = 0; k < count; ++k) {
    const int sum = _mm512_reduce_add_epi32(unused[k]);
    if (sum > most) best = k;
    most = std::max(most, sum);
  }
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
__m512i prefix_sums(__m512i v) {
  const __m512i zero = _mm512_setzero_si512();
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
  v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
  return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
}

// A lag is at least 16, so that a vector needs no point of itself.
template <Predictor predictor>
void restore_as(const std::uint32_t* z, std::size_t n, std::size_t lag, std::int32_t* q) {
  constexpr bool sums = predictor != Predictor::none && predictor != Predictor::above;
  const __m512i last_lane = _mm512_set1_epi32(15);
  __m512i last = _mm512_set1_epi32(q[-1]);
  __m512i slope = minus(last, _mm512_set1_epi32(q[-2]));
  for (std::size_t i = 0; i < n; i += 16) {
    __m512i v = unzigzag(load(z + i));
    if constexpr (predictor == Predictor::above) v = _mm512_add_epi32(v, load(q + i - lag));
    if constexpr (predictor == Predictor::above_line)
      v = _mm512_add_epi32(v, minus(load(q + i - lag), load(q + i - lag - 1)));
    if constexpr (predictor == Predictor::line) {
      v = _mm512_add_epi32(prefix_sums(v), slope);
      slope = _mm512_permutexvar_epi32(last_lane, v);
    }
    if constexpr (sums) {
      v = _mm512_add_epi32(prefix_sums(v), last);
      last = _mm512_permutexvar_epi32(last_lane, v);
    }
    _mm512_storeu_si512(q + i, v);
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
