// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: every rank sends its contribution to the next rank, which begins with it.  Then, at distance 1,
// 2, 4, ..., every rank but the first adds the sum of the rank below.  Each step sends all the data, so this is for
// small messages.  (Hillis and Steele, "Data parallel algorithms", 1986.)
//
// A sum of a single contribution is sent by the rank whose contribution it is, instead of the rank that holds it: a
// partial sum comes from the rank that made it (design 0014), and arrives one hop earlier.
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

// The rank that sends the sum which `holder` has before the step at this distance.
int sender_of(int holder, int distance) { return holder == 1 || distance == 1 ? holder - 1 : holder; }

Schedule build(Place at) {
  Builder s(1);
  const auto exists = [&](int rank) { return rank >= 1 && rank < at.size; };
  const auto send_to_higher = [&](int holder, int distance) {
    if (exists(holder) && exists(holder + distance) && sender_of(holder, distance) == at.rank)
      s.send(0, holder + distance);
  };
  if (exists(at.rank + 1)) s.send(0, at.rank + 1);
  send_to_higher(at.rank + 1, 1);
  if (at.rank > 0) s.receive(0, at.rank - 1);
  if (exists(at.rank - 1)) s.reduce(0, sender_of(at.rank - 1, 1));
  for (int distance = 2; distance < at.size; distance *= 2) {
    send_to_higher(at.rank == 0 ? 1 : at.rank, distance);
    if (at.rank > 0 && exists(at.rank - distance)) s.reduce(0, sender_of(at.rank - distance, distance));
  }
  return s.take();
}

// The number of sums of several contributions that were sent on the way to a sum of `count`.
int sums_sent(int count) {
  int sums = 0;
  for (int below = 0; count > 2; count -= below) {
    below = power_below(count - 1);
    sums += below / 2 - 1 + (count - below > 1 ? 1 : 0);
  }
  return sums;
}

// The last rank adds most contributions.  Each is encoded once, and so are the sums that are sent; where frames travel,
// the sums to which an arriving one is added have been encoded, too, except those of the last rank.
Terms terms(int size, Travel travel) {
  if (size < 3) return {size - 1, 0};
  if (travel == Travel::per_hop) return {size - 1 + sums_sent(size - 1), 0};
  return {2 * (size - 2) - log2_below(size - 2), 0};
}

}  // namespace

Algorithm recursive_doubling_exscan() {
  return {AlgorithmName::recursive_doubling, Collective::exscan, any_size, build, terms};
}

}  // namespace laconic
