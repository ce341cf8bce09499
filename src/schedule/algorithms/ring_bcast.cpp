// SPDX-License-Identifier: BSD-3-Clause
// Ring: the root scatters the blocks, one for each rank, and a ring allgather spreads them.  The root sends less than
// twice the data.
// (Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, "Interprocessor collective communication library (InterCom)",
// 1994.)
//
// The two phases are interleaved: each rank handles block 0, 1, 2, ... in this order, whether it comes from the root or
// from a neighbour.  So the root needs each frame only for a short time, and no ranks wait for each other in a cycle.
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const FromRoot order(at);
  const int me = order.mine();
  const int previous = order.rank(me - 1);
  Builder s(at.size);
  for (int b = 0; b < at.size; ++b) {
    // The ring runs from the root towards lower ranks.  The root already has every block, and rank b has block b from
    // the scatter, so the ring sends neither of them a block again.
    if (me == 0 && b > 0) s.send(b, order.rank(b));
    if (me > 0) s.receive(b, b == me ? order.rank(0) : order.rank(me + 1));
    const int below = wrap(me - 1, at.size);
    if (below != 0 && below != b) s.send(b, previous);
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(size - 1, travel); }

}  // namespace

Algorithm ring_bcast() { return {AlgorithmName::ring, Collective::bcast, any_size, build, terms}; }

}  // namespace laconic
