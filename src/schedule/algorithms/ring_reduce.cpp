// SPDX-License-Identifier: BSD-3-Clause
// Ring: partial sums go round the ring, as for an allreduce; then every rank sends the block that it has summed to the
// root.  The additions are spread evenly, and the root receives less than twice the data.
// (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::ring_reduce_scatter(s, at);
  phase::direct_gather(s, at);
  return s.take();
}

Terms terms(int size, Travel) { return {size > 1 ? size : 0, 0}; }

}  // namespace

Algorithm ring_reduce() { return {AlgorithmName::ring, Collective::reduce, any_size, build, terms}; }

}  // namespace laconic
