// SPDX-License-Identifier: BSD-3-Clause
// The nodes on which the ranks of a communicator run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laconic {

// Nodes are numbered in the order of their first ranks, and the local ranks of a node in the order of its ranks.  Ranks
// may be placed in any way.
class NodeShape {
 public:
  // identities: one number for each rank; ranks with equal numbers run on one node.
  explicit NodeShape(std::span<const std::uint64_t> identities);

  int size() const { return static_cast<int>(seats_.size()); }
  int nodes() const { return static_cast<int>(ranks_.size()); }
  // The number of ranks on each node; 0 where nodes have different numbers of ranks.
  int per_node() const { return per_node_; }

  int node_of(int rank) const { return seats_[at(rank)].node; }
  int local_of(int rank) const { return seats_[at(rank)].local; }
  int rank_at(int node, int local) const { return ranks_[at(node)][at(local)]; }

 private:
  struct Seat {
    int node;
    int local;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int per_node_ = 0;
  std::vector<Seat> seats_;              // by rank
  std::vector<std::vector<int>> ranks_;  // by node and local rank
};

// Nodes of so many ranks each, which follow one another.
NodeShape contiguous_nodes(int nodes, int per_node);

}  // namespace laconic
