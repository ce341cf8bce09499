// SPDX-License-Identifier: BSD-3-Clause
// Chain: every rank adds its contribution to the sum that it receives, keeps the sum and sends it to the next rank.  No
// rank sends or receives the data more than once; the engine keeps all links busy by sending chunk after chunk.
// (Sanders and Träff, "Parallel prefix (scan) algorithms for MPI", 2006.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(1);
  if (at.rank > 0) s.reduce(0, at.rank - 1);
  if (at.rank + 1 < at.size) s.send(0, at.rank + 1);
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm chain_scan() { return {AlgorithmName::chain, Collective::scan, any_size, build, terms}; }

}  // namespace laconic
