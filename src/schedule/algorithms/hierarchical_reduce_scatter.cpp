// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: the ranks add up the blocks within their nodes, then along rails.  A node sends the blocks of other
// nodes once, on all rails at once.
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  Rails(at).reduce_scatter(s);
  return s.take();
}

Terms terms(const NodeShape& nodes, Travel) { return {nodes.size() - 1, 0}; }

}  // namespace

Algorithm hierarchical_reduce_scatter() {
  return {AlgorithmName::hierarchical, Collective::reduce_scatter, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
