// Ring: size-1 steps move partial sums round the ring, size-1 more hand out the results.  Every rank sends
// 2 (size-1)/size of the data, the least possible; the number of steps grows with size.
// (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.)
#include "schedule/schedule.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  const int next = wrap(at.rank + 1, at.size);
  const int previous = wrap(at.rank - 1, at.size);
  Builder s(at.size);
  for (int k = 1; k < at.size; ++k)
    s.send(wrap(at.rank - k, at.size), next).reduce(wrap(at.rank - k - 1, at.size), previous);
  for (int k = 0; k < at.size - 1; ++k)
    s.send(wrap(at.rank - k, at.size), next).receive(wrap(at.rank - k - 1, at.size), previous);
  return s.take();
}

}  // namespace

Algorithm ring_allreduce() {
  return {"ring", Collective::allreduce, [](int) { return true; }, build,
          [](int size) { return size == 1 ? 0 : size; }};
}

}  // namespace laconic
