// SPDX-License-Identifier: BSD-3-Clause
// join(): which blocks share a message, and how many messages each algorithm then needs.
#include "schedule/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan.hpp"
#include "schedule/audit.hpp"
#include "schedule/patterns.hpp"
#include "support/operation.hpp"
#include "support/place.hpp"
#include "support/plans.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::uint32_t limits[] = {2, 3, 8, all_blocks};

// Whether the algorithm sends several blocks to one peer on a hop.
bool joins(const Algorithm& algorithm) {
  const std::string_view name = algorithm.name();
  const Collective c = algorithm.collective;
  if (name == "recursive-doubling") return c == Collective::allgather;
  if (name == "hierarchical") return c == Collective::alltoall;
  if (name == "binomial") return c == Collective::scatter || c == Collective::gather;
  return name == "recursive-halving" || name == "bruck";
}

std::vector<std::size_t> those_that_join() {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < all_algorithms().size(); ++i)
    if (joins(all_algorithms()[i])) all.push_back(i);
  return all;
}

class Joined : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Algorithm& algorithm() const { return all_algorithms()[GetParam()]; }
};
class JoinedMessages : public Joined {};

INSTANTIATE_TEST_SUITE_P(Algorithms, Joined, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });
INSTANTIATE_TEST_SUITE_P(Algorithms, JoinedMessages, ::testing::ValuesIn(those_that_join()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });

// The audit proves that both ends join the same blocks and that no rank waits for ever, and nothing changes but the
// number of messages.
TEST_P(Joined, StaysSound) {
  for (int size = 1; size <= 33; ++size) {
    if (!algorithm().fits(ranks_of(size))) continue;
    for (const int root : some_roots(algorithm().collective, size)) {
      const Audit alone = audit(algorithm(), ranks_of(size), root);
      for (const std::uint32_t most : limits) {
        SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root) + ", at most " +
                     std::to_string(most) + " blocks in a message");
        const Audit joined = audit(algorithm(), ranks_of(size), root, {}, most);
        ASSERT_TRUE(joined.ok) << joined.problem;
        EXPECT_EQ(joined.homomorphic, alone.homomorphic);
        EXPECT_EQ(joined.reencoding, alone.reencoding);
        EXPECT_EQ(joined.per_hop, alone.per_hop);
        EXPECT_EQ(joined.cost.share, alone.cost.share);
        EXPECT_LE(joined.cost.messages, alone.cost.messages);
        if (!joins(algorithm()) && !traits_of(algorithm().collective).neighborhood()) {
          EXPECT_EQ(joined.cost.messages, alone.cost.messages);
          EXPECT_EQ(joined.cost.hops, alone.cost.hops);
        }
      }
    }
  }
}

// The algorithms with logarithmic hops send and receive logarithmically many messages, too.  The most are those of
// recursive halving and doubling, where one rank of a pair also hands results on.  A hierarchical alltoall has one
// message for each block within the node and one for each other node.  With a limit there are as many more as messages
// are full.
TEST_P(JoinedMessages, AreFew) {
  for (int size = 2; size <= most_ranks; ++size) {
    if (!algorithm().fits(ranks_of(size))) continue;
    for (const int root : some_roots(algorithm().collective, size)) {
      SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
      const NodeShape* nodes = algorithm().by_nodes() ? nodes_of(size) : nullptr;
      const int few =
          nodes != nullptr ? (nodes->per_node() - 1) * nodes->nodes() + nodes->nodes() - 1 : 3 * log2_below(size) + 2;
      const Audit all = audit(algorithm(), ranks_of(size), root, {}, all_blocks);
      EXPECT_LE(all.cost.messages, few);
      // In a common message a block waits for the last of the others.
      const double hops = audit(algorithm(), ranks_of(size), root).cost.hops;
      EXPECT_GE(all.cost.hops, hops);
      EXPECT_LE(all.cost.hops, algorithm().name() == "bruck" ? log2_above(size) : hops);
      const double blocks = all.cost.share * num_parts(algorithm().collective, all.blocks, size);
      for (const int most : {2, 8})
        EXPECT_LE(audit(algorithm(), ranks_of(size), root, {}, static_cast<std::uint32_t>(most)).cost.messages,
                  few + blocks / most);
    }
  }
}

int messages_sent(const Schedule& schedule) {
  return static_cast<int>(std::count_if(schedule.steps.begin(), schedule.steps.end(),
                                        [](const Step& s) { return s.verb == Verb::send && s.part == 0; }));
}

TEST(JoinedRecursiveHalving, SendsTwoMessagesForEachPowerOfTwo) {
  const Algorithm& halving = *find_algorithm(Collective::allreduce, "recursive-halving");
  for (int size = 2; size <= 1 << 14; size *= 2)
    for (const int rank : {0, 1, size / 2, size - 1}) {
      EXPECT_EQ(messages_sent(join(halving.build(place_at(rank, size)), all_blocks)), 2 * log2_below(size));
      EXPECT_EQ(messages_sent(halving.build(place_at(rank, size))), 2 * (size - 1));
    }
}

// A limit cuts the blocks of a hop into full messages and one for the rest.
TEST(JoinedRecursiveHalving, FillsItsMessages) {
  const Algorithm& halving = *find_algorithm(Collective::allreduce, "recursive-halving");
  for (const int size : {8, 64, 1024})
    for (const int most : {2, 8, 32}) {
      int expected = 0;
      for (int blocks = size / 2; blocks > 0; blocks /= 2) expected += 2 * ((blocks + most - 1) / most);
      EXPECT_EQ(messages_sent(join(halving.build(place_at(0, size)), static_cast<std::uint32_t>(most))), expected);
    }
}

// Between two ranks the order of the blocks stays, and the sends of a message are consecutive.
TEST_P(Joined, KeepsTheOrderOfBlocks) {
  using Way = std::map<std::pair<bool, int>, std::vector<int>>;
  const auto ways_of = [](const Schedule& schedule) {
    Way ways;
    for (const Step& s : schedule.steps) ways[{s.verb == Verb::send, s.peer}].push_back(s.block);
    return ways;
  };
  for (int size = 2; size <= most_ranks; ++size) {
    if (!algorithm().fits(ranks_of(size))) continue;
    for (int rank = 0; rank < size; ++rank) {
      const Schedule alone = algorithm().build(place_at(rank, size));
      for (const std::uint32_t most : limits) {
        const Schedule joined = join(alone, most);
        ASSERT_EQ(ways_of(joined), ways_of(alone));
        for (std::size_t i = 0; i < joined.steps.size(); ++i) {
          const Step& s = joined.steps[i];
          ASSERT_LE(s.parts, most);
          ASSERT_LT(s.part, s.parts);
          if (s.verb != Verb::send || s.part == 0) continue;
          const Step& before = joined.steps[i - 1];
          ASSERT_TRUE(before.verb == Verb::send && before.peer == s.peer && before.part + 1 == s.part);
        }
      }
    }
  }
}

std::string joined_plan(Collective collective, std::string_view name, Place at, Travel travel) {
  return to_text(lower(join(find_algorithm(collective, name)->build(at), all_blocks), collective, at, travel));
}

// Sends come before the receives of their hop, and frames are released when they are in their message.
TEST(JoinedByHand, RecursiveHalvingOfFour) {
  EXPECT_EQ(joined_plan(Collective::allreduce, "recursive-halving", {0, 4, 0}, Travel::homomorphic),
            "encode2(input) send2@2[1/2] drop2 encode3(input) send3@2[2/2] drop3 fold+0@2(input)[1/2] "
            "fold1@2(input)[2/2] send1@1 drop1 add!0@1 send0@1 take1@1 send0@2[1/2] decode0 send1@2[2/2] decode1 "
            "take2@2[1/2] decode2 take3@2[2/2] decode3");
}

// A rank that forwards blocks waits for the last of a message.
TEST(JoinedByHand, BinomialGatherOfFour) {
  EXPECT_EQ(joined_plan(Collective::gather, "binomial", {2, 4, 0}, Travel::homomorphic),
            "take3@3 encode!2(input) send2@0[1/2] drop2 send3@0[2/2] drop3");
  EXPECT_EQ(joined_plan(Collective::gather, "binomial", {0, 4, 0}, Travel::homomorphic),
            "take1@1 decode1 take2@2[1/2] decode2 take3@2[2/2] decode3 encode!0(input) decode0");
}

}  // namespace
}  // namespace laconic::test
