// SPDX-License-Identifier: BSD-3-Clause
// Binomial tree: every rank adds the sums of its children, the smallest subtree first, and passes the sum to its
// parent.  All the data makes log2(size) hops, so this is for small messages.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  Builder s(1);
  for (int distance = 1; me + distance < subtree_end(me, at.size); distance *= 2)
    s.reduce(0, order.rank(me + distance));
  if (me != 0) s.send(0, order.rank(parent_of(me)));
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm binomial_reduce() { return {AlgorithmName::binomial, Collective::reduce, any_size, build, terms}; }

}  // namespace laconic
