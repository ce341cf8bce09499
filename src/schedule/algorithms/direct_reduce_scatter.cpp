// SPDX-License-Identifier: BSD-3-Clause
// Direct: in exchange k every rank sends rank+k its contribution to that rank's block, and adds the contribution of
// rank-k to its own block.
// (The pairwise exchange of Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  phase::direct_reduce_scatter(s, at);
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm direct_reduce_scatter() {
  return {AlgorithmName::direct, Collective::reduce_scatter, any_size, build, terms};
}

}  // namespace laconic
