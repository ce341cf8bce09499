// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: partners at distance 1, 2, 4, ... exchange and add everything they have.  log2(size) steps of
// all the data: for small messages.  Where size is no power of two, the even rank of each pair hands its values to the
// odd one (see Pairs).
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
//
// There the odd rank returns the result at the end.  Here the even one gets the two halves of the last exchange and
// adds them itself: to send the result would be to encode it, and then the pairs would hold other bits than the rest.
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

// Both sides of each of the power-1 additions are encoded, unless every hop encodes for itself: then only what arrives,
// and at the ranks that stand aside the last two.
Terms terms(int size, Travel travel) {
  const auto [power, extra] = Pairs(size);
  if (travel == Travel::per_hop) return {extra + power - 1 + (extra > 0 ? 1 : 0), 0};
  return {extra + 2 * (power - 1), 0};
}

Cost cost(int size) {
  const auto [power, extra] = Pairs(size);
  const int exchanges = log2_below(size);
  const int returned = (extra > 0 ? 1 : 0) + (2 * extra > power ? 1 : 0);
  return {static_cast<double>(exchanges + (extra > 0 ? 1 : 0)), static_cast<double>(exchanges + returned)};
}

}  // namespace

Algorithm recursive_doubling_allreduce() {
  return {"recursive-doubling", Collective::allreduce, any_size, build, terms, cost};
}

}  // namespace laconic
