// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical: the ranks add up shares of the data within their nodes and along rails, then every rank sends the block
// that it has summed to the root.
#include "schedule/patterns.hpp"
#include "schedule/rails.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  Rails(at).reduce_scatter(s);
  phase::direct_gather(s, at);
  return s.take();
}

Terms terms(const NodeShape& nodes, Travel) { return {nodes.size(), 0}; }

}  // namespace

Algorithm hierarchical_reduce() {
  return {AlgorithmName::hierarchical, Collective::reduce, nullptr, build, nullptr, fits_rails, terms};
}

}  // namespace laconic
