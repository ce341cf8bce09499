// SPDX-License-Identifier: BSD-3-Clause
// Direct: every rank sends its block to all its destinations, and receives a block from each of its sources.
// (Hoefler and Träff, "Sparse collective operations for MPI", 2009.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) { return phase::direct_neighbors(at, Collective::neighbor_allgather); }

Terms terms(int size, Travel travel) { return terms_of_moving(size > 1 ? 1 : 0, travel); }

}  // namespace

Algorithm direct_neighbor_allgather() {
  return {AlgorithmName::direct, Collective::neighbor_allgather, any_size, build, terms};
}

}  // namespace laconic
