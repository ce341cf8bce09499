// SPDX-License-Identifier: BSD-3-Clause
// Direct: every rank owns one block, receives all other ranks' contributions to it, adds them up and sends the sum to
// the root.  This takes two hops whatever the size; every rank communicates with every other.
// (The reduce-scatter and gather of van de Geijn, "On global combine operations", 1994, each by direct messages.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::direct_reduce_scatter(s, at);
  phase::direct_gather(s, at);
  return s.take();
}

Terms terms(int size, Travel) { return {size > 1 ? size : 0, 0}; }

}  // namespace

Algorithm direct_reduce() { return {AlgorithmName::direct, Collective::reduce, any_size, build, terms}; }

}  // namespace laconic
