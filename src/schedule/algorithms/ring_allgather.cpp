// SPDX-License-Identifier: BSD-3-Clause
// Ring: every rank forwards the block that it received last.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::ring_allgather(s, at);
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size - 1, travel); }

}  // namespace

Algorithm ring_allgather() { return {AlgorithmName::ring, Collective::allgather, any_size, build, terms}; }

}  // namespace laconic
