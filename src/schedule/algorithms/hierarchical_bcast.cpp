// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: the root gives every rank of its node a share of the data, each rail broadcasts its share as `ring`
// does, and every rank sends what arrives to the rest of its node.  Every part reaches each node once; the root's node
// sends less than twice the data, on all rails at once.
//
// As in `ring`, each rank handles part 0, 1, 2, ... in this order, whether it comes from the root's node or from a
// neighbour.
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Rails rails(at);
  const int nodes = rails.nodes();
  const int first = at.nodes->node_of(at.root);
  const int root = at.nodes->local_of(at.root);
  const auto on_rail = [&](int k) { return rails.on_rail(wrap(first + k, nodes)); };
  const int me = wrap(rails.node() - first, nodes);  // nodes are counted from that of the root
  Builder s(at.size);
  for (int p = 0; p < nodes; ++p) {
    const int mine = rails.mine(p);
    if (me == 0 && rails.local() != root) s.receive(mine, at.root);
    for (int k = 1; at.rank == at.root && k < rails.locals(); ++k) {
      const int share = wrap(root + k, rails.locals());
      s.send(rails.block(share, p), rails.in_node(share));
    }
    if (me == 0 && p > 0) s.send(mine, on_rail(p));
    if (me > 0) s.receive(mine, p == me ? on_rail(0) : on_rail(me + 1));
    const int below = wrap(me - 1, nodes);
    if (below != 0 && below != p) s.send(mine, on_rail(below));
    rails.allgather_in_node(s, p, me == 0 ? root : -1);
  }
  return s.take();
}

// From the root to the owner of the share, at most nodes-1 hops along the rail, and within the node.
Terms terms(const NodeShape& nodes, Travel travel) { return terms_of_moving(nodes.nodes() + 1, travel); }

}  // namespace

Algorithm hierarchical_bcast() {
  return {AlgorithmName::hierarchical, Collective::bcast, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
