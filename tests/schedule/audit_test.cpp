// Every algorithm for 1 to 65 ranks, proved symbolically; and the proof itself, given schedules that are wrong.
#include "schedule/audit.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "schedule/schedule.hpp"

namespace laconic::test {
namespace {

constexpr int largest_size = 65;

class EveryAlgorithm : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Algorithm& algorithm() const { return all_algorithms()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(Algorithms, EveryAlgorithm, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) {
                           std::string name(all_algorithms()[i.param].name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_P(EveryAlgorithm, IsSoundForEverySize) {
  for (int size = 1; size <= largest_size; ++size) {
    if (!algorithm().fits(size)) continue;
    const Audit a = audit(algorithm(), size);
    EXPECT_TRUE(a.ok) << size << " ranks: " << a.problem;
    EXPECT_EQ(a.problem.empty(), a.ok);
  }
}

TEST_P(EveryAlgorithm, KnowsItsErrorTerms) {
  for (int size = 1; size <= largest_size; ++size)
    if (algorithm().fits(size)) {
      EXPECT_EQ(audit(algorithm(), size).reencoded_terms, algorithm().reencoded_terms(size)) << size << " ranks";
    }
}

TEST_P(EveryAlgorithm, SendsWhatItShould) {
  for (int size = 1; size <= largest_size; ++size) {
    if (!algorithm().fits(size)) continue;
    const Audit a = audit(algorithm(), size);
    const auto p = static_cast<std::size_t>(size);
    if (algorithm().name == "ring" || algorithm().name == "direct") {
      EXPECT_EQ(a.blocks, size);
      EXPECT_EQ(a.bytes_factor_numerator, 2 * (p - 1));  // of p blocks: the least that an allreduce can do
    }
    if (algorithm().name == "recursive-doubling") {
      std::size_t steps = 0;
      while ((std::size_t{2} << steps) <= p) ++steps;
      const bool power_of_two = (p & (p - 1)) == 0;
      EXPECT_EQ(a.blocks, 1);
      EXPECT_EQ(a.bytes_factor_numerator, steps + (power_of_two ? 0 : 1));
    }
  }
}

TEST_P(EveryAlgorithm, IsFoundByItsName) {
  EXPECT_EQ(find_algorithm(algorithm().name), &algorithm());
  EXPECT_EQ(find_algorithm("no such algorithm"), nullptr);
  EXPECT_EQ(find_algorithm(""), nullptr);
}

TEST(Algorithms, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (const Algorithm& a : all_algorithms()) EXPECT_TRUE(names.insert(a.name).second) << a.name;
}

TEST(Wrap, StaysInRange) {
  for (int size = 1; size < 9; ++size)
    for (int k = -20; k < 20; ++k) {
      EXPECT_GE(wrap(k, size), 0);
      EXPECT_LT(wrap(k, size), size);
      EXPECT_EQ((wrap(k, size) - k) % size, 0);
    }
}

// What the audit says of a schedule; an empty text when it finds nothing wrong.
std::string problem_of(Schedule (*build)(Place), int size) {
  const Algorithm algorithm{"broken", Collective::allreduce, [](int) { return true; }, build, [](int) { return 0; }};
  const Audit a = audit(algorithm, size);
  EXPECT_EQ(a.ok, a.problem.empty());
  return a.problem;
}

bool says(const std::string& problem, const std::string& words) { return problem.find(words) != std::string::npos; }

TEST(AuditFinds, NothingWrongWithAnExchange) {
  const auto exchange = [](Place at) { return Builder(1).send(0, 1 - at.rank).reduce(0, 1 - at.rank).take(); };
  EXPECT_EQ(problem_of(exchange, 2), "");
}

TEST(AuditFinds, EveryoneWaitsForEveryone) {
  const auto build = [](Place at) { return Builder(1).reduce(0, 1 - at.rank).send(0, 1 - at.rank).take(); };
  EXPECT_TRUE(says(problem_of(build, 2), "waits for ever")) << problem_of(build, 2);
}

TEST(AuditFinds, OneWaitsForAMessageThatNobodySends) {
  const auto build = [](Place at) {
    Builder b(1);
    b.send(0, 1 - at.rank).reduce(0, 1 - at.rank);
    if (at.rank == 1) b.receive(0, 0);
    return b.take();
  };
  EXPECT_TRUE(says(problem_of(build, 2), "rank 1 waits for ever at step 2")) << problem_of(build, 2);
}

// Everybody sends all its messages before it takes any: that needs memory for as many frames as there are ranks.
Schedule all_sends_first(Place at) {
  Builder s(at.size);
  for (int k = 1; k < at.size; ++k) s.send(wrap(at.rank + k, at.size), wrap(at.rank + k, at.size));
  for (int k = 1; k < at.size; ++k) s.reduce(at.rank, wrap(at.rank - k, at.size));
  for (int k = 1; k < at.size; ++k) s.send(at.rank, wrap(at.rank + k, at.size));
  for (int k = 1; k < at.size; ++k) s.receive(wrap(at.rank - k, at.size), wrap(at.rank - k, at.size));
  return s.take();
}

TEST(AuditFinds, RanksThatRunTooFarAhead) {
  const Algorithm eager{"all sends first", Collective::allreduce, [](int) { return true; }, all_sends_first,
                        [](int) { return 0; }};
  EXPECT_TRUE(audit(eager, 3).ok);
  const Audit a = audit(eager, 8);
  EXPECT_FALSE(a.ok);
  EXPECT_NE(a.problem.find("waits for ever"), std::string::npos) << a.problem;
}

TEST(AuditFinds, ContributionCountedTwice) {
  const auto build = [](Place at) {
    const int peer = 1 - at.rank;
    return Builder(1).send(0, peer).reduce(0, peer).send(0, peer).reduce(0, peer).take();
  };
  EXPECT_TRUE(says(problem_of(build, 2), "2 times")) << problem_of(build, 2);
}

// Recursive doubling, believing that 3 ranks are a power of two.
TEST(AuditFinds, ContributionMissing) {
  const auto build = [](Place at) {
    Builder b(1);
    const int peer = at.rank ^ 1;
    if (peer < at.size) b.send(0, peer).reduce(0, peer);
    return b.take();
  };
  EXPECT_TRUE(says(problem_of(build, 3), "0 times")) << problem_of(build, 3);
}

TEST(AuditFinds, BlockThatNobodyTouches) {
  const auto build = [](Place at) { return Builder(2).send(0, 1 - at.rank).reduce(0, 1 - at.rank).take(); };
  EXPECT_TRUE(says(problem_of(build, 2), "block 1")) << problem_of(build, 2);
}

TEST(AuditFinds, UnreadMessage) {
  const auto build = [](Place at) {
    Builder b(1);
    b.send(0, 1 - at.rank).reduce(0, 1 - at.rank);
    if (at.rank == 0) b.send(0, 1);
    return b.take();
  };
  EXPECT_TRUE(says(problem_of(build, 2), "never received")) << problem_of(build, 2);
}

TEST(AuditFinds, MessageOfAnotherBlock) {
  const auto build = [](Place at) {
    const int peer = 1 - at.rank;
    Builder b(2);
    if (at.rank == 0) return b.send(0, peer).send(1, peer).reduce(0, peer).reduce(1, peer).take();
    return b.send(0, peer).send(1, peer).reduce(1, peer).reduce(0, peer).take();
  };
  EXPECT_TRUE(says(problem_of(build, 2), "where it expects")) << problem_of(build, 2);
}

// Everyone sends to everyone and adds in the order of its own neighbourhood: each result is a sum of all, but
// (a+b)+c on one rank and (b+c)+a on another, which differ in the last bits.
TEST(AuditFinds, DifferentOrdersOfAddition) {
  const auto build = [](Place at) {
    Builder b(1);
    for (int k = 1; k < at.size; ++k) b.send(0, wrap(at.rank + k, at.size));
    for (int k = 1; k < at.size; ++k) b.reduce(0, wrap(at.rank - k, at.size));
    return b.take();
  };
  EXPECT_EQ(problem_of(build, 2), "");  // a+b and b+a are the same
  EXPECT_TRUE(says(problem_of(build, 3), "different orders")) << problem_of(build, 3);
}

// Folding for sizes that are no power of two, with the result computed on both ranks of a pair.
TEST(AuditFinds, DifferentOrdersAfterAFold) {
  const auto build = [](Place at) {
    Builder b(1);
    if (at.rank == 2) return b.send(0, 1).send(0, 0).reduce(0, 0).reduce(0, 1).take();
    b.send(0, 1 - at.rank);
    if (at.rank == 0) b.send(0, 2);
    if (at.rank == 1) b.send(0, 2);
    return at.rank == 0 ? b.reduce(0, 1).reduce(0, 2).take() : b.reduce(0, 2).reduce(0, 0).take();
  };
  EXPECT_FALSE(problem_of(build, 3).empty());
}

TEST(AuditFinds, PeersAndBlocksThatDoNotExist) {
  EXPECT_FALSE(problem_of([](Place) { return Builder(1).send(0, 2).take(); }, 2).empty());
  EXPECT_FALSE(problem_of([](Place) { return Builder(1).send(0, -1).take(); }, 2).empty());
  EXPECT_FALSE(problem_of([](Place at) { return Builder(1).send(0, at.rank).take(); }, 2).empty());
  EXPECT_FALSE(problem_of([](Place at) { return Builder(1).send(1, 1 - at.rank).take(); }, 2).empty());
  EXPECT_FALSE(problem_of([](Place at) { return Builder(1).send(-1, 1 - at.rank).take(); }, 2).empty());
}

TEST(AuditFinds, RanksThatCutTheDataDifferently) {
  const auto more = [](Place at) {
    Builder b(1 + at.rank);
    for (int k = 0; k <= at.rank; ++k) b.send(0, 1 - at.rank).reduce(0, 1 - at.rank);
    return b.take();
  };
  EXPECT_FALSE(problem_of(more, 2).empty());
  const auto untouched = [](Place at) {
    return Builder(1 + at.rank * 1000).send(0, 1 - at.rank).reduce(0, 1 - at.rank).take();
  };
  EXPECT_TRUE(says(problem_of(untouched, 2), "blocks")) << problem_of(untouched, 2);
  EXPECT_FALSE(problem_of([](Place) { return Builder(0).take(); }, 2).empty());
  EXPECT_FALSE(problem_of([](Place) { return Builder(-1).take(); }, 2).empty());
}

}  // namespace
}  // namespace laconic::test
