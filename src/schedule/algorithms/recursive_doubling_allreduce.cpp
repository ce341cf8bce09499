// Recursive doubling: partners at distance 1, 2, 4, ... exchange and add everything they have.  log2(size) steps of
// all the data: for small messages.  When size is no power of two, the first 2r ranks (r = size - 2^k) pair up: the
// even ones hand their values to the odd ones and get the result back at the end.
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.)
#include "schedule/schedule.hpp"

namespace laconic {
namespace {

int power_below(int size) {
  int p = 1;
  while (2 * p <= size) p *= 2;
  return p;
}

Schedule build(Place at) {
  const int doubling = power_below(at.size);
  const int extra = at.size - doubling;
  Builder s(1);
  const bool paired = at.rank < 2 * extra;
  if (paired && at.rank % 2 == 0) return s.send(0, at.rank + 1).receive(0, at.rank + 1).take();
  if (paired) s.reduce(0, at.rank - 1);
  const int virtual_rank = paired ? at.rank / 2 : at.rank - extra;
  for (int distance = 1; distance < doubling; distance *= 2) {
    const int partner = virtual_rank ^ distance;
    const int peer = partner < extra ? 2 * partner + 1 : partner + extra;
    s.send(0, peer).reduce(0, peer);
  }
  if (paired) s.send(0, at.rank - 1);
  return s.take();
}

// Every rank's numbers are encoded once (for the pairs: those of one, then their sum), and each of the
// power_below(size) - 1 sums that the doubling forms once more.
int terms(int size) { return size == 1 ? 0 : size + power_below(size) - 1; }

}  // namespace

Algorithm recursive_doubling_allreduce() {
  return {"recursive-doubling", Collective::allreduce, [](int) { return true; }, build, terms};
}

}  // namespace laconic
