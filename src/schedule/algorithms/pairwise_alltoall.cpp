// SPDX-License-Identifier: BSD-3-Clause
// Pairwise exchange: in step k every rank sends to rank+k and receives from rank-k.  Every block is sent directly.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size * at.size);
  for (int k = 1; k < at.size; ++k) {
    const int to = wrap(at.rank + k, at.size);
    const int from = wrap(at.rank - k, at.size);
    s.send(at.rank * at.size + to, to).receive(from * at.size + at.rank, from);
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size > 1 ? 1 : 0, travel); }

}  // namespace

Algorithm pairwise_alltoall() { return {AlgorithmName::pairwise, Collective::alltoall, any_size, build, terms}; }

}  // namespace laconic
