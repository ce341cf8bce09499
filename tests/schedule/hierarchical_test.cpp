// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that follow the nodes, on nodes of many shapes and placements: sound, with the errors that they state, and
// with the traffic between nodes that they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
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

std::vector<const Algorithm*> all_hierarchical() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.by_nodes()) all.push_back(&algorithm);
  return all;
}

class Hierarchical : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  const Algorithm& algorithm() const { return *GetParam(); }
  Collective collective() const { return algorithm().collective; }

  Schedule build(const NodeShape& shape, int rank, int root) const {
    return algorithm().build({rank, shape.size(), root, nullptr, &shape});
  }

  // The most blocks that a rank may send to other nodes, where all data is one block for each rank, and for an alltoall
  // those that a rank sends.
  int most_between_nodes(const NodeShape& shape, int rank, int root) const {
    const int others = shape.nodes() - 1;
    switch (collective()) {
      case Collective::allreduce: return 2 * others;
      case Collective::alltoall: return others * shape.per_node();
      // The sums of other nodes, then its own block to the root.
      case Collective::reduce: return others + (shape.node_of(rank) != shape.node_of(root) ? 1 : 0);
      // Both phases of the ring on the root's rail.
      case Collective::bcast: return shape.node_of(rank) == shape.node_of(root) ? 2 * others : shape.nodes();
      default: return others;
    }
  }

  void check(const NodeShape& shape, int root) const {
    const Ranks ranks(shape.size(), &shape);
    ASSERT_TRUE(algorithm().fits(ranks));
    const Audit a = audit(algorithm(), ranks, root);
    ASSERT_TRUE(a.ok) << a.problem;
    const bool reduces = laconic::reduces(collective());
    EXPECT_EQ(a.homomorphic.all(), reduces ? shape.size() : 1);
    EXPECT_EQ(a.reencoding, algorithm().terms(ranks, Travel::reencoding));
    EXPECT_EQ(a.per_hop, algorithm().terms(ranks, Travel::per_hop));
    for (int rank = 0; rank < shape.size(); ++rank) {
      const Schedule s = build(shape, rank, root);
      std::set<int> peers;
      int sent = 0;
      for (const Step& step : s.steps) {
        if (step.verb != Verb::send || shape.node_of(step.peer) == shape.node_of(rank)) continue;
        ++sent;
        peers.insert(step.peer);
      }
      EXPECT_LE(sent, most_between_nodes(shape, rank, root)) << "rank " << rank;
      // Along its rail, and to the root.
      std::set<int> others = peers;
      for (int n = 0; n < shape.nodes(); ++n) others.erase(shape.rank_at(n, shape.local_of(rank)));
      if (collective() == Collective::reduce) others.erase(root);
      EXPECT_TRUE(others.empty()) << "rank " << rank << " sends to another node, but not along its rail";
    }
  }

  void check(const NodeShape& shape) const {
    const int last = shape.size() - 1;
    for (const int root : has_root(collective()) ? std::vector<int>{0, 1, last} : std::vector<int>{0})
      check(shape, root);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Hierarchical, ::testing::ValuesIn(all_hierarchical()),
                         [](const auto& i) { return std::string(name_of(i.param->collective)); });

std::vector<std::uint64_t> shuffled(std::vector<std::uint64_t> all, Random& random) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  return all;
}

TEST_P(Hierarchical, IsSoundOnNodesOfManyShapes) {
  Random random(base_seed());
  for (int nodes = 2; nodes <= 8; ++nodes)
    for (int per_node = 2; per_node <= 8; ++per_node) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(per_node) + ", " + seed_note());
      for (const bool round_robin : {false, true}) check(NodeShape(identities(nodes, per_node, round_robin)));
      check(NodeShape(shuffled(identities(nodes, per_node, false), random)));
      if (HasFailure()) return;
    }
  for (const auto& [nodes, per_node] : {std::pair{2, 32}, {32, 2}, {3, 17}, {17, 3}, {8, 16}}) {
    if (collective() == Collective::alltoall && nodes * per_node > 64) continue;  // p^2 blocks on p ranks
    SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(per_node));
    check(contiguous_nodes(nodes, per_node));
  }
}

TEST_P(Hierarchical, NeedsEqualNodesOfSeveralRanks) {
  const auto fits = [this](const std::vector<std::uint64_t>& all) {
    const NodeShape shape(all);
    return algorithm().fits({shape.size(), &shape});
  };
  EXPECT_FALSE(algorithm().fits(8)) << "the nodes are not known";
  EXPECT_FALSE(fits({7}));
  EXPECT_FALSE(fits({7, 7, 7, 7})) << "one node";
  EXPECT_FALSE(fits({1, 2, 3, 4})) << "one rank on each";
  EXPECT_FALSE(fits({1, 1, 2, 2, 2}));
  EXPECT_FALSE(fits({1, 2, 2, 1, 1}));
  EXPECT_TRUE(fits({2, 1, 1, 2}));
}

// Frames pass through quickly: the steps within a node are spread over those between nodes.
TEST_P(Hierarchical, HoldsFewFramesAtATime) {
  for (const int nodes : {2, 8, 16})
    for (const int per_node : {2, 8})
      for (const Travel travel : {Travel::homomorphic, Travel::reencoding, Travel::per_hop})
        for (const int root : {0, 1}) {
          const NodeShape shape = contiguous_nodes(nodes, per_node);
          if (collective() == Collective::alltoall && shape.size() > 64) continue;
          const Place at{1, shape.size(), root, nullptr, &shape};
          // In an alltoall a rank collects the blocks of its node for one other node, in the others a frame of each
          // phase at most.
          const std::size_t most = collective() == Collective::alltoall ? static_cast<std::size_t>(per_node) : 3u;
          EXPECT_LE(lower(algorithm().build(at), collective(), at, travel).most_held, most)
              << nodes << " nodes of " << per_node << ", travel " << static_cast<int>(travel) << ", root " << root;
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
