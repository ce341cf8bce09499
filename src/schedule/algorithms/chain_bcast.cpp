// SPDX-License-Identifier: BSD-3-Clause
// Chain: every rank forwards the data to the next.  No rank sends or receives the data more than once; the engine keeps
// all links busy by sending chunk after chunk.
// (Worringen, "Pipelining and overlapping for MPI collective operations", 2003.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(1);
  if (me > 0) s.receive(0, order.rank(me - 1));
  if (me + 1 < at.size) s.send(0, order.rank(me + 1));
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size - 1, travel); }

}  // namespace

Algorithm chain_bcast() { return {AlgorithmName::chain, Collective::bcast, any_size, build, terms}; }

}  // namespace laconic
