// SPDX-License-Identifier: BSD-3-Clause
// Recursive halving: partners at distance size/2, size/4, ... exchange halves of the blocks that they still have to add
// up, in log2(size) hops.  If size is not a power of two, pairs of ranks act as one (see Pairs), which costs more than
// sending the data once more. (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005.)
//
// The even rank of a pair keeps its numbers of its own block and adds them to the sum that it gets back, which saves
// the error of encoding them.
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const Pairs pairs(at.size);
  const int me = pairs.participant(at.rank);
  Builder s(at.size);
  s.hop();
  if (pairs.stands_aside(at.rank)) {
    for (int b = 0; b < at.size; ++b)
      if (b != at.rank) s.send(b, at.rank + 1);
    return s.reduce(at.rank, at.rank + 1).take();
  }
  if (pairs.stands_for_two(me))
    for (int b = 0; b < at.size; ++b)
      if (b != at.rank - 1) s.reduce(b, at.rank - 1);
  const auto blocks_of = [&](BlockRange participants) {
    return BlockRange{pairs.first_of(participants.begin), pairs.first_of(participants.end)};
  };
  for (int distance = pairs.power / 2; distance > 0; distance /= 2) {
    const int partner = me ^ distance;
    s.hop();
    exchange(s, pairs.rank_of(partner), blocks_of(range_at(distance, partner)), &Builder::reduce,
             blocks_of(range_at(distance, me)));
  }
  if (pairs.stands_for_two(me)) s.send(at.rank - 1, at.rank - 1);
  return s.take();
}

Terms terms(int size, Travel) { return {size - 1, 0}; }

}  // namespace

Algorithm recursive_halving_reduce_scatter() {
  return {AlgorithmName::recursive_halving, Collective::reduce_scatter, any_size, build, terms};
}

}  // namespace laconic
