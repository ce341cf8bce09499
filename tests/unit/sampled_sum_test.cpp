// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sampled_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

Range inputs_of(const std::vector<std::vector<double>>& ranks) {
  Range inputs{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto& x : ranks) {
    const Range r = finite_range(x.data(), x.size(), Dtype::f64);
    inputs = {std::min(inputs.least, r.least), std::max(inputs.greatest, r.greatest)};
  }
  return inputs;
}

// The range that the sums of these contributions are found to have.
double sampled_range(const std::vector<std::vector<double>>& ranks, std::size_t size = Sample::small) {
  std::vector<double> numbers(size);
  const SampledSum sum(inputs_of(ranks), size);
  SampledSum::Words mine;
  SampledSum::Words all(size + size / 3);
  for (const auto& x : ranks) {
    const std::vector<RangeJob::Part> parts{{x.data(), x.size() / 3},
                                            {x.data() + x.size() / 3, x.size() - x.size() / 3}};
    take_sample(parts, Dtype::f64, numbers);
    sum.write_words(numbers, mine);
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += mine[k];
  }
  return sum.range_of(all, static_cast<int>(ranks.size()));
}

double exact_range(const std::vector<std::vector<double>>& ranks) {
  long double least = INFINITY;
  long double greatest = -INFINITY;
  for (std::size_t i = 0; i < ranks[0].size(); ++i) {
    long double sum = 0;
    for (const auto& x : ranks) sum += x[i];
    if (!std::isfinite(sum)) continue;
    least = std::min(least, sum);
    greatest = std::max(greatest, sum);
  }
  return static_cast<double>(greatest - least);
}

TEST(Sample, TakesOnePositionOfEachPart) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, Sample::small - 1, Sample::small, Sample::small + 1,
                                  std::size_t{1000003}, std::numeric_limits<std::size_t>::max()}) {
    const Sample sample{count};
    for (std::size_t k = 0; k < Sample::small; ++k) {
      ASSERT_LT(sample.position(k), count);
      if (k == 0) continue;
      const std::size_t apart = sample.position(k) - sample.position(k - 1);
      ASSERT_GE(apart, count >= Sample::small ? 1u : 0u);
      ASSERT_LE(apart, 2 * (count / Sample::small + 1));
    }
  }
}

TEST(Sample, ReadsEveryTypeAcrossParts) {
  const std::vector<std::int16_t> x{3, -4, 5, 6};
  const std::vector<RangeJob::Part> parts{{x.data(), 1}, {x.data() + 1, 3}};
  std::vector<double> numbers(Sample::large);
  take_sample(parts, Dtype::i16, numbers);
  EXPECT_EQ(numbers.front(), 3);
  EXPECT_EQ(numbers.back(), 6);
  take_sample({}, Dtype::i16, numbers);
  EXPECT_EQ(numbers, std::vector<double>(Sample::large));
}

TEST(SampledSum, IsNeverBeyondTheExactRange) {
  Random random(base_seed());
  for (const NamedKind& kind : all_kinds)
    for (const std::size_t count : {std::size_t{2}, std::size_t{50}, Sample::small, std::size_t{20000}})
      for (const int ranks : {1, 2, 3, 16, 100}) {
        SCOPED_TRACE(std::string(kind.name) + ", count " + std::to_string(count) + ", ranks " + std::to_string(ranks) +
                     ", " + seed_note());
        std::vector<std::vector<double>> all;
        const std::uint64_t seed = random.bits();
        for (int r = 0; r < ranks; ++r) all.push_back(make_field<double>(kind.kind, count, seed + r % 3));
        const Range r = inputs_of(all);
        if (!(r.greatest > r.least) || !std::isfinite(r.greatest - r.least)) continue;
        const double exact = exact_range(all);
        const double found = sampled_range(all, random.below(2) == 0 ? Sample::small : Sample::large);
        ASSERT_LE(found, std::isfinite(exact) ? exact : 0);
        ASSERT_GE(found, 0);
      }
}

TEST(SampledSum, FindsMostOfTheRange) {
  std::vector<double> wave(100000);
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = 280 + 20 * std::sin(0.001 * static_cast<double>(i));
  const std::vector<std::vector<double>> equal(64, wave);
  EXPECT_GT(sampled_range(equal), 0.99 * 64 * 40);
  std::vector<double> opposite(wave);
  for (double& x : opposite) x = 560 - x;
  EXPECT_LT(sampled_range({wave, opposite}), 1e-9);
}

TEST(SampledSum, LeavesOutSumsThatAreNotFinite) {
  std::vector<std::vector<double>> ranks(5, std::vector<double>(10000, 1.0));
  std::iota(ranks[0].begin(), ranks[0].end(), 0.0);
  const double without = sampled_range(ranks);
  EXPECT_GT(without, 9900);
  // The greatest sums are NaN on one rank, infinite on another.
  for (std::size_t i = 5000; i < 10000; ++i) ranks[3][i] = i % 2 == 0 ? nan_value : -INFINITY;
  EXPECT_NEAR(sampled_range(ranks), without / 2, without / 50);
  for (double& x : ranks[4]) x = nan_value;
  EXPECT_EQ(sampled_range(ranks), 0);
}

TEST(Fingerprint, DiffersWhereNumbersDo) {
  std::vector<double> x(5000);
  std::iota(x.begin(), x.end(), 0.25);
  const auto of = [](const std::vector<double>& v) {
    std::vector<double> numbers(Sample::small);
    take_sample(std::vector<RangeJob::Part>{{v.data(), v.size()}}, Dtype::f64, numbers);
    return fingerprint(numbers);
  };
  const double first = of(x);
  EXPECT_EQ(first, of(x));
  std::vector<double> y(x);
  y[Sample{y.size()}.position(17)] += 1e-9;
  EXPECT_NE(first, of(y));
}

}  // namespace
}  // namespace laconic::test
