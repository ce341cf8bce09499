// SPDX-License-Identifier: BSD-3-Clause
// Direct: in exchange k every rank sends its block to rank+k and receives the block of rank-k.
// (Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and experience", 2007.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::direct_allgather(s, at);
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size > 1 ? 1 : 0, travel); }

}  // namespace

Algorithm direct_allgather() { return {AlgorithmName::direct, Collective::allgather, any_size, build, terms}; }

}  // namespace laconic
