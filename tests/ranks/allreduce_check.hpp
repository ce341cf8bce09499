// SPDX-License-Identifier: BSD-3-Clause
// Checks that need only one call: every element against exact arithmetic, the statistics, and equal bits on all ranks.
#pragma once

#include "allreduce_case.hpp"

namespace ranks {

// Long double throughout: half of the smallest denormal double is not representable as a double.
template <class T>
long double half_ulp(long double x) {
  const T v = static_cast<T>(std::fabs(x));
  if (!std::isfinite(v)) return std::numeric_limits<long double>::infinity();
  const T above = std::nextafter(v, std::numeric_limits<T>::infinity());
  return std::isfinite(above) ? (static_cast<long double>(above) - static_cast<long double>(v)) / 2
                              : static_cast<long double>(v) * std::numeric_limits<T>::epsilon();
}

// A sum in about 128 bits.
struct LongSum {
  long double sum = 0;
  long double rest = 0;
  void add(long double x) {
    const long double s = sum + x;
    rest += std::fabs(sum) >= std::fabs(x) ? (sum - s) + x : (x - s) + sum;
    sum = s;
  }
};

inline laconic_plain_reason expected_reason(const Case& c, int size) {
  if (size == 1) return LACONIC_PLAIN_ONE_RANK;
  if (c.count == 0) return LACONIC_PLAIN_SMALL;
  return LACONIC_PLAIN_NOT;
}

inline laconic_codec used_codec(const Case& c) {
  if (c.codec != LACONIC_CODEC_UNSET) return c.codec;
  return c.bound.mode == LACONIC_BOUND_LOSSLESS ? LACONIC_CODEC_LOSSLESS : LACONIC_CODEC_QUANT;
}

// True when every number surely has a lattice point.
template <class T>
bool surely_on_lattice(const Case& c, const Truth<T>& truth, int size) {
  if (used_codec(c) != LACONIC_CODEC_QUANT && used_codec(c) != LACONIC_CODEC_DENSE) return false;
  if (c.bound.mode == LACONIC_BOUND_LOSSLESS || !truth.finite) return false;
  const double bound = resolved(c.bound, truth.least, truth.greatest);
  const double step = bound / size;
  return bound > 1e-280 && truth.magnitude / step * size < (sizeof(T) == 4 ? 0x1p15 : 0x1p24);
}

// Compares every element with exact arithmetic.
template <class T>
void check_values(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  const int size = t.size();
  const bool plain = out.stats.plain_calls > 0;
  const bool lattice = !plain && surely_on_lattice(c, truth, size);
  const double bound = plain ? 0 : out.stats.bound;
  constexpr double eps = std::numeric_limits<T>::epsilon();
  int reported = 0;
  for (std::size_t i = 0; i < c.count && reported < 3; ++i) {
    bool nan = false;
    bool up = false;
    bool down = false;
    LongSum sum;
    long double absolute = 0;
    T most = -std::numeric_limits<T>::infinity();
    T least = std::numeric_limits<T>::infinity();
    for (const auto& input : truth.inputs) {
      const T v = input[i];
      nan = nan || std::isnan(v);
      up = up || v == std::numeric_limits<T>::infinity();
      down = down || v == -std::numeric_limits<T>::infinity();
      most = std::max(most, v);
      least = std::min(least, v);
      if (std::isfinite(v)) {
        sum.add(v);
        absolute += std::fabs(static_cast<long double>(v));
      }
    }
    const T r = out.result[i];
    const bool adds = c.op == Reduction::sum || c.op == Reduction::mean;
    if (nan || (adds && up && down)) {
      // Plain MPI may return either number of a maximum with a NaN.
      if (!(plain && !adds))
        reported += !CHECK(t, std::isnan(r), "element %zu is %g, not NaN", i, static_cast<double>(r));
      continue;
    }
    long double exact = 0;
    long double slack = bound * (1 + 1e-12L);
    if (adds) {
      if (up || down) {
        reported += !CHECK(t, std::isinf(r) && (r > 0) == up, "element %zu is %g, not Inf", i, static_cast<double>(r));
        continue;
      }
      if (absolute > 0.99L * std::numeric_limits<T>::max())
        continue;  // partial sums may overflow, here as in plain MPI
      const int divisor = c.op == Reduction::mean ? size : 1;
      exact = (sum.sum + sum.rest) / divisor;
      if (!lattice) slack += absolute / divisor * (size - 1) * eps;
      if (!lattice) slack += half_ulp<T>(absolute) * size / divisor;  // denormal sums
    } else {
      exact = c.op == Reduction::max ? most : least;
      if (std::isinf(static_cast<double>(exact))) {
        reported += !CHECK(t, r == static_cast<T>(exact), "element %zu is %g, not Inf", i, static_cast<double>(r));
        continue;
      }
    }
    slack += half_ulp<T>(std::max(std::fabs(exact), std::fabs(static_cast<long double>(r)))) * (1 + 1e-9);
    const long double error = std::fabs(static_cast<long double>(r) - exact);
    reported += !CHECK(t, error <= slack, "element %zu is %.17g, exact %.17Lg, error %.3Lg > %.17Lg (bound %.17g)", i,
                       static_cast<double>(r), exact, error, slack, bound);
  }
}

template <class T>
void check_stats(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  const laconic_stats& s = out.stats;
  const laconic_plain_reason reason = expected_reason(c, t.size());
  CHECK(t, s.size == sizeof s);
  CHECK(t, s.calls == 1);
  CHECK(t, s.plain_reason == reason, "plain because %s, expected %s", laconic_plain_reason_string(s.plain_reason),
        laconic_plain_reason_string(reason));
  CHECK(t, s.plain_calls == (reason != LACONIC_PLAIN_NOT));
  CHECK(t, s.bytes_in == c.count * sizeof(T));
  const double parts =
      s.seconds_encode + s.seconds_decode + s.seconds_reduce + s.seconds_copy + s.seconds_wait + s.seconds_other;
  CHECK(t, s.seconds_other >= 0 && s.seconds_wait >= 0 && s.seconds_encode >= 0);
  if (c.threads <= 1)
    CHECK(t, std::fabs(parts - s.seconds_total) < 1e-6, "phases %g, total %g", parts, s.seconds_total);
  if (reason != LACONIC_PLAIN_NOT) {
    CHECK(t, s.algorithm == LACONIC_ALGORITHM_PLAIN && s.bytes_sent == 0 && s.ratio == 1);
    return;
  }
  CHECK(t, s.codec == used_codec(c));
  if (c.algorithm == LACONIC_ALGORITHM_AUTO)
    CHECK(t, s.algorithm > LACONIC_ALGORITHM_PLAIN, "algorithm %d", static_cast<int>(s.algorithm));
  else
    CHECK(t, s.algorithm == c.algorithm, "algorithm %d", static_cast<int>(s.algorithm));
  CHECK(t, s.bytes_sent > 0);
  CHECK(t, std::fabs(s.ratio - static_cast<double>(s.bytes_uncompressed) / static_cast<double>(s.bytes_sent)) <=
               1e-9 * s.ratio);
  CHECK(t, s.achieved_bound <= s.bound, "achieved %.17g, bound %.17g", s.achieved_bound, s.bound);
  const double asked = resolved(c.bound, truth.least, truth.greatest);
  const double expected = c.target == LACONIC_TARGET_INPUT && c.op == Reduction::sum ? asked * t.size() : asked;
  // Sums that are encoded again hold more errors than there are contributions; the number depends on the algorithm.
  // A range beyond float64 gives no bound: nothing is rounded.
  if (std::isinf(expected))
    CHECK(t, s.bound == 0, "bound %.17g", s.bound);
  else if (c.codec == LACONIC_CODEC_SZX && c.target == LACONIC_TARGET_INPUT)
    CHECK(t, s.bound >= expected * (1 - 1e-12), "bound %.17g, asked for %.17g", s.bound, expected);
  else
    CHECK(t, std::fabs(s.bound - expected) <= 1e-12 * expected, "bound %.17g, asked for %.17g", s.bound, expected);
  const bool exact = s.codec == LACONIC_CODEC_RAW || s.codec == LACONIC_CODEC_LOSSLESS;
  if (exact || c.bound.mode == LACONIC_BOUND_LOSSLESS) CHECK(t, s.achieved_bound == 0);
}

// Checks that every rank has the same bits and the same achieved bound, and reports where they differ.
template <class T>
void check_same(Test& t, const Case& c, const Truth<T>& truth, const Outcome<T>& out) {
  // A plain maximum of NaNs may differ from rank to rank.
  if (out.stats.plain_calls > 0 && !truth.finite) return;
  std::uint64_t achieved;
  std::memcpy(&achieved, &out.stats.achieved_bound, 8);
  std::uint64_t mine[4] = {hash_of(out.result.data(), c.count * sizeof(T)), 0, achieved, ~achieved};
  mine[1] = ~mine[0];
  std::uint64_t most[4];
  MPI_Allreduce(mine, most, 4, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(t, most[2] == ~most[3], "achieved_bound differs between ranks; here %.17g", out.stats.achieved_bound);
  if (most[0] == ~most[1]) return;
  std::vector<T> first = out.result;
  MPI_Bcast(first.data(), static_cast<int>(c.count), mpi_type<T>(), 0, MPI_COMM_WORLD);
  std::size_t i = 0;
  while (i < c.count && std::memcmp(&first[i], &out.result[i], sizeof(T)) == 0) ++i;
  if (i < c.count)
    t.fail(__FILE__, __LINE__,
           text("element %zu is %a here, %a on rank 0", i, static_cast<double>(out.result[i]),
                static_cast<double>(first[i])));
}

// Runs one case and makes all checks that need only this call.  Returns the hash of the result.
template <class T>
std::uint64_t check_case(Test& t, const Case& c, std::uint64_t seed, const Truth<T>& truth) {
  t.doing(describe(c, sizeof(T) == 4 ? "float" : "double") +
          text(", case seed %llu", static_cast<unsigned long long>(seed)));
  t.count_case();
  const Outcome<T> out = call(t, c, truth.inputs[static_cast<std::size_t>(t.rank())]);
  check_stats(t, c, truth, out);
  check_same(t, c, truth, out);
  // All ranks hold the same bits, so one of them can compare for all.
  if (static_cast<int>(seed % static_cast<std::uint64_t>(t.size())) == t.rank()) check_values(t, c, truth, out);
  return hash_of(out.result.data(), c.count * sizeof(T));
}

template <class T>
void check_case(Test& t, const Case& c, std::uint64_t seed) {
  check_case<T>(t, c, seed, Truth<T>(c, seed, t.size()));
}

}  // namespace ranks
