// SPDX-License-Identifier: BSD-3-Clause
// Bruck: for distance 1, 2, 4, ..., every rank sends all the blocks it has (rank, rank+1, ...) to rank-distance, which
// doubles the number of blocks there.  This takes few hops for any size.
// (Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", 1997.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const auto rank = [&](int k) { return wrap(at.rank + k, at.size); };
  Builder s(at.size);
  for (int distance = 1; distance < at.size; distance *= 2) {
    s.hop();
    for (int i = 0; i < distance && distance + i < at.size; ++i)
      s.send(rank(i), rank(-distance)).receive(rank(distance + i), rank(distance));
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm bruck_allgather() { return {AlgorithmName::bruck, Collective::allgather, any_size, build, terms}; }

}  // namespace laconic
