// SPDX-License-Identifier: BSD-3-Clause
// The model of an algorithm that follows the nodes: its walk knows two kinds of paths, and that the ranks of a node
// share a link.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "schedule/audit.hpp"
#include "support/place.hpp"
#include "tune/candidates.hpp"
#include "tune/hops.hpp"
#include "tune/walk.hpp"

namespace laconic::test {
namespace {

const Algorithm& hierarchical() { return *find_algorithm(Collective::allreduce, "hierarchical"); }

Coder free_coder() {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  return nothing;
}

Journey journey_on(const NodeShape& shape, const Path& within) {
  Journey journey{1, shape.size(), 0, Travel::homomorphic, 1, 1};
  journey.nodes = &shape;
  journey.within = within;
  return journey;
}

constexpr Path nothing_to_pay{0, 1e300, 0};

TEST(NodesWalk, OfOneRankIsThatOfAll) {
  for (const bool round_robin : {false, true})
    for (const auto& [nodes, per_node] : {std::pair{2, 2}, {3, 4}, {4, 3}, {8, 2}}) {
      const NodeShape shape(identities(nodes, per_node, round_robin));
      const Ranks ranks(shape.size(), &shape);
      for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop}) {
        const auto one = Hops::find(hierarchical(), ranks, 0, travel);
        const auto all = Hops::find(hierarchical(), ranks, 0, travel, false);
        ASSERT_TRUE(one && all);
        ASSERT_EQ(one->ranks(), 1u);
        ASSERT_EQ(all->ranks(), static_cast<std::size_t>(shape.size()));
        for (std::size_t r = 0; r < all->ranks(); ++r) {
          const auto& actions = all->plan(r).actions;
          ASSERT_EQ(actions.size(), one->plan(0).actions.size());
          for (std::size_t i = 0; i < actions.size(); ++i) {
            ASSERT_EQ(all->hop(r, i), one->hop(0, i)) << "rank " << r << ", action " << i;
            const Action& mine = one->plan(0).actions[i];
            if (actions[i].peer >= 0) {
              EXPECT_EQ(all->within_node(r, actions[i].peer), one->within_node(0, mine.peer));
            }
            if (!waits_for_message(actions[i].act)) continue;
            EXPECT_EQ(all->senders(r, i), one->senders(0, i));
            EXPECT_EQ(all->sender_of(r, actions[i]).second, one->sender_of(0, mine).second);
          }
        }
      }
    }
}

TEST(NodesWalk, TellsHopsWithinANodeFromThoseBetweenNodes) {
  const Coder coder = free_coder();
  for (const auto& [nodes, per_node] : {std::pair{2, 2}, {3, 4}, {8, 16}}) {
    const NodeShape shape = contiguous_nodes(nodes, per_node);
    const auto seconds = [&](const Path& between, const Path& within) {
      return time_of(hierarchical(), journey_on(shape, within), coder, between)->seconds;
    };
    EXPECT_NEAR(seconds({1, 1e300, 0}, nothing_to_pay), 2.0 * (nodes - 1), 1e-9);
    EXPECT_NEAR(seconds(nothing_to_pay, {1, 1e300, 0}), per_node, 1e-9);
    EXPECT_NEAR(seconds({1, 1e300, 0}, {1, 1e300, 0}), 2.0 * (nodes - 1) + per_node, 1e-9);
  }
}

// All bytes that a node sends go over one link, and the messages between nodes do not disturb each other.
TEST(NodesWalk, SharesTheLinkOfANode) {
  Path between{0, 1, 0};
  between.congestion = 0.1;
  for (const auto& [nodes, per_node] : {std::pair{2, 2}, {3, 4}, {8, 16}}) {
    const NodeShape shape = contiguous_nodes(nodes, per_node);
    const auto found = time_of(hierarchical(), journey_on(shape, nothing_to_pay), free_coder(), between);
    EXPECT_NEAR(found->seconds, 2.0 * (nodes - 1) / nodes, 1e-9);
  }
}

// The bytes that cross the cable of a node, in units of the data, for algorithms that do not follow the nodes.
TEST(NodesWalk, CountsTheMessagesOnACable) {
  const auto seconds = [](Collective collective, const char* name, int nodes, int per_node, bool round_robin) {
    const NodeShape shape(identities(nodes, per_node, round_robin));
    const Algorithm& algorithm = *find_algorithm(collective, name);
    const auto hops = Hops::find(algorithm, {shape.size(), &shape}, 0, Travel::homomorphic, true, 1, quick_walk, true);
    return time_of(collective, *hops, journey_on(shape, nothing_to_pay), free_coder(), {0, 1, 0})->seconds;
  };
  for (const auto& [nodes, per_node] : {std::pair{2, 2}, {4, 2}, {2, 8}, {4, 16}}) {
    const double n = nodes, p = per_node, all = n * p;
    const auto allreduce = [&](const char* name, bool round_robin) {
      return seconds(Collective::allreduce, name, nodes, per_node, round_robin);
    };
    EXPECT_NEAR(allreduce("ring", false), 2 * (all - 1) / all, 1e-9);
    EXPECT_NEAR(allreduce("ring", true), p * 2 * (all - 1) / all, 1e-9);
    EXPECT_NEAR(allreduce("recursive-halving", false), 2 * p * (n - 1) / n, 1e-9);
    EXPECT_NEAR(allreduce("recursive-halving", true), 2 * (n - 1) / n, 1e-9);
  }
  // Rank 0 sends to rank 2, and both send on: within their nodes, or over one cable.
  EXPECT_NEAR(seconds(Collective::bcast, "binomial", 2, 2, false), 1, 1e-9);
  EXPECT_NEAR(seconds(Collective::bcast, "binomial", 2, 2, true), 2, 1e-9);
}

TEST(NodesWalk, IsQuickForAThousandRanks) {
  const NodeShape shape = contiguous_nodes(64, 16);
  CallModel call;
  call.bytes = 1 << 26;
  call.size = shape.size();
  call.nodes = &shape;
  const auto found = candidates(call, assumed_cost(), path_between_nodes());
  bool there = false;
  for (const Candidate& c : found) there = there || c.algorithm == &hierarchical();
  EXPECT_TRUE(there);
  // The others pay a hop for every rank, or send everything several times over the cables of the nodes.
  call.bytes = 1 << 20;
  call.shared_cables = true;
  EXPECT_EQ(candidates(call, assumed_cost(), path_between_nodes())[0].algorithm, &hierarchical());
}

TEST(NodesWalk, NeedsKnownNodes) {
  EXPECT_FALSE(Hops::find(hierarchical(), 16, 0, Travel::homomorphic));
  CallModel call;
  call.bytes = 1 << 20;
  call.size = 16;
  for (const Candidate& c : candidates(call, assumed_cost(), path_between_nodes()))
    EXPECT_NE(c.algorithm, &hierarchical());
}

}  // namespace
}  // namespace laconic::test
