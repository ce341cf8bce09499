// SPDX-License-Identifier: BSD-3-Clause
// The error model, compared with sums whose distribution is known.
#include "engine/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

const Algorithm& allreduce(const char* name) { return *find_algorithm(Collective::allreduce, name); }

// The magnitude that 95.44 % of many random sums do not exceed. A sum has n uniform numbers in -1 ... 1 and m in -last
// ... last.
double drawn(int n, int m, double last) {
  Random random(base_seed());
  std::vector<double> sums(200000);
  for (double& s : sums) {
    for (int k = 0; k < n; ++k) s += 2 * random.unit() - 1;
    for (int k = 0; k < m; ++k) s += last * (2 * random.unit() - 1);
    s = std::fabs(s);
  }
  const auto at = sums.begin() + static_cast<std::ptrdiff_t>(likely_share * static_cast<double>(sums.size()));
  std::nth_element(sums.begin(), at, sums.end());
  return *at;
}

// The model is within a few per cent for any number of terms, and not below the drawn value.
TEST(Predict, SumsOfUniformErrors) {
  for (const int n : {1, 2, 3, 4, 8, 16, 64}) {
    const double modelled = likely_of_sum(1, std::sqrt((n - 1) / 3.0));
    EXPECT_GT(modelled, drawn(n, 0, 0) * 0.99) << n;
    EXPECT_LT(modelled, drawn(n, 0, 0) * 1.03) << n;
  }
  // The errors of a result that is encoded again: many small ones, and one as large as all of them together.
  for (const int n : {1, 3, 7, 63}) {
    const double modelled = likely_of_sum(n, std::sqrt(n / 3.0));
    EXPECT_GT(modelled, drawn(n, 1, n) * 0.99) << n;
    EXPECT_LT(modelled, drawn(n, 1, n) * 1.03) << n;
  }
}

TEST(Predict, OneNumberAlone) {
  EXPECT_DOUBLE_EQ(likely_of_sum(2, 0), 2 * likely_share);
  EXPECT_NEAR(likely_of_sum(0, 3), 6, 0.01);  // two standard deviations
  EXPECT_NEAR(likely_of_sum(1e-200, 1e-200), 1e-200 * likely_of_sum(1, 1), 1e-206);
  EXPECT_NEAR(likely_of_sum(1e200, 1e200), 1e200 * likely_of_sum(1, 1), 1e194);
}

// C-Coll's Theorem 1 and Corollary 2 for errors as quant makes them, with a standard deviation of the bound / sqrt(3).
TEST(Predict, SumsGrowWithTheRootAndMeansShrinkWithIt) {
  const Codec& quant = *find_codec("quant");
  for (const int n : {4, 16, 64, 1024}) {
    const Prediction sum = predict_error(1, BoundTarget::input, Op::sum, false, allreduce("ring"), n, quant, false);
    EXPECT_NEAR(sum.deviation, std::sqrt(n / 3.0), 1e-9);
    EXPECT_NEAR(sum.likely, 2 * std::sqrt(n / 3.0), 0.05 * sum.likely);
    EXPECT_EQ(sum.worst_case, n);
    EXPECT_EQ(sum.drift, 0);
    const Prediction mean = predict_error(1, BoundTarget::input, Op::sum, true, allreduce("ring"), n, quant, false);
    EXPECT_DOUBLE_EQ(mean.likely, sum.likely / n);
    EXPECT_EQ(mean.worst_case, 1);
    for (const Op op : {Op::max, Op::min}) {
      const Prediction chosen = predict_error(1, BoundTarget::input, op, false, allreduce("ring"), n, quant, false);
      EXPECT_EQ(chosen.likely, likely_share);
      EXPECT_EQ(chosen.worst_case, 1);
      EXPECT_EQ(chosen.terms.all(), 1);
    }
  }
}

// The likely error never exceeds the worst case, with any codec, algorithm and way to travel; bounds only scale it.
TEST(Predict, NothingExceedsTheWorstCase) {
  for (const Codec* codec : all_codecs())
    for (const Algorithm& algorithm : all_algorithms())
      for (int size = 1; size <= 65; ++size)
        for (const bool per_hop : {false, true})
          for (const BoundTarget target : {BoundTarget::result, BoundTarget::input, BoundTarget::likely})
            for (const Op op : {Op::sum, Op::max, Op::min}) {
              if (!algorithm.fits(size)) continue;
              const Prediction p = predict_error(1, target, op, false, algorithm, size, *codec, per_hop);
              ASSERT_LE(p.likely, p.worst_case);
              ASSERT_EQ(p.worst_case, codec->error_shape().none() ? 0 : p.budget.worst_case);
              ASSERT_EQ(p.likely > 0, !codec->error_shape().none());
              const Prediction large = predict_error(0x1p600, target, op, false, algorithm, size, *codec, per_hop);
              ASSERT_NEAR(large.likely * 0x1p-600, p.likely, 1e-9);
            }
}

// An allreduce of frames that are added is rounded once more from 8 ranks on, and no other operation is.
TEST(Predict, OnlyResultsThatAreDistributedAreRoundedOnceMore) {
  const auto coarser = [](const char* codec, const Algorithm& algorithm, int size, BoundTarget target, Op op,
                          bool per_hop) {
    return budget_for(1, target, op, false, algorithm, size, *find_codec(codec), per_hop).coarser;
  };
  const auto result = BoundTarget::result;
  for (const int size : {1, 2, 7, 8, 9, 15, 16, 100, 1000}) {
    SCOPED_TRACE(size);
    const auto log = static_cast<std::uint32_t>(std::log2(size));
    for (const Algorithm& algorithm : all_algorithms()) {
      if (!algorithm.fits(size)) continue;
      const bool allreduces = algorithm.collective == Collective::allreduce;
      EXPECT_EQ(coarser("quant", algorithm, size, result, Op::sum, false), allreduces && size >= 8 ? log : 0);
      EXPECT_EQ(coarser("quant", algorithm, size, BoundTarget::likely, Op::sum, false),
                allreduces && size >= 16 ? log / 2 : 0);
      EXPECT_EQ(coarser("quant", algorithm, size, BoundTarget::input, Op::sum, false), 0u);
      EXPECT_EQ(coarser("quant", algorithm, size, result, Op::sum, true), 0u);
      EXPECT_EQ(coarser("quant", algorithm, size, result, Op::max, false), 0u);
      EXPECT_EQ(coarser("raw", algorithm, size, result, Op::sum, false), 0u);
      EXPECT_EQ(coarser("szx", algorithm, size, result, Op::sum, false), 0u);
    }
  }
}

// The distribution of sums of integers that are rounded to multiples, ties to even, and of the errors of their
// addends.
TEST(Predict, RoundedSums) {
  Random random(base_seed());
  for (const BoundTarget target : {BoundTarget::result, BoundTarget::likely})
    for (const int n : {16, 64, 200}) {
      const Prediction p = predict_error(1, target, Op::sum, false, allreduce("ring"), n, *find_codec("quant"), false);
      const double multiple = std::ldexp(1.0, static_cast<int>(p.budget.coarser));
      std::vector<double> errors(50000);
      for (double& e : errors) {
        double sum = 0;
        double points = 0;
        for (int k = 0; k < n; ++k) {
          const double x = 1000 * (2 * random.unit() - 1);
          sum += x;
          points += std::nearbyint(x);
        }
        // A step is twice the allowance.
        e = 2 * p.budget.allowance * std::fabs(multiple * std::nearbyint(points / multiple) - sum);
      }
      const auto at = errors.begin() + static_cast<std::ptrdiff_t>(likely_share * static_cast<double>(errors.size()));
      std::nth_element(errors.begin(), at, errors.end());
      EXPECT_GT(p.likely, *at * 0.99) << n;
      EXPECT_LT(p.likely, *at * 1.03) << n;
      if (target == BoundTarget::likely) {
        EXPECT_NEAR(p.likely, 1, 1e-9) << n;
      }
    }
}

// On the lattice, only the first hop of a result makes an error.
TEST(Predict, HopsOfALatticeCountOnce) {
  const Codec& quant = *find_codec("quant");
  EXPECT_EQ(predict_error(1, BoundTarget::result, Op::sum, false, allreduce("ring"), 8, quant, true).terms.all(), 8);
  EXPECT_EQ(predict_error(1, BoundTarget::result, Op::sum, false, allreduce("recursive-doubling"), 8, quant, true)
                .terms.all(),
            7);
  EXPECT_EQ(predict_error(1, BoundTarget::result, Op::max, false, allreduce("ring"), 8, quant, true).terms.all(), 1);
  const Algorithm& chain = *find_algorithm(Collective::bcast, "chain");
  EXPECT_EQ(predict_error(1, BoundTarget::result, Op::sum, false, chain, 8, quant, true).terms.all(), 1);
  EXPECT_EQ(predict_error(1, BoundTarget::result, Op::sum, false, chain, 8, *find_codec("szx"), true).terms.all(), 7);
}

}  // namespace
}  // namespace laconic::test
