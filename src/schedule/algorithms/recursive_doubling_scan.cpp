// SPDX-License-Identifier: BSD-3-Clause
// Recursive doubling: at distance 1, 2, 4, ... every rank sends its sum to the rank above, and adds the sum of the rank
// below.  Each of the log2(size) steps sends all the data, so this is for small messages.
// (Hillis and Steele, "Data parallel algorithms", 1986.)
#include "schedule/patterns.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(1);
  for (int distance = 1; distance < at.size; distance *= 2) {
    if (at.rank + distance < at.size) s.send(0, at.rank + distance);
    if (at.rank >= distance) s.reduce(0, at.rank - distance);
  }
  return s.take();
}

// The last rank adds most sums.  Every sum that arrives was encoded, and so were all of which it was formed; its own
// sums were not, because it sends none.
Terms terms(int size, Travel travel) {
  if (size == 1) return {};
  return {travel == Travel::per_hop ? size - 1 : 2 * (size - 1) - log2_below(size - 1) - 1, 0};
}

}  // namespace

Algorithm recursive_doubling_scan() {
  return {AlgorithmName::recursive_doubling, Collective::scan, any_size, build, terms};
}

}  // namespace laconic
