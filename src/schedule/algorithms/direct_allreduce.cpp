// SPDX-License-Identifier: BSD-3-Clause
// Direct, also called two-shot: every rank owns one block, receives all other ranks' contributions to it, adds them up
// and sends the result to all.  This takes two hops whatever the size and sends as many bytes as the ring; every rank
// communicates with every other.
// (The reduce-scatter and allgather of van de Geijn, "On global combine operations", 1994, each by direct messages.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::direct_reduce_scatter(s, at);
  phase::direct_allgather(s, at);
  return s.take();
}

// The owner's own numbers are not encoded before they are added, so only the other size-1 contributions have an error.
Terms terms(int size, Travel travel) {
  if (size == 1) return {};
  if (travel == Travel::per_hop) return {size, 0};
  return {size - 1, 1};
}

}  // namespace

Algorithm direct_allreduce() { return {AlgorithmName::direct, Collective::allreduce, any_size, build, terms}; }

}  // namespace laconic
