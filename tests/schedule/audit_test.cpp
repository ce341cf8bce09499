// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm for 1 to 65 ranks, verified symbolically, and compared with the costs that the documentation states.
#include "schedule/audit.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cost_formulas.hpp"
#include "schedule/patterns.hpp"
#include "support/place.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

class EveryAlgorithm : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Algorithm& algorithm() const { return all_algorithms()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Algorithms, EveryAlgorithm, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) {
                           const Algorithm& a = all_algorithms()[i.param];
                           std::string name = std::string(a.name()) + "_" + std::string(name_of(a.collective));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

std::set<int> roots_of(Collective collective, int size) {
  if (!has_root(collective)) return {0};
  if (size > 9) return {0, 1, size / 2, size - 1};
  std::set<int> all;
  for (int root = 0; root < size; ++root) all.insert(root);
  return all;
}

TEST_P(EveryAlgorithm, IsSoundKnowsItsErrorsAndCostsWhatTheDocsSay) {
  const CostFormula* formula = find_cost_formula(algorithm());
  ASSERT_NE(formula, nullptr) << "cost_formulas.hpp lacks the algorithm";
  for (int size = 1; size <= most_ranks; ++size) {
    if (!algorithm().fits(ranks_of(size))) continue;
    for (const int root : roots_of(algorithm().collective, size)) {
      const Audit a = audit(algorithm(), ranks_of(size), root);
      SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
      ASSERT_TRUE(a.ok) << a.problem;
      EXPECT_EQ(a.problem, "");
      const int coded = size > 1 ? 1 : 0;
      // The last rank of an exclusive scan contributes nothing.
      const int contributions = algorithm().collective == Collective::exscan ? size - 1 : size;
      EXPECT_EQ(a.homomorphic.all(), reduces(algorithm().collective) ? contributions * coded : coded);
      for (const Travel travel : {Travel::reencoding, Travel::per_hop}) {
        const Terms measured = travel == Travel::reencoding ? a.reencoding : a.per_hop;
        const Terms stated = algorithm().terms(ranks_of(size), travel);
        EXPECT_EQ(measured.intermediate, stated.intermediate) << (travel == Travel::per_hop ? "per hop" : "reencoding");
        EXPECT_EQ(measured.final, stated.final) << (travel == Travel::per_hop ? "per hop" : "reencoding");
      }
      const Cost stated = formula->cost(size);
      EXPECT_EQ(a.cost.hops, stated.hops);
      EXPECT_NEAR(a.cost.share, stated.share, 1e-9);
    }
  }
}

// Lower bounds for the bytes that the busiest rank sends or receives, and for the hops to a result that depends on all
// ranks, when a message goes to one peer (Chan, Heimlich, Purkayastha and van de Geijn, 2007).
TEST_P(EveryAlgorithm, IsNotBetterThanPossible) {
  for (int size = 2; size <= most_ranks; ++size) {
    if (!algorithm().fits(ranks_of(size))) continue;
    const double others = part(size - 1, size);
    const Collective c = algorithm().collective;
    const double least = c == Collective::allreduce                          ? 2 * others
                         : c == Collective::reduce || c == Collective::bcast ? 1
                                                                             : others;
    const Cost cost = audit(algorithm(), ranks_of(size)).cost;
    EXPECT_GE(cost.share, least - 1e-9) << size << " ranks";
    EXPECT_GE(cost.hops, 1) << size << " ranks";
  }
}

TEST_P(EveryAlgorithm, CostsNothingAlone) {
  if (!algorithm().fits(ranks_of(1))) return;
  const Cost cost = audit(algorithm(), ranks_of(1)).cost;
  EXPECT_EQ(cost.hops, 0);
  EXPECT_EQ(cost.share, 0);
  EXPECT_EQ(algorithm().terms(ranks_of(1), Travel::reencoding), Terms{});
  EXPECT_EQ(algorithm().terms(ranks_of(1), Travel::per_hop), Terms{});
  EXPECT_TRUE(algorithm().build(place_at(0, 1)).steps.empty());
}

TEST_P(EveryAlgorithm, IsBuiltForAThousandRanks) {
  constexpr int size = 1024;
  for (const int rank : {0, 1, 511, 512, 1023})
    for (const int root : {0, 700}) {
      const Schedule s = algorithm().build(place_at(rank, size, root));
      EXPECT_LE(s.steps.size(), 20u * size);
      EXPECT_GE(s.steps.size(), 1u);
    }
}

TEST_P(EveryAlgorithm, IsFoundByItsName) {
  EXPECT_EQ(find_algorithm(algorithm().collective, algorithm().name()), &algorithm());
  EXPECT_EQ(find_algorithm(algorithm().collective, "no such algorithm"), nullptr);
  EXPECT_EQ(find_algorithm(algorithm().collective, ""), nullptr);
}

double share(Collective collective, std::string_view name, int size) {
  return audit(*find_algorithm(collective, name), size, size / 2).cost.share;
}

TEST(Algorithms, SendAsLittleAsPossibleWhereTheyPromiseTo) {
  for (int size = 2; size <= most_ranks; ++size) {
    const double others = part(size - 1, size);
    const auto least = [&](Collective c, const std::vector<std::string_view>& names, double expected) {
      for (const auto name : names) {
        EXPECT_NEAR(share(c, name, size), expected, 1e-9) << name << " " << name_of(c) << ", " << size << " ranks";
      }
    };
    least(Collective::allreduce, {"ring", "direct"}, 2 * others);
    least(Collective::reduce, {"chain"}, 1);
    least(Collective::reduce_scatter, {"ring", "direct"}, others);
    least(Collective::allgather, {"ring", "direct", "bruck"}, others);
    least(Collective::bcast, {"chain"}, 1);
    least(Collective::scatter, {"binomial", "direct"}, others);
    least(Collective::gather, {"binomial", "direct"}, others);
    least(Collective::alltoall, {"pairwise"}, others);
    if (!powers_of_two(size)) continue;
    least(Collective::allreduce, {"recursive-halving"}, 2 * others);
    least(Collective::reduce, {"recursive-halving"}, 2 * others);
    least(Collective::reduce_scatter, {"recursive-halving"}, others);
    least(Collective::allgather, {"recursive-doubling"}, others);
    least(Collective::allreduce, {"recursive-doubling"}, log2_below(size));
    least(Collective::alltoall, {"bruck"}, log2_below(size) / 2.0);
  }
}

TEST(Algorithms, HaveDifferentNames) {
  std::set<std::pair<Collective, std::string_view>> names;
  for (const Algorithm& a : all_algorithms()) EXPECT_TRUE(names.insert({a.collective, a.name()}).second) << a.name();
}

TEST(Algorithms, ServeEveryCollectiveAtEverySize) {
  for (const Collective c : all_collectives)
    for (int size = 1; size <= 100; ++size) {
      int fitting = 0;
      for (const Algorithm& a : all_algorithms()) fitting += a.collective == c && a.fits(size);
      EXPECT_GE(fitting, traits_of(c).neighborhood() ? 1 : 2) << name_of(c) << ", " << size << " ranks";
    }
}

TEST(Collectives, HaveNames) {
  std::set<std::string_view> names;
  for (const Collective c : all_collectives) EXPECT_TRUE(names.insert(name_of(c)).second);
  EXPECT_EQ(name_of(Collective::reduce_scatter), "reduce_scatter");
  EXPECT_FALSE(names.contains("?"));
}

TEST(Wrap, StaysInRange) {
  for (int size = 1; size < 9; ++size)
    for (int k = -20; k < 20; ++k) {
      EXPECT_GE(wrap(k, size), 0);
      EXPECT_LT(wrap(k, size), size);
      EXPECT_EQ((wrap(k, size) - k) % size, 0);
    }
}

TEST(Patterns, PowersOfTwo) {
  for (int n = 1; n < 200; ++n) {
    EXPECT_LE(power_below(n), n);
    EXPECT_GT(2 * power_below(n), n);
    EXPECT_EQ(1 << log2_below(n), power_below(n));
    EXPECT_GE(1 << log2_above(n), n);
    EXPECT_LT(1 << log2_above(n), 2 * n);
  }
}

TEST(Patterns, BinomialTree) {
  for (int size = 1; size < 70; ++size)
    for (int k = 0; k < size; ++k)
      for (int j = k + 1; j < size; ++j) {
        bool below = false;
        for (int up = j; up > k; up = parent_of(up)) below = parent_of(up) == k ? true : below;
        EXPECT_EQ(j < subtree_end(k, size), below);
        if (!below) continue;
        const int child = child_towards(j, k);
        EXPECT_EQ(parent_of(child), k);
        EXPECT_LE(child, j);
        EXPECT_LT(j, subtree_end(child, size));
      }
}

}  // namespace
}  // namespace laconic::test
