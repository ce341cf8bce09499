// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving, then a gather: partners at distance size/2, size/4, ... exchange halves of the blocks that they
// still have to add up, and the sums go up a binomial tree to the root.  This sends as many bytes as the ring, in
// 2 log2(size) hops.  If size is not a power of two, pairs of ranks act as one (see Pairs), which costs about all the
// data once more. (Rabenseifner, "Optimization of collective reduction operations", 2004.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

// Ranks are counted from the one after the root, so that the root is the last participant and never in a pair.
Schedule build(Place at) {
  const Pairs pairs(at.size);
  const int first = at.root + 1;
  const int index = wrap(at.rank - first, at.size);
  const int last = pairs.power - 1;
  Builder s(pairs.power);
  phase::recursive_halving(s, pairs, at, first);
  if (pairs.stands_aside(index)) return s.take();
  const int me = last - pairs.participant(index);  // in the tree, whose root is 0
  const auto rank = [&](int k) { return wrap(first + pairs.rank_of(last - k), at.size); };
  s.hop();
  for (int k = me; k < subtree_end(me, pairs.power); ++k) {
    if (k != me) s.receive(last - k, rank(child_towards(k, me)));
    if (me != 0) s.send(last - k, rank(parent_of(me)));
  }
  return s.take();
}

Terms terms(int size, Travel travel) {
  const int gathered = travel == Travel::per_hop ? log2_below(size) : size > 1 ? 1 : 0;
  return {size - 1 + gathered, 0};
}

}  // namespace

Algorithm recursive_halving_reduce() {
  return {AlgorithmName::recursive_halving, Collective::reduce, any_size, build, terms};
}

}  // namespace laconic
