// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: partners at distance 1, 2, 4, ... exchange everything they have.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  for (int distance = 1; distance < at.size; distance *= 2) {
    const int partner = at.rank ^ distance;
    s.hop();
    exchange(s, partner, range_at(distance, at.rank), &Builder::receive, range_at(distance, partner));
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm recursive_doubling_allgather() {
  return {AlgorithmName::recursive_doubling, Collective::allgather, powers_of_two, build, terms};
}

}  // namespace laconic
