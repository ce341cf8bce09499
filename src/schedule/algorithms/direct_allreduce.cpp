// Direct, also called two-shot: every rank owns one block, gets everybody's part of it, adds them up and sends
// everybody the result.  Two steps whatever the size, as many bytes as the ring; every rank talks to every other.
#include "schedule/schedule.hpp"

namespace laconic {
namespace {

Schedule build(Place at) {
  Builder s(at.size);
  // In the k-th exchange every rank is the target of one message, which spreads the load; and taking one message for
  // each one sent keeps the frames that a rank holds few, however many ranks there are.
  const auto to = [&](int k) { return wrap(at.rank + k, at.size); };
  const auto from = [&](int k) { return wrap(at.rank - k, at.size); };
  for (int k = 1; k < at.size; ++k) s.send(to(k), to(k)).reduce(at.rank, from(k));
  for (int k = 1; k < at.size; ++k) s.send(at.rank, to(k)).receive(from(k), from(k));
  return s.take();
}

// The owner's own numbers enter uncoded with the first frame that it folds them into; each fold encodes again.
int terms(int size) { return size == 1 ? 0 : 2 * (size - 1); }

}  // namespace

Algorithm direct_allreduce() {
  return {"direct", Collective::allreduce, [](int) { return true; }, build, terms};
}

}  // namespace laconic
