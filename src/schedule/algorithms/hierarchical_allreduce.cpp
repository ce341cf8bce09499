// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: the local ranks of a node divide the data into shares.  A ring within the node adds up each share at
// its owner; a ring between the ranks with the same local rank on all nodes, a rail, adds up the shares of the nodes
// and distributes the result; and each owner sends its share of the result to the rest of its node.  Between nodes it
// sends as little as a ring of the nodes, on all rails at once, in 2 (nodes-1) hops instead of 2 (size-1). (Node-aware
// allreduce with multiple leaders: Bayatpour, Chakraborty, Subramoni, Lu and Panda, "Scalable reduction collectives
// with data partitioning-based multi-leader design", 2017.)
//
// A share is cut into one part for each node, and all ranks of a node work on the same part at a time.  The steps
// within the node are spread over those of the rail: a rank adds up a part when the rail needs it, and hands a result
// on when it arrives.  So a rank holds few frames at a time, and the node works while a message is on its way between
// nodes.
//
// Within the node sums go round a ring because a rank then folds its numbers into a frame.  With direct messages it
// would encode them for the owner, and the owner would add frames, which takes longer.
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

class Rails {
 public:
  explicit Rails(Place at)
      : shape_(*at.nodes),
        nodes_(shape_.nodes()),
        locals_(shape_.per_node()),
        node_(shape_.node_of(at.rank)),
        local_(shape_.local_of(at.rank)) {}

  // The part that this rank works on in the k-th step of the ring, and its block of a share.
  int part(int k) const { return wrap(node_ - k, nodes_); }
  int block(int share, int part) const { return share * nodes_ + part; }
  int mine(int part) const { return block(local_, part); }
  int next() const { return shape_.rank_at(wrap(node_ + 1, nodes_), local_); }
  int previous() const { return shape_.rank_at(wrap(node_ - 1, nodes_), local_); }

  void reduce_scatter_in_node(Builder& s, int part) const {
    const int to = in_node(wrap(local_ + 1, locals_));
    const int from = in_node(wrap(local_ - 1, locals_));
    for (int k = 1; k < locals_; ++k)
      s.send(block(wrap(local_ - k, locals_), part), to).reduce(block(wrap(local_ - k - 1, locals_), part), from);
  }
  // In the k-th exchange, every rank of the node is the target of exactly one message, as in the direct phases.
  void allgather_in_node(Builder& s, int part) const {
    for (int k = 1; k < locals_; ++k) {
      const int from = wrap(local_ - k, locals_);
      s.send(mine(part), in_node(wrap(local_ + k, locals_))).receive(block(from, part), in_node(from));
    }
  }

 private:
  int in_node(int local) const { return shape_.rank_at(node_, local); }

  const NodeShape& shape_;
  int nodes_, locals_, node_, local_;
};

Schedule build(Place at) {
  const Rails rails(at);
  const int nodes = at.nodes->nodes();
  Builder s(at.size);
  for (int k = 1; k <= nodes; ++k) {
    const int part = rails.part(k);
    rails.reduce_scatter_in_node(s, part);
    if (k > 1) s.reduce(rails.mine(part), rails.previous());
    if (k < nodes) s.send(rails.mine(part), rails.next());
  }
  for (int k = 0; k < nodes; ++k) {
    const int part = rails.part(k);
    if (k > 0) s.receive(rails.mine(part), rails.previous());
    if (k + 1 < nodes) s.send(rails.mine(part), rails.next());
    rails.allgather_in_node(s, part);
  }
  return s.take();
}

bool fits(const NodeShape& nodes) { return nodes.nodes() > 1 && nodes.per_node() > 1; }

// Every sum that is sent on, within a node or to the next, is encoded, but the own numbers that are added to it are
// not: size-1 encodes in all.  Under Travel::per_hop a result is encoded for each node but the one that has it, and
// within the node.
Terms terms(const NodeShape& nodes, Travel travel) {
  if (travel == Travel::per_hop) return {nodes.size() - 1 + nodes.nodes(), 0};
  return {nodes.size() - 1, 1};
}

}  // namespace

Algorithm hierarchical_allreduce() {
  return {AlgorithmName::hierarchical, Collective::allreduce, nullptr, build, nullptr, fits, terms};
}

}  // namespace laconic
