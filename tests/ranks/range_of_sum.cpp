// SPDX-License-Identifier: BSD-3-Clause
// Relative bounds on sums refer to the range of the sum where a sample shows that it is larger than that of the
// contributions, and target=likely spends the bound on most of the elements.
#include <cmath>
#include <limits>

#include "ranks/support.hpp"

using namespace ranks;

namespace {

constexpr double R = 1e-3;
constexpr std::size_t large = (std::size_t{1} << 18) + 77;  // of float: above 1 MiB

enum class Field { coherent, opposite, part_missing, part_filled, independent, equal };

constexpr float fill = 9.96921e36F;

// One element of a rank's contribution; on any rank it can be computed for all others.
float element(Field field, int rank, std::size_t i, std::uint64_t seed) {
  const double wave = 280 + 20 * std::sin(1e-4 * static_cast<double>(i + 5 * static_cast<std::size_t>(rank)));
  switch (field) {
    case Field::coherent: return static_cast<float>(wave);
    case Field::opposite: return static_cast<float>(rank % 2 == 0 ? wave : 560 - wave);
    case Field::part_missing:
      return rank == 1 && i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(wave);
    case Field::part_filled: return rank == 1 && i % 3 == 0 ? fill : static_cast<float>(wave);
    case Field::independent: {
      Random random(seed + i * 64 + static_cast<std::size_t>(rank));
      return static_cast<float>(wave + random.uniform());
    }
    case Field::equal: return static_cast<float>(280 + 20 * std::sin(1e-4 * static_cast<double>(i)));
  }
  return 0;
}

struct Sums {
  std::vector<double> exact;
  double width_of_inputs = 0;
  double width = 0;  // of the finite sums without fill values
};

Sums sums_of(Field field, std::size_t count, int ranks, std::uint64_t seed) {
  Sums sums;
  double least = INFINITY, greatest = -INFINITY, low = INFINITY, high = -INFINITY;
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int r = 0; r < ranks; ++r) {
      const double x = element(field, r, i, seed);
      sum += x;
      if (std::isnan(x) || x == fill) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    sums.exact.push_back(sum);
    if (std::isnan(sum) || sum >= fill) continue;
    least = std::min(least, sum);
    greatest = std::max(greatest, sum);
  }
  sums.width = greatest - least;
  sums.width_of_inputs = high - low;
  return sums;
}

std::vector<float> contribution(Test& t, Field field, std::size_t count) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = element(field, t.rank(), i, t.seed());
  return x;
}

laconic_options relative(laconic_stats& stats) {
  laconic_options o = options_with(LACONIC_BOUND_REL, R);
  o.stats = &stats;
  return o;
}

// Returns the share of the elements whose error is at most `within`.
double compare(Test& t, const Sums& sums, const float* y, std::size_t from, std::size_t count, double bound,
               double within) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double exact = sums.exact[from + i];
    const double error = std::fabs(y[i] - exact);
    const bool ok = std::isnan(exact) ? std::isnan(y[i]) : error <= bound + std::fabs(exact) * 1e-7;
    if (!CHECK(t, ok, "element %zu is %g, not %g +- %g", from + i, y[i], exact, bound)) break;
    kept += std::isnan(exact) || error <= within;
  }
  return static_cast<double>(kept) / static_cast<double>(count);
}

void expect_range(Test& t, const laconic_stats& stats, const Sums& sums, bool of_sum) {
  if (t.size() == 1) return;
  of_sum = of_sum && t.size() >= 4;
  CHECK(t, stats.plain_calls == 0);
  CHECK(t, stats.range_of == (of_sum ? LACONIC_TARGET_RESULT : LACONIC_TARGET_INPUT), "range of %d",
        static_cast<int>(stats.range_of));
  if (of_sum)
    CHECK(t, stats.bound <= R * sums.width && stats.bound > 0.9 * R * sums.width, "bound %g, %g of the sums",
          stats.bound, R * sums.width);
  else
    CHECK(t, std::fabs(stats.bound - R * sums.width_of_inputs) < 1e-12 * sums.width_of_inputs, "bound %g, not %g",
          stats.bound, R * sums.width_of_inputs);
}

void allreduce(Test& t, const char* what, Field field, std::size_t count, bool of_sum) {
  t.doing(what);
  t.count_case();
  const Sums sums = sums_of(field, count, t.size(), t.seed());
  const std::vector<float> x = contribution(t, field, count);
  std::vector<float> y(count);
  laconic_stats stats{};
  const laconic_options o = relative(stats);
  CHECK(t, laconic_allreduce(x.data(), y.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == 0);
  expect_range(t, stats, sums, of_sum);
  compare(t, sums, y.data(), 0, count, std::max(stats.bound, 1e-3), 0);
}

void mean_and_target_input(Test& t) {
  t.doing("mean, and target input");
  const Sums sums = sums_of(Field::coherent, large, t.size(), t.seed());
  std::vector<float> x = contribution(t, Field::coherent, large);
  std::vector<float> y(large);
  laconic_stats stats{};
  laconic_options o = relative(stats);
  CHECK(t, laconic_allreduce(x.data(), y.data(), large, MPI_FLOAT, LACONIC_AVG, MPI_COMM_WORLD, &o) == 0);
  expect_range(t, stats, sums, false);
  o.target = LACONIC_TARGET_INPUT;
  CHECK(t, laconic_allreduce(MPI_IN_PLACE, x.data(), large, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == 0);
  CHECK(t, t.size() == 1 || stats.range_of == LACONIC_TARGET_INPUT);
}

void other_reductions(Test& t) {
  const std::size_t ranks = static_cast<std::size_t>(t.size());
  const std::size_t part = large / ranks + 1;
  const std::size_t count = part * ranks;
  const Sums sums = sums_of(Field::coherent, count, t.size(), t.seed());
  const std::vector<float> x = contribution(t, Field::coherent, count);
  std::vector<float> y(count);
  laconic_stats stats{};
  const laconic_options o = relative(stats);
  const auto n = static_cast<int>(count);
  const int root = t.size() / 2;

  t.doing("reduce");
  CHECK(t, laconic_reduce(x.data(), y.data(), n, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD, &o) == 0);
  expect_range(t, stats, sums, true);
  if (t.rank() == root) compare(t, sums, y.data(), 0, count, stats.bound, 0);

  t.doing("reduce_scatter_block");
  const int each = static_cast<int>(part);
  CHECK(t, laconic_reduce_scatter_block(x.data(), y.data(), each, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == 0);
  expect_range(t, stats, sums, true);
  compare(t, sums, y.data(), part * static_cast<std::size_t>(t.rank()), part, stats.bound, 0);

  t.doing("exscan");
  const Sums before = sums_of(Field::coherent, count, t.rank(), t.seed());
  const Sums longest = sums_of(Field::coherent, count, t.size() - 1, t.seed());
  CHECK(t, laconic_exscan(x.data(), y.data(), n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == 0);
  if (t.size() >= 4)
    CHECK(t, stats.range_of == LACONIC_TARGET_RESULT && stats.bound <= R * longest.width, "bound %g, longest sums %g",
          stats.bound, R * longest.width);
  if (t.rank() > 0) compare(t, before, y.data(), 0, count, stats.bound, 0);
}

// Persistent operations start in another order on every second rank: their reductions must not match crosswise.
void overlapping_and_persistent(Test& t) {
  t.doing("two nonblocking and two persistent");
  constexpr Field fields[] = {Field::coherent, Field::opposite};
  std::vector<float> x[2], y[2], z[2];
  laconic_request pending[2], persistent[2];
  laconic_stats stats[4]{};
  for (int k = 0; k < 2; ++k) {
    x[k] = contribution(t, fields[k], large);
    y[k].resize(large);
    z[k].resize(large);
    laconic_options o = relative(stats[k]);
    CHECK(t, laconic_iallreduce(x[k].data(), y[k].data(), large, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &pending[k], &o) ==
                 0);
    o.stats = &stats[2 + k];
    CHECK(t, laconic_allreduce_init(x[k].data(), z[k].data(), large, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &persistent[k],
                                    &o) == 0);
  }
  for (int k = 0; k < 2; ++k) CHECK(t, laconic_start(&persistent[(k + t.rank()) % 2]) == 0);
  for (int k = 0; k < 2; ++k) {
    const Sums sums = sums_of(fields[k], large, t.size(), t.seed());
    CHECK(t, laconic_wait(&pending[k], MPI_STATUS_IGNORE) == 0 && laconic_wait(&persistent[k], MPI_STATUS_IGNORE) == 0);
    for (const int of : {k, 2 + k})
      if (stats[of].plain_calls == 0) expect_range(t, stats[of], sums, k == 0);
    compare(t, sums, y[k].data(), 0, large, std::max(stats[k].bound, 1e-3), 0);
    compare(t, sums, z[k].data(), 0, large, std::max(stats[2 + k].bound, 1e-3), 0);
    CHECK(t, laconic_request_free(&persistent[k]) == 0);
  }
}

// Returns the bound of the statistics.
double likely(Test& t, Field field, double asked, double least_share) {
  const Sums sums = sums_of(field, large, t.size(), t.seed());
  const std::vector<float> x = contribution(t, field, large);
  std::vector<float> y(large);
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, asked);
  o.target = LACONIC_TARGET_LIKELY;
  o.stats = &stats;
  CHECK(t, laconic_allreduce(x.data(), y.data(), large, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o) == 0);
  const double share = compare(t, sums, y.data(), 0, large, std::max(stats.bound, 1e-3), asked);
  CHECK(t, share >= least_share, "%g of the elements are within the bound", share);
  return stats.bound;
}

void likely_bounds(Test& t) {
  t.doing("target likely, independent contributions");
  const double asked = 0.01;
  const double bound = likely(t, Field::independent, asked, 0.95);
  if (t.size() >= 4) CHECK(t, bound > asked, "the worst case is %g", bound);
  t.doing("target likely, equal contributions");
  const double strict = likely(t, Field::equal, asked, 1);
  if (t.size() > 1) CHECK(t, strict == asked, "the worst case is %g", strict);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "range_of_sum");
  allreduce(t, "coherent contributions", Field::coherent, large, true);
  allreduce(t, "contributions that cancel", Field::opposite, large, false);
  allreduce(t, "NaN on one rank", Field::part_missing, large, true);
  allreduce(t, "fill values on one rank", Field::part_filled, large, true);
  allreduce(t, "less than 1 MiB", Field::coherent, 100000, false);
  mean_and_target_input(t);
  other_reductions(t);
  overlapping_and_persistent(t);
  likely_bounds(t);
  return t.finish();
}
