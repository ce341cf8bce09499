// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: for each node, the ranks of a node first give each other the blocks for the ranks that they share a
// rail with; then each rank sends all blocks of its node for one rank there.  So a rank has nodes-1 peers on other
// nodes instead of (nodes-1) times the ranks of a node.
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Rails rails(at);
  const int nodes = rails.nodes();
  const int locals = rails.locals();
  const NodeShape& shape = *at.nodes;
  const auto block = [&](int from, int to) { return from * at.size + to; };
  Builder s(at.size * at.size);
  for (int d = 0; d < nodes; ++d) {
    const int to = wrap(rails.node() + d, nodes);
    const int from = wrap(rails.node() - d, nodes);
    for (int k = 1; k < locals; ++k) {
      const int above = wrap(rails.local() + k, locals);
      const int below = wrap(rails.local() - k, locals);
      s.send(block(at.rank, shape.rank_at(to, above)), rails.in_node(above));
      s.receive(block(rails.in_node(below), rails.on_rail(to)), rails.in_node(below));
    }
    for (int k = 0; d > 0 && k < locals; ++k) {
      s.send(block(rails.in_node(k), rails.on_rail(to)), rails.on_rail(to));
      s.receive(block(shape.rank_at(from, k), at.rank), rails.on_rail(from));
    }
  }
  return s.take();
}

Terms terms(const NodeShape&, Travel travel) { return terms_of_moving(2, travel); }

}  // namespace

Algorithm hierarchical_alltoall() {
  return {AlgorithmName::hierarchical, Collective::alltoall, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
