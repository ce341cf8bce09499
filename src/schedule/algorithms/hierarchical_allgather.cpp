// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: blocks go round the nodes along rails, and every rank sends what arrives to the rest of its node.  A
// block reaches each node once.
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  Rails(at).allgather(s);
  return s.take();
}

Terms terms(const NodeShape& nodes, Travel travel) { return terms_of_moving(nodes.nodes(), travel); }

}  // namespace

Algorithm hierarchical_allgather() {
  return {AlgorithmName::hierarchical, Collective::allgather, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
