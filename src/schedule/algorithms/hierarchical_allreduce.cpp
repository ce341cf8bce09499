// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: the ranks add up shares of the data within their nodes and along rails, then distribute the results the
// same way back.  Between nodes it sends as little as a ring of the nodes, on all rails at once, in 2 (nodes-1) hops
// instead of 2 (size-1).
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Rails rails(at);
  Builder s(at.size);
  rails.reduce_scatter(s);
  rails.allgather(s);
  return s.take();
}

// Every sum that is sent on, within a node or to the next, is encoded, but the own numbers that are added to it are
// not: size-1 encodes in all.  Under Travel::per_hop a result is encoded for each node but the one that has it, and
// within the node.
Terms terms(const NodeShape& nodes, Travel travel) {
  if (travel == Travel::per_hop) return {nodes.size() - 1 + nodes.nodes(), 0};
  return {nodes.size() - 1, 1};
}

}  // namespace

Algorithm hierarchical_allreduce() {
  return {AlgorithmName::hierarchical, Collective::allreduce, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
