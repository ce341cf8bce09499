// SPDX-License-Identifier: BSD-3-Clause
// Ring: size-1 steps move partial sums round the ring, and size-1 more distribute the results.  Every rank sends
// 2 (size-1)/size of the data, the least possible; the number of steps grows with size.
// (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::ring_reduce_scatter(s, at);
  phase::ring_allgather(s, at);
  return s.take();
}

Terms terms(int size, Travel travel) {
  if (travel == Travel::per_hop) return {2 * (size - 1), 0};
  return {size - 1, size > 1 ? 1 : 0};
}

}  // namespace

Algorithm ring_allreduce() { return {AlgorithmName::ring, Collective::allreduce, any_size, build, terms}; }

}  // namespace laconic
