// SPDX-License-Identifier: BSD-3-Clause
// Direct: every rank sends its block to the root.
// (Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and experience", 2007.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::direct_gather(s, at);
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size > 1 ? 1 : 0, travel); }

}  // namespace

Algorithm direct_gather() { return {AlgorithmName::direct, Collective::gather, any_size, build, terms}; }

}  // namespace laconic
