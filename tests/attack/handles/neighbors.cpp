// SPDX-License-Identifier: BSD-3-Clause
// Collectives among neighbors. Blocks of neighbors that are absent (the ends of a grid) stay as they are.
#include "exchange.hpp"

namespace handles {

void neighbors(Play& p) {
  std::shared_ptr<Comm> comm;
  // Most communicators have no neighbors: one that has is looked for, and else made.
  for (int tries = 0; tries < 8 && (!comm || !comm->topology); ++tries) comm = p.pick();
  if (!comm->topology) return p.make_comm();
  Drawn d;
  constexpr auto first = static_cast<std::uint64_t>(Routine::neighbor_allgather);
  d.routine = static_cast<Routine>(first + p.shared.below(5));
  if (old_mpich && d.routine == Routine::neighbor_alltoallw)
    d.routine = Routine::neighbor_alltoallv;  // 4.0 itself crashes
  d.form = static_cast<Form>(p.shared.below(persistent_collectives ? 3 : 2));
  d.number = p.next();
  d.key = p.key(d.number);
  d.signature = p.draw_signature(true);
  d.numbers = p.draw_numbers() / 4 / grain * grain;
  d.rounds = 1 + static_cast<int>(p.shared.below(3));
  std::shared_ptr<Exchange> e;
  if (comm->member()) {
    const int me = comm->world[static_cast<std::size_t>(comm->rank)];
    const bool gathers = d.routine == Routine::neighbor_allgather || d.routine == Routine::neighbor_allgatherv;
    std::vector<Block> send;
    std::vector<Block> recv;
    if (gathers) send.push_back({0, d.count(me, -1), Way{me, -1}, {}});
    for (const int to : comm->destinations) {
      if (gathers) break;
      Block b{0, d.count(me, to), {}, {}};
      if (to != MPI_PROC_NULL) b.before = Way{me, to};
      send.push_back(b);
    }
    for (const int from : comm->sources) {
      Block b{0, d.count(from, gathers ? -1 : me), {}, {}};
      if (from != MPI_PROC_NULL) b.after = {Way{from, gathers ? -1 : me}};
      recv.push_back(b);
    }
    e = std::make_shared<Exchange>(p, comm, d);
    e->lay(std::move(send), std::move(recv), false);
    p.say(text("%d: %s%s on [%s] of %d, %zu from and %zu to, %zu numbers%s", d.number, name_of(d.form),
               name_of(d.routine), comm->name.c_str(), comm->size, comm->sources.size(), comm->destinations.size(),
               d.numbers, e->types().c_str()));
  }
  run_exchange(p, comm, d, e, false);
}

}  // namespace handles
