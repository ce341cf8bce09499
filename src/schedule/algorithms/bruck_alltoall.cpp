// SPDX-License-Identifier: BSD-3-Clause
// Bruck: a block that has to move k ranks onward moves by 1, 2, 4, ... for each bit set in k, together with all blocks
// whose distance has that bit: a rank has log2(size) neighbours instead of size-1, but sends more bytes.  Blocks are
// named, so the rotations before and after the original algorithm are not needed. (Bruck, Ho, Kipnis, Upfal and
// Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing systems", 1997.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size * at.size);
  for (int distance = 1; distance < at.size; distance *= 2) {
    const int next = wrap(at.rank + distance, at.size);
    const int previous = wrap(at.rank - distance, at.size);
    // The block that has to move k ranks in total and is at `holder` before it moves by `distance`.
    const auto block = [&](int k, int holder) {
      const int source = wrap(holder - k % distance, at.size);
      return source * at.size + wrap(source + k, at.size);
    };
    s.hop();
    for (int k = distance; k < at.size; ++k)
      if ((k & distance) != 0) s.send(block(k, at.rank), next).receive(block(k, previous), previous);
  }
  return s.take();
}

Terms terms(int size, Travel travel) { return terms_of_moving(log2_below(size), travel); }

}  // namespace

Algorithm bruck_alltoall() { return {AlgorithmName::bruck, Collective::alltoall, any_size, build, terms}; }

}  // namespace laconic
