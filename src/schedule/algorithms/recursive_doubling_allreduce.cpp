// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: partners at distance 1, 2, 4, ... exchange and add everything they have.  Each of the log2(size)
// steps sends all the data, so this is for small messages.  If size is not a power of two, the even rank of each pair
// hands its values to the odd rank (see Pairs).
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
//
// In the paper, the odd rank returns the result at the end.  Here the even rank receives the two operands of the last
// addition and adds them itself: sending the result would encode it, and the even ranks would then hold other bits than
// the rest.
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Pairs pairs(at.size);
  const int me = pairs.participant(at.rank);
  const int last = pairs.power / 2;
  Builder s(1);
  if (pairs.stands_aside(at.rank)) {
    const int companion = at.rank + 1;
    return s.send(0, companion).receive(0, companion).reduce(0, pairs.rank_of(me ^ last)).take();
  }
  if (pairs.stands_for_two(me)) s.reduce(0, at.rank - 1);
  for (int distance = 1; distance < pairs.power; distance *= 2) {
    const int partner = me ^ distance;
    s.send(0, pairs.rank_of(partner));
    if (distance == last && pairs.stands_for_two(me)) s.send(0, pairs.first_of(me));
    if (distance == last && pairs.stands_for_two(partner)) s.send(0, pairs.first_of(partner));
    s.reduce(0, pairs.rank_of(partner));
  }
  return s.take();
}

// Both operands of each of the power-1 additions are encoded.  Under Travel::per_hop only the arriving operand is, and
// on the ranks that stand aside, both operands of the last addition.
Terms terms(int size, Travel travel) {
  const auto [power, extra] = Pairs(size);
  if (travel == Travel::per_hop) return {extra + power - 1 + (extra > 0 ? 1 : 0), 0};
  return {extra + 2 * (power - 1), 0};
}

}  // namespace

Algorithm recursive_doubling_allreduce() {
  return {AlgorithmName::recursive_doubling, Collective::allreduce, any_size, build, terms};
}

}  // namespace laconic
