// SPDX-License-Identifier: BSD-3-Clause
// Chain: every rank sends its contribution to the next rank, which needs it for its result.  The sum of what lies
// before passes from rank to rank, and every rank adds the contribution that it was sent. (Sanders and Träff, "Parallel
// prefix (scan) algorithms for MPI", 2006.)
//
// The sum before rank 2 is the contribution of rank 0, which sends it there itself: a partial sum comes from the rank
// that made it (design 0014).
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(1);
  const bool has_next = at.rank + 1 < at.size;
  if (has_next) s.send(0, at.rank + 1);
  if (at.rank == 0 && at.size > 2) s.send(0, 2);
  if (at.rank > 0) s.receive(0, at.rank - 1);
  if (at.rank > 1) s.reduce(0, at.rank == 2 ? 0 : at.rank - 1);
  if (at.rank > 1 && has_next) s.send(0, at.rank + 1);
  return s.take();
}

// The contributions and the sums are encoded, except the sum of the last rank.
Terms terms(int size, Travel) { return {size < 3 ? size - 1 : 2 * size - 4, 0}; }

}  // namespace

Algorithm chain_exscan() { return {AlgorithmName::chain, Collective::exscan, any_size, build, terms}; }

}  // namespace laconic
