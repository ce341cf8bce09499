// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that follow the nodes: the ranks with the same local rank on all nodes form a rail.  Every rank of a node
// takes part in a rail of its own, so all send between nodes at the same time, and each is responsible for a share of
// what its node sends.  (Node-aware allreduce with multiple leaders: Bayatpour, Chakraborty, Subramoni, Lu and Panda,
// "Scalable reduction collectives with data partitioning-based multi-leader design", 2017.)
#pragma once

#include "schedule/schedule.hpp"

namespace laconic {

// The rails as one rank sees them.  Unless stated otherwise, there is a block for each rank, block r is that of rank r,
// and part p of a share is the block of the rank on node p.
class Rails {
 public:
  explicit Rails(Place at);

  int nodes() const { return nodes_; }
  int locals() const { return locals_; }  // ranks on each node
  int node() const { return node_; }
  int local() const { return local_; }
  int in_node(int local) const { return shape_.rank_at(node_, local); }
  int on_rail(int node) const { return shape_.rank_at(node, local_); }
  int block(int share, int part) const { return shape_.rank_at(part, share); }
  int mine(int part) const { return block(local_, part); }

  // Ends with the sum of block r at rank r.  A ring within the node adds up each share at its owner; a ring along the
  // rail adds up the shares of the nodes.  Within the node sums go round a ring because a rank then folds its numbers
  // into a frame.  With direct messages it would encode them for the owner, and the owner would add frames, which takes
  // longer.
  void reduce_scatter(Builder& s) const;

  // Begins with block r at rank r.  A ring along the rail, and messages to the rest of the node for what arrives.
  void allgather(Builder& s) const;

  // The owner of each share sends a part of it to the rest of its node.  skipped: a local rank that has all blocks, or
  // -1.  In the k-th exchange, every rank of the node is the target of exactly one message, as in the direct phases.
  void allgather_in_node(Builder& s, int part, int skipped = -1) const;

 private:
  void reduce_scatter_in_node(Builder& s, int part) const;
  int next() const;
  int previous() const;

  const NodeShape& shape_;
  int nodes_, locals_, node_, local_;
};

// Several nodes with several ranks on each.
bool fits_rails(const NodeShape& nodes);

}  // namespace laconic
