// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: the blocks of a subtree go to its head, which keeps its own and forwards the others as they arrive,
// the farthest first. (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(at.size);
  s.hop();
  for (int k = subtree_end(me, at.size) - 1; k >= me; --k) {
    const int block = order.rank(k);
    if (me != 0) s.receive(block, order.rank(parent_of(me)));
    if (k != me) s.send(block, order.rank(child_towards(k, me)));
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm binomial_scatter() { return {AlgorithmName::binomial, Collective::scatter, any_size, build, terms}; }

}  // namespace laconic
