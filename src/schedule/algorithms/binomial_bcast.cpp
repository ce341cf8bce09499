// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: every rank that has the data sends it to its children, the largest subtree first.  All the data makes
// log2(size) hops, so this is for small messages.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(1);
  if (me != 0) s.receive(0, order.rank(parent_of(me)));
  for (int left = subtree_end(me, at.size) - me; left > 1;) {
    left = power_below(left - 1);
    s.send(0, order.rank(me + left));
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm binomial_bcast() { return {AlgorithmName::binomial, Collective::bcast, any_size, build, terms}; }

}  // namespace laconic
