// SPDX-License-Identifier: BSD-3-Clause
// The ledger divides a bound into allowances for single encodes.
#include "engine/ledger.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr Travel travels[] = {Travel::homomorphic, Travel::reencoding, Travel::per_hop};

std::string to_text(const Algorithm& algorithm, int size, Travel travel) {
  return std::string(algorithm.name()) + " " + std::string(name_of(algorithm.collective)) + " of " +
         std::to_string(size) +
         (travel == Travel::homomorphic ? ", adding"
          : travel == Travel::per_hop   ? ", per hop"
                                        : "");
}

// The error that the budget allows a result. It is exact: with the 64 bits of long double, products with small
// integers do not round.
long double added_up(const Budget& budget, Terms terms) {
  return static_cast<long double>(budget.allowance) * terms.intermediate +
         static_cast<long double>(budget.last_allowance) * terms.final;
}

// The number of errors in a result, as the algorithm states it.
Terms stated(const Algorithm& algorithm, int size, Travel travel) {
  if (size == 1) return {0, 1};
  if (travel != Travel::homomorphic) return algorithm.terms(size, travel);
  return reduces(algorithm.collective) ? Terms{size, 0} : Terms{0, 1};
}

template <class F>
void for_all(F&& test) {
  for (const Algorithm& algorithm : all_algorithms())
    for (int size = 1; size <= 65; ++size) {
      if (!algorithm.fits(size)) continue;
      for (const Travel travel : travels) {
        SCOPED_TRACE(to_text(algorithm, size, travel) + ", " + seed_note());
        test(algorithm, size, travel);
        if (::testing::Test::HasFailure()) return;
      }
    }
}

TEST(Ledger, KeepsTheBoundOnTheResultAndWastesNothing) {
  Random random(base_seed());
  for_all([&](const Algorithm& algorithm, int size, Travel travel) {
    const Terms terms = size == 1 && reduces(algorithm.collective) && travel == Travel::homomorphic
                            ? Terms{1, 0}
                            : stated(algorithm, size, travel);
    for (int k = 0; k < 5; ++k) {
      const double bound = (1 + random.unit()) * detail::power_of_two(static_cast<int>(random.below(1800)) - 900);
      const Budget sum = divide_bound(bound, false, Op::sum, false, algorithm, size, travel);
      ASSERT_EQ(sum.terms, static_cast<std::uint32_t>(terms.all()));
      ASSERT_EQ(sum.worst_case, bound);
      ASSERT_LE(added_up(sum, terms), bound);
      ASSERT_GE(added_up(sum, terms), bound * (1 - 1e-9)) << "some of the bound is given away";

      if (!reduces(algorithm.collective)) continue;
      const Budget mean = divide_bound(bound, false, Op::sum, true, algorithm, size, travel);
      ASSERT_EQ(mean.worst_case, bound);
      ASSERT_LE(added_up(mean, terms) / size, bound);
      ASSERT_GE(added_up(mean, terms) / size, bound * (1 - 1e-9));

      // The maximum is one of the contributions. Unless sums are encoded again, it holds one error.
      const Terms chosen = travel == Travel::homomorphic ? Terms{1, 0} : terms;
      for (const Op op : {Op::max, Op::min}) {
        const Budget most = divide_bound(bound, false, op, false, algorithm, size, travel);
        ASSERT_EQ(most.worst_case, bound);
        ASSERT_LE(added_up(most, chosen), bound);
        ASSERT_GE(added_up(most, chosen), bound * (1 - 1e-9));
      }
    }
  });
}

// The error of rounding results once more is that of 2^k encodes, and the encodes leave room for it.
TEST(Ledger, RoundingOfResultsIsPartOfTheBound) {
  Random random(base_seed());
  for (const int size : {2, 3, 8, 65, 1000, 100000})
    for (const bool mean : {false, true})
      for (std::uint32_t coarser = 1; coarser <= largest_coarser; ++coarser) {
        SCOPED_TRACE(std::to_string(size) + " ranks, 2^" + std::to_string(coarser) + ", " + seed_note());
        const double bound = (1 + random.unit()) * detail::power_of_two(static_cast<int>(random.below(1800)) - 900);
        const Algorithm& ring = *find_algorithm(Collective::allreduce, "ring");
        const Budget budget =
            make_room_for_rounding(divide_bound(bound, false, Op::sum, mean, ring, size, Travel::homomorphic), coarser);
        const long double rounding = std::ldexp(static_cast<long double>(budget.allowance), static_cast<int>(coarser));
        const long double sum = static_cast<long double>(budget.allowance) * size + rounding;
        ASSERT_EQ(budget.coarser, coarser);
        ASSERT_EQ(budget.last_allowance, rounding);
        ASSERT_EQ(budget.worst_case, bound);
        ASSERT_LE(sum / (mean ? size : 1), bound);
        ASSERT_GE(sum / (mean ? size : 1), bound * (1 - 1e-9)) << "some of the bound is given away";
        const Budget allowed =
            allow_rounding(divide_bound(bound, true, Op::sum, mean, ring, size, Travel::homomorphic), coarser);
        ASSERT_EQ(allowed.allowance, bound);
        ASSERT_NEAR(allowed.worst_case / bound, (size + std::ldexp(1.0, static_cast<int>(coarser))) / (mean ? size : 1),
                    1e-9 * allowed.worst_case / bound);
      }
}

// Where nothing is encoded on the way, both allowances keep the bound.
TEST(Ledger, NoAllowanceExceedsTheBound) {
  for_all([&](const Algorithm& algorithm, int size, Travel travel) {
    for (const Op op : {Op::sum, Op::max, Op::min}) {
      const Budget b = divide_bound(0.1, false, op, false, algorithm, size, travel);
      ASSERT_GT(b.allowance, 0);
      ASSERT_LE(b.allowance, 0.1);
      ASSERT_GT(b.last_allowance, 0);
      ASSERT_LE(b.last_allowance, 0.1);
    }
  });
}

// Where frames are added there is one lattice, and where blocks are moved there is one error.
TEST(Ledger, FramesThatAreAddedHaveOneAllowance) {
  for_all([&](const Algorithm& algorithm, int size, Travel travel) {
    if (travel != Travel::homomorphic) return;
    const Budget b = divide_bound(0.1, false, Op::sum, false, algorithm, size, travel);
    ASSERT_EQ(b.allowance, b.last_allowance);
    ASSERT_NEAR(b.allowance, reduces(algorithm.collective) ? 0.1 / size : 0.1, 1e-15);
  });
}

// Half of the bytes belong to frames of results: these get half of the bound, so that they are the shorter.
TEST(Ledger, ResultsGetHalfWhereTheyAreEncodedAgain) {
  for_all([&](const Algorithm& algorithm, int size, Travel travel) {
    const Terms terms = stated(algorithm, size, travel);
    if (travel == Travel::homomorphic || terms.intermediate == 0 || terms.final == 0) return;
    const Budget b = divide_bound(0.1, false, Op::sum, false, algorithm, size, travel);
    ASSERT_NEAR(b.last_allowance * terms.final, 0.05, 1e-12);
    ASSERT_NEAR(b.allowance * terms.intermediate, 0.05, 1e-12);
  });
}

TEST(Ledger, GivesEveryInputTheWholeBoundWhenAsked) {
  for_all([](const Algorithm& algorithm, int size, Travel travel) {
    const double terms = stated(algorithm, size, travel).all();
    const Budget sum = divide_bound(0.1, true, Op::sum, false, algorithm, size, travel);
    ASSERT_EQ(sum.allowance, 0.1);
    ASSERT_EQ(sum.last_allowance, 0.1);
    ASSERT_DOUBLE_EQ(sum.worst_case, 0.1 * terms);
    if (!reduces(algorithm.collective)) return;
    ASSERT_DOUBLE_EQ(divide_bound(0.1, true, Op::sum, true, algorithm, size, travel).worst_case, 0.1 * terms / size);
    const Budget most = divide_bound(0.1, true, Op::max, false, algorithm, size, travel);
    ASSERT_EQ(most.allowance, 0.1);
    ASSERT_DOUBLE_EQ(most.worst_case, travel == Travel::homomorphic ? 0.1 : 0.1 * terms);
  });
}

TEST(Ledger, WithoutABoundAllowsNothing) {
  for_all([](const Algorithm& algorithm, int size, Travel travel) {
    for (const bool mean : {false, true})
      for (const bool per_input : {false, true}) {
        const Budget b = divide_bound(0, per_input, Op::sum, mean, algorithm, size, travel);
        ASSERT_EQ(b.allowance, 0);
        ASSERT_EQ(b.last_allowance, 0);
        ASSERT_EQ(b.worst_case, 0);
      }
  });
}

// At the edges of the exponent range no allowance becomes infinite, negative or larger than requested.
TEST(Ledger, ExtremeBounds) {
  for_all([](const Algorithm& algorithm, int size, Travel travel) {
    if (size < 2) return;
    for (const double bound : {std::numeric_limits<double>::denorm_min(), 1e-320, std::numeric_limits<double>::min(),
                               std::numeric_limits<double>::max()}) {
      const Budget b = divide_bound(bound, false, Op::sum, false, algorithm, size, travel);
      ASSERT_GE(b.allowance, 0);
      ASSERT_LE(b.allowance, bound);
      ASSERT_GE(b.last_allowance, 0);
      ASSERT_LE(b.last_allowance, bound);
      ASSERT_EQ(b.worst_case, bound);
    }
  });
}

TEST(Ledger, CodecsTravelAsTheyCan) {
  for (const Codec* codec : all_codecs()) {
    EXPECT_EQ(travel_of(*codec, true), Travel::per_hop);
    EXPECT_EQ(travel_of(*codec, false), codec->exact_sums() ? Travel::homomorphic : Travel::reencoding)
        << codec->name();
  }
}

TEST(Ledger, OneRankHoldsAtMostTheErrorOfOneEncode) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const Travel travel : travels)
      if (algorithm.fits(1)) {
        EXPECT_EQ(terms_of(algorithm, 1, travel).all(), 1) << algorithm.name();
      }
}

}  // namespace
}  // namespace laconic::test
