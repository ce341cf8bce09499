// SPDX-License-Identifier: BSD-3-Clause
// Predicted errors, compared with the errors that operations on real fields make.
#include "engine/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/error_trial.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t fields = 5;
constexpr std::size_t numbers = 12288;

struct Reduction {
  const char* name;
  Op op;
  bool mean;
};
constexpr Reduction reductions[] = {
    {"sum", Op::sum, false}, {"avg", Op::sum, true}, {"max", Op::max, false}, {"min", Op::min, false}};

Operation operation(Collective collective, const char* algorithm, const char* codec, int ranks) {
  Operation o;
  o.algorithm = find_algorithm(collective, algorithm);
  o.codec = find_codec(codec);
  o.count = cuts_equally(collective) ? numbers : numbers / static_cast<std::size_t>(ranks);
  o.chunk = 4096;
  return o;
}

Prediction predict(const Operation& o, int ranks) {
  return predict_error(o.bound, o.target, o.op, o.mean, *o.algorithm, ranks_of(ranks), *o.codec, o.per_hop);
}

// The float32 rounding error, which predictions leave out: the rounding of the result and of partial sums.
double rounding(const Operation& o, int ranks, std::size_t field) {
  const std::vector<float>& x = detail::real_field(field);
  double greatest = 0;
  for (const float v : x) greatest = std::max(greatest, std::fabs(static_cast<double>(v)));
  const int adding = o.travel() == Travel::homomorphic ? 1 : 2 * ranks;
  const double largest = o.op == Op::sum && !o.mean && o.reduction() ? ranks * greatest : greatest;
  return adding * 0x1p-24 * largest;
}

// Returns the measured error divided by the likely error.
double check(const Operation& o, int ranks, std::size_t field) {
  const Prediction p = predict(o, ranks);
  ErrorTrial trial(o, ranks, parts_of_field(field, base_seed()));
  const ErrorSummary s = summarise(trial.run());
  const double slack = rounding(o, ranks, field);
  EXPECT_LE(s.worst, p.worst_case + slack) << to_text(o, ranks) << ", field " << field;
  EXPECT_LE(s.likely, p.likely * 1.02 + slack) << to_text(o, ranks) << ", field " << field << ", " << seed_note();
  EXPECT_GT(p.likely, 0);
  return s.likely / p.likely;
}

// The ring algorithm with all reductions and codecs; the bound is on the result, as users give it, or on every
// contribution.
TEST(PredictedErrors, HoldForReductionsOfRealFields) {
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  Random random(base_seed());
  for (const int ranks : {2, 3, 4, 8, 16})
    for (const char* codec : {"quant", "szx", "zfp"})
      for (const Reduction& reduction : reductions)
        for (std::size_t field = 0; field < fields; ++field)
          for (const BoundTarget target : {BoundTarget::result, BoundTarget::input, BoundTarget::likely}) {
            if (find_codec(codec) == nullptr || left_out(random, 2)) continue;
            Operation o = operation(Collective::allreduce, "ring", codec, ranks);
            o.op = reduction.op;
            o.mean = reduction.mean;
            o.target = target;
            o.bound = (target == BoundTarget::input ? 1e-4 : 1e-3) * range_of(detail::real_field(field));
            const double share = check(o, ranks, field);
            if (::testing::Test::HasFailure()) return;
            // The minimum of rain over many ranks is 0, which is coded without an error; sums do not have this
            // advantage.
            if (o.codec->name() == "quant" && o.op == Op::sum) {
              // A likely bound is coarser, and more of the rain is 0.
              EXPECT_GT(share, target == BoundTarget::likely ? 0.6 : 0.7) << to_text(o, ranks) << ", field " << field;
            }
          }
}

// The bound on the likely error is spent: it is about two standard deviations of the errors of all encodes and, from 16
// ranks on, of rounding the result once more.
TEST(PredictedErrors, AreTheLikelyBoundOnManyRanks) {
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  for (const int ranks : {4, 32, 64}) {
    Operation o = operation(Collective::allreduce, "ring", "quant", ranks);
    o.target = BoundTarget::likely;
    o.bound = 1e-3 * range_of(detail::real_field(0));
    EXPECT_NEAR(predict(o, ranks).likely, o.bound, 1e-12 * o.bound);
    EXPECT_GT(check(o, ranks, 0), 0.7);
    const double rounding = ranks < 16 ? 0 : 2 + std::ldexp(1.0, std::ilogb(ranks) / 2 * 2);
    const double deviations = 2 * std::sqrt((ranks + rounding) / 3);
    EXPECT_NEAR(budget_of(o, ranks).allowance * deviations, o.bound, 0.08 * o.bound);
  }
}

TEST(PredictedErrors, HoldForEveryAlgorithm) {
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  Random random(base_seed());
  for (const Algorithm& algorithm : all_algorithms())
    for (const int ranks : {2, 3, 4, 8, 16})
      for (const char* codec : {"quant", "szx", "zfp"})
        for (const bool per_hop : {false, true}) {
          if (find_codec(codec) == nullptr || !algorithm.fits(ranks_of(ranks)) || left_out(random, 2)) continue;
          Operation o = operation(algorithm.collective, algorithm.name().data(), codec, ranks);
          o.per_hop = per_hop;
          const std::size_t field = random.below(2);
          o.bound = 1e-3 * range_of(detail::real_field(field));
          const double share = check(o, ranks, field);
          if (::testing::Test::HasFailure()) return;
          if (o.codec->name() == "quant") {
            EXPECT_GT(share, 0.5) << to_text(o, ranks) << ", field " << field;
          }
        }
}

// The argument of the papers assumes that the errors of different ranks are independent.
TEST(PredictedErrors, AddUpToTheWorstCaseWhereAllRanksHoldTheSame) {
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  constexpr int ranks = 16;
  Operation o = operation(Collective::allreduce, "ring", "quant", ranks);
  o.target = BoundTarget::input;
  o.bound = 1e-4 * range_of(detail::real_field(0));
  const Bring bring = parts_of_field(0, base_seed());
  ErrorTrial trial(o, ranks, [&](int, std::size_t count) { return bring(0, count); });
  const ErrorSummary s = summarise(trial.run());
  const Prediction p = predict(o, ranks);
  EXPECT_GT(s.likely, 3 * p.likely);
  EXPECT_GT(s.worst, 0.97 * p.worst_case);
  EXPECT_LE(s.worst, p.worst_case + rounding(o, ranks, 0));
}

// C-Coll's Theorem 1 assumes errors with mean 0. The errors of szx have another mean: they grow with the number of
// terms, whereas those of quant grow with its root.
TEST(PredictedErrors, GrowLinearlyWhereEncodesLeanToOneSide) {
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  const auto measured = [](const char* codec, int ranks) {
    Operation o = operation(Collective::allreduce, "ring", codec, ranks);
    o.target = BoundTarget::input;
    o.bound = 1e-4 * range_of(detail::real_field(3));
    ErrorTrial trial(o, ranks, parts_of_field(3, base_seed()));
    return summarise(trial.run()).likely;
  };
  EXPECT_GT(measured("szx", 32) / measured("szx", 4), 5);
  EXPECT_LT(measured("quant", 32) / measured("quant", 4), 4);
}

}  // namespace
}  // namespace laconic::test
