// SPDX-License-Identifier: BSD-3-Clause
// Chain: the sum passes through all ranks and ends at the root.  No rank sends or receives the data more than once; the
// engine keeps all links busy by sending chunk after chunk.
// (Worringen, "Pipelining and overlapping for MPI collective operations", 2003.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(1);
  if (me + 1 < at.size) s.reduce(0, order.rank(me + 1));
  if (me > 0) s.send(0, order.rank(me - 1));
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm chain_reduce() { return {AlgorithmName::chain, Collective::reduce, any_size, build, terms}; }

}  // namespace laconic
