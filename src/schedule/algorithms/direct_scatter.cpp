// SPDX-License-Identifier: BSD-3-Clause
// Direct: the root sends every rank its block.
// (Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and experience", 2007.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  if (at.rank != at.root) return s.receive(at.rank, at.root).take();
  const FromRoot order(at);
  for (int k = 1; k < at.size; ++k) s.send(order.rank(k), order.rank(k));
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size > 1 ? 1 : 0, travel); }

}  // namespace

Algorithm direct_scatter() { return {AlgorithmName::direct, Collective::scatter, any_size, build, terms}; }

}  // namespace laconic
