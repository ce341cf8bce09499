// SPDX-License-Identifier: BSD-3-Clause
// The hierarchical allreduce on nodes of many shapes and placements: sound, with the errors that it states, and with
// the traffic between nodes that it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "schedule/audit.hpp"
#include "schedule/patterns.hpp"
#include "support/fields.hpp"
#include "support/place.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

const Algorithm& hierarchical() { return *find_algorithm(Collective::allreduce, "hierarchical"); }

std::vector<std::uint64_t> shuffled(std::vector<std::uint64_t> all, Random& random) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  return all;
}

// Blocks that a rank sends to other nodes, over the blocks of all the data.
double share_between_nodes(const NodeShape& shape, int rank) {
  const Schedule s = hierarchical().build({rank, shape.size(), 0, nullptr, &shape});
  const auto leaves = [&](const Step& step) {
    return step.verb == Verb::send && shape.node_of(step.peer) != shape.node_of(rank);
  };
  return part(static_cast<int>(std::count_if(s.steps.begin(), s.steps.end(), leaves)), s.blocks);
}

void check(const NodeShape& shape) {
  const int nodes = shape.nodes();
  const Ranks ranks(shape.size(), &shape);
  ASSERT_TRUE(hierarchical().fits(ranks));
  const Audit a = audit(hierarchical(), ranks);
  ASSERT_TRUE(a.ok) << a.problem;
  EXPECT_EQ(a.homomorphic.all(), shape.size());
  EXPECT_EQ(a.reencoding, hierarchical().terms(ranks, Travel::reencoding));
  EXPECT_EQ(a.per_hop, hierarchical().terms(ranks, Travel::per_hop));
  EXPECT_EQ(a.cost.hops, 2.0 * (nodes - 1) + shape.per_node());
  EXPECT_NEAR(a.cost.share, part(2 * (shape.size() - 1), shape.size()), 1e-9);
  for (const int rank : {0, shape.size() / 2, shape.size() - 1})
    EXPECT_NEAR(share_between_nodes(shape, rank), part(2 * (nodes - 1), nodes) / shape.per_node(), 1e-9) << rank;
}

TEST(Hierarchical, IsSoundOnNodesOfManyShapes) {
  Random random(base_seed());
  for (int nodes = 2; nodes <= 8; ++nodes)
    for (int per_node = 2; per_node <= 8; ++per_node) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(per_node) + ", " + seed_note());
      for (const bool round_robin : {false, true}) {
        check(NodeShape(identities(nodes, per_node, round_robin)));
        if (HasFatalFailure()) return;
      }
      check(NodeShape(shuffled(identities(nodes, per_node, false), random)));
      if (HasFatalFailure()) return;
    }
  for (const auto& [nodes, per_node] : {std::pair{2, 32}, {32, 2}, {3, 17}, {17, 3}, {8, 16}}) {
    SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(per_node));
    check(contiguous_nodes(nodes, per_node));
  }
}

TEST(Hierarchical, NeedsEqualNodesOfSeveralRanks) {
  const auto fits = [](const std::vector<std::uint64_t>& all) {
    const NodeShape shape(all);
    return hierarchical().fits({shape.size(), &shape});
  };
  EXPECT_FALSE(hierarchical().fits(8)) << "the nodes are not known";
  EXPECT_FALSE(fits({7}));
  EXPECT_FALSE(fits({7, 7, 7, 7})) << "one node";
  EXPECT_FALSE(fits({1, 2, 3, 4})) << "one rank on each";
  EXPECT_FALSE(fits({1, 1, 2, 2, 2}));
  EXPECT_FALSE(fits({1, 2, 2, 1, 1}));
  EXPECT_TRUE(fits({2, 1, 1, 2}));
}

// Frames pass through quickly: the steps within a node are spread over those between nodes.
TEST(Hierarchical, HoldsFewFramesAtATime) {
  for (const int nodes : {2, 8, 32})
    for (const int per_node : {2, 8})
      for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop}) {
        const NodeShape shape = contiguous_nodes(nodes, per_node);
        const Place at{1, shape.size(), 0, nullptr, &shape};
        EXPECT_LE(lower(hierarchical().build(at), Collective::allreduce, at, travel).most_held, 2u)
            << nodes << " nodes of " << per_node << ", travel " << static_cast<int>(travel);
      }
}

TEST(NodeShape, NumbersNodesAndTheirRanksInOrder) {
  const NodeShape shape(std::vector<std::uint64_t>{90, 7, 90, 8, 7, 8});
  EXPECT_EQ(shape.size(), 6);
  EXPECT_EQ(shape.nodes(), 3);
  EXPECT_EQ(shape.per_node(), 2);
  const int nodes[] = {0, 1, 0, 2, 1, 2};
  const int locals[] = {0, 0, 1, 0, 1, 1};
  for (int r = 0; r < 6; ++r) {
    EXPECT_EQ(shape.node_of(r), nodes[r]);
    EXPECT_EQ(shape.local_of(r), locals[r]);
    EXPECT_EQ(shape.rank_at(nodes[r], locals[r]), r);
  }
  EXPECT_EQ(NodeShape(std::vector<std::uint64_t>{1, 1, 2}).per_node(), 0);
  EXPECT_EQ(NodeShape({}).nodes(), 0);
}

}  // namespace
}  // namespace laconic::test
