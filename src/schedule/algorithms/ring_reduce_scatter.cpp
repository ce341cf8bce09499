// SPDX-License-Identifier: BSD-3-Clause
// Ring: the sum of each block starts at the rank after the block's owner and passes through all ranks to the owner.
// (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::ring_reduce_scatter(s, at);
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm ring_reduce_scatter() { return {AlgorithmName::ring, Collective::reduce_scatter, any_size, build, terms}; }

}  // namespace laconic
