// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: every rank sends its block to its parent, then forwards the blocks of its subtree as they arrive.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(at.size);
  s.hop();
  for (int k = me; k < subtree_end(me, at.size); ++k) {
    const int block = order.rank(k);
    if (k != me) s.receive(block, order.rank(child_towards(k, me)));
    if (me != 0) s.send(block, order.rank(parent_of(me)));
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm binomial_gather() { return {AlgorithmName::binomial, Collective::gather, any_size, build, terms}; }

}  // namespace laconic
