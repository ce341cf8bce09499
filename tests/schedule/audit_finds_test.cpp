// SPDX-License-Identifier: BSD-3-Clause
// The audit finds the fault in each of these wrong schedules.
#include <gtest/gtest.h>

#include <string>

#include "schedule/audit.hpp"
#include "schedule/messages.hpp"
#include "schedule/patterns.hpp"

namespace laconic::test {
namespace {

// Returns the problem that the audit finds in a schedule; an empty text when it finds none.
using Build = Schedule (*)(Place);
std::string problem_of(Build build, int size, Collective collective = Collective::allreduce, int root = 0,
                       std::uint32_t most = 1) {
  const Algorithm algorithm{AlgorithmName::unset, collective, any_size, build, [](int, Travel) { return Terms{}; }};
  const Audit a = audit(algorithm, size, root, {}, most);
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

// Every rank sends all its messages before it receives any: that needs memory for as many frames as there are ranks.
Schedule all_sends_first(Place at) {
  Builder s(at.size);
  for (int k = 1; k < at.size; ++k) s.send(wrap(at.rank + k, at.size), wrap(at.rank + k, at.size));
  for (int k = 1; k < at.size; ++k) s.reduce(at.rank, wrap(at.rank - k, at.size));
  for (int k = 1; k < at.size; ++k) s.send(at.rank, wrap(at.rank + k, at.size));
  for (int k = 1; k < at.size; ++k) s.receive(wrap(at.rank - k, at.size), wrap(at.rank - k, at.size));
  return s.take();
}

TEST(AuditFinds, RanksThatRunTooFarAhead) {
  const Algorithm eager{AlgorithmName::unset, Collective::allreduce, any_size, all_sends_first, nullptr};
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

// Recursive doubling that treats 3 ranks as a power of two.
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

// Every rank sends to every other and adds in the order of its own neighbours. Each result is a sum of all
// contributions, but (a+b)+c on one rank and (b+c)+a on another, which differ in the last bits.
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

// Folding for sizes that are not a power of two, with the result computed on both ranks of a pair.
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

// --- Data movement --------------------------------------------------------------------------------------------------

Schedule two_from_rank_1(Place at) {
  Builder b(1);
  if (at.rank == 1) b.send(0, 1 - at.rank);
  if (at.rank == 0) b.receive(0, 1);
  return b.take();
}

TEST(AuditFinds, ValueSentByARankThatNeverHasIt) {
  EXPECT_EQ(problem_of(two_from_rank_1, 2, Collective::bcast, 1), "");
  const std::string problem = problem_of(two_from_rank_1, 2, Collective::bcast, 0);
  EXPECT_TRUE(says(problem, "rank 1 sends block 0 before it has it, at step 0")) << problem;
}

TEST(AuditFinds, ValueSentBeforeItIsThere) {
  const auto build = [](Place at) {
    Builder b(1);
    if (at.rank == 0) b.send(0, 1);
    if (at.rank == 1) b.send(0, 2).receive(0, 0);
    if (at.rank == 2) b.receive(0, 1);
    return b.take();
  };
  const std::string problem = problem_of(build, 3, Collective::bcast);
  EXPECT_TRUE(says(problem, "rank 1 sends block 0 before it has it")) << problem;
}

TEST(AuditFinds, BlockThatIsNotDelivered) {
  const auto build = [](Place at) {
    Builder b(at.size);
    if (at.rank == 0) b.send(1, 1);
    if (at.rank == 1) b.receive(1, 0);
    return b.take();
  };
  EXPECT_EQ(problem_of(build, 2, Collective::scatter), "");
  const std::string problem = problem_of(build, 3, Collective::scatter);
  EXPECT_TRUE(says(problem, "rank 2 never gets block 2")) << problem;
}

TEST(AuditFinds, WrongBlockOfAnAlltoall) {
  const auto exchange = [](Place at) {
    const int peer = 1 - at.rank;
    return Builder(4).send(at.rank * 2 + peer, peer).receive(peer * 2 + at.rank, peer).take();
  };
  EXPECT_EQ(problem_of(exchange, 2, Collective::alltoall), "");
  const auto own = [](Place at) {
    const int peer = 1 - at.rank;
    return Builder(4).send(at.rank * 2 + at.rank, peer).receive(peer * 2 + peer, peer).take();
  };
  EXPECT_TRUE(says(problem_of(own, 2, Collective::alltoall), "never gets")) << problem_of(own, 2, Collective::alltoall);
}

// A gather that adds blocks it should only collect: into a block that is not there, and into one that is.
TEST(AuditFinds, AdditionWhereThereIsNothingToAddTo) {
  const auto build = [](Place at) {
    Builder b(at.size);
    if (at.rank == 1) b.send(1, 0);
    if (at.rank == 0) b.reduce(1, 1);
    return b.take();
  };
  EXPECT_TRUE(says(problem_of(build, 2, Collective::gather), "before it has it"));
}

TEST(AuditFinds, WrongSource) {
  const auto build = [](Place at) {
    Builder b(at.size);
    if (at.rank == 1) return b.send(1, 0).receive(1, 0).take();
    return b.receive(1, 1).reduce(1, 1).send(1, 1).take();
  };
  EXPECT_FALSE(problem_of(build, 2, Collective::allgather).empty());
  const auto doubled = [](Place at) {
    Builder b(at.size);
    if (at.rank == 1) return b.send(1, 0).send(1, 0).receive(0, 0).take();
    return b.receive(1, 1).reduce(1, 1).send(0, 1).take();
  };
  const std::string problem = problem_of(doubled, 2, Collective::allgather);
  EXPECT_TRUE(says(problem, "rank 0, block 1 holds the contribution of rank 1 2 times")) << problem;
}

TEST(AuditFinds, WrongNumberOfBlocks) {
  const auto build = [](Place) { return Builder(1).take(); };
  EXPECT_EQ(problem_of(build, 1, Collective::gather), "");
  const std::string problem = problem_of(build, 2, Collective::gather);
  EXPECT_TRUE(says(problem, "cuts the data into 1 blocks where 2 are asked for")) << problem;
}

TEST(AuditFinds, WrongRoot) {
  const auto build = [](Place at) {
    Builder b(1);
    if (at.rank == 0) return b.reduce(0, 1).take();
    return b.send(0, 0).take();
  };
  EXPECT_EQ(problem_of(build, 2, Collective::reduce, 0), "");
  const std::string problem = problem_of(build, 2, Collective::reduce, 1);
  EXPECT_TRUE(says(problem, "rank 1, block 0 holds the contribution of rank 0 0 times")) << problem;
}

// --- Messages of several blocks
// ---------------------------------------------------------------------------------------

// Rank 0 has all the data of a broadcast in two blocks.
std::string problem_of_joined_bcast(Build build) {
  EXPECT_EQ(problem_of(build, 2, Collective::bcast), "") << "each block in a message of its own";
  return problem_of(build, 2, Collective::bcast, 0, all_blocks);
}

TEST(AuditFinds, NothingWrongWithAMessageOfTwoBlocks) {
  const auto build = [](Place at) {
    Builder b(2);
    if (at.rank == 0) return b.hop().send(0, 1).send(1, 1).take();
    return b.hop().receive(0, 0).receive(1, 0).take();
  };
  EXPECT_EQ(problem_of_joined_bcast(build), "");
}

TEST(AuditFinds, HopThatOnlyOneEndBegins) {
  const auto build = [](Place at) {
    Builder b(2);
    if (at.rank == 0) return b.hop().send(0, 1).send(1, 1).take();
    return b.hop().receive(0, 0).hop().receive(1, 0).take();
  };
  const std::string problem = problem_of_joined_bcast(build);
  EXPECT_TRUE(says(problem, "takes block 0 as 1 of 1 of a message from 0, which sends it as 1 of 2")) << problem;
}

TEST(AuditFinds, MessageThatIsInterrupted) {
  const auto build = [](Place at) {
    Builder b(3);
    b.hop();
    if (at.rank == 1) return b.receive(0, 0).receive(2, 2).receive(1, 0).take();
    for (int block = 0; block < 3; ++block)
      if (at.rank == (block == 2 ? 2 : 0)) b.send(block, 1);
    return b.take();
  };
  const std::string problem = problem_of(build, 3, Collective::gather, 1, all_blocks);
  EXPECT_TRUE(says(problem, "rank 1 takes a block from 2 amid those of a message from 0")) << problem;
}

// A ring whose author takes all its steps for one hop: every rank would wait for the last block before it sent the
// first.
TEST(AuditFinds, HopThatDependsOnItself) {
  const auto build = [](Place at) {
    Builder b(at.size);
    b.hop();
    for (int k = 0; k < at.size - 1; ++k)
      b.send(wrap(at.rank - k, at.size), wrap(at.rank + 1, at.size))
          .receive(wrap(at.rank - k - 1, at.size), wrap(at.rank - 1, at.size));
    return b.take();
  };
  EXPECT_EQ(problem_of(build, 4, Collective::allgather), "");
  const std::string problem = problem_of(build, 4, Collective::allgather, 0, all_blocks);
  EXPECT_TRUE(says(problem, "waits for ever")) << problem;
}

// --- Encodes --------------------------------------------------------------------------------------------------------

// Recursive doubling as in MPICH: the odd rank of a pair sends the result to the even one. Where sums are encoded
// again, those two ranks decode a frame that the third rank does not have.
TEST(AuditFinds, ResultThatOnlySomeRanksEncode) {
  const auto build = [](Place at) {
    Builder b(1);
    if (at.rank == 0) return b.send(0, 1).receive(0, 1).take();
    if (at.rank == 1) return b.reduce(0, 0).send(0, 2).reduce(0, 2).send(0, 0).take();
    return b.send(0, 1).reduce(0, 1).take();
  };
  const std::string problem = problem_of(build, 3);
  EXPECT_TRUE(says(problem, "after other encodes")) << problem;
}

TEST(Audit, CountsErrorsOfEveryTravel) {
  // Ranks 2 and 1 add to a sum that rank 0 completes and sends to all ranks.
  const auto build = [](Place at) {
    Builder b(1);
    if (at.rank == 0) return b.reduce(0, 1).send(0, 1).send(0, 2).take();
    if (at.rank == 1) return b.reduce(0, 2).send(0, 0).receive(0, 0).take();
    return b.send(0, 1).receive(0, 0).take();
  };
  const Algorithm star{AlgorithmName::unset, Collective::allreduce, any_size, build, nullptr};
  const Audit a = audit(star, 3);
  EXPECT_EQ(a.problem, "");
  EXPECT_EQ(a.homomorphic, (Terms{3, 0}));
  EXPECT_EQ(a.reencoding, (Terms{2, 1}));
  EXPECT_EQ(a.per_hop, (Terms{3, 0}));
  EXPECT_EQ(a.cost.hops, 3);
  EXPECT_EQ(a.cost.share, 2);
  EXPECT_EQ(a.most_messages, 1);
}

}  // namespace
}  // namespace laconic::test
