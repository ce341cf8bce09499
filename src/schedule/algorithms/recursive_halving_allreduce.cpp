// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving, then doubling: partners at distance size/2, size/4, ... exchange halves of the blocks that they
// still have to add up; then partners at distance 1, 2, 4, ... exchange the results.  This sends as many bytes as the
// ring, in 2 log2(size) hops.  If size is not a power of two, pairs of ranks act as one (see Pairs), which costs all
// the data once more.
// (Rabenseifner, "Optimization of collective reduction operations", 2004.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Pairs pairs(at.size);
  const int me = pairs.participant(at.rank);
  const bool aside = pairs.stands_aside(at.rank);
  Builder s(pairs.power);
  phase::recursive_halving(s, pairs, at, 0);
  // The odd rank of a pair forwards results to the even rank as they arrive.
  const auto hand_on = [&](int block) {
    if (aside)
      s.receive(block, at.rank + 1);
    else if (pairs.paired(at.rank))
      s.send(block, at.rank - 1);
  };
  s.hop();
  hand_on(me);
  for (int distance = 1; distance < pairs.power; distance *= 2) {
    const int peer = pairs.rank_of(me ^ distance);
    const int mine = range_at(distance, me).begin;
    const int theirs = range_at(distance, me ^ distance).begin;
    s.hop();
    for (int i = 0; i < distance; ++i) {
      if (!aside) s.send(mine + i, peer).receive(theirs + i, peer);
      hand_on(theirs + i);
    }
  }
  return s.take();
}

Terms terms(int size, Travel travel) {
  const int doubling = log2_below(size) + (powers_of_two(size) ? 0 : 1);
  if (travel == Travel::per_hop) return {size - 1 + doubling, 0};
  return {size - 1, size > 1 ? 1 : 0};
}

}  // namespace

Algorithm recursive_halving_allreduce() {
  return {AlgorithmName::recursive_halving, Collective::allreduce, any_size, build, terms};
}

}  // namespace laconic
