// SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

namespace handles {

const char* name_of(Routine routine) {
  constexpr const char* names[] = {"barrier",
                                   "bcast",
                                   "reduce",
                                   "allreduce",
                                   "scan",
                                   "exscan",
                                   "reduce_scatter_block",
                                   "gather",
                                   "gatherv",
                                   "scatter",
                                   "scatterv",
                                   "allgather",
                                   "allgatherv",
                                   "alltoall",
                                   "alltoallv",
                                   "alltoallw",
                                   "neighbor_allgather",
                                   "neighbor_allgatherv",
                                   "neighbor_alltoall",
                                   "neighbor_alltoallv",
                                   "neighbor_alltoallw"};
  return names[static_cast<int>(routine)];
}

const char* name_of(Form form) {
  return form == Form::blocking ? "" : form == Form::nonblocking ? "nonblocking " : "persistent ";
}

bool Drawn::varies() const {
  switch (routine) {
    case Routine::gatherv:
    case Routine::scatterv:
    case Routine::allgatherv:
    case Routine::alltoallv:
    case Routine::alltoallw:
    case Routine::neighbor_allgatherv:
    case Routine::neighbor_alltoallv:
    case Routine::neighbor_alltoallw: return true;
    default: return false;
  }
}

std::size_t Drawn::count(int from, int to) const {
  if (!varies()) return numbers;
  return grain * (mix(mix(key, static_cast<std::uint64_t>(from + 9)), static_cast<std::uint64_t>(to + 9)) %
                  (numbers / grain + 1));
}

std::unique_ptr<Buffer> Exchange::lay_side(Side& side, std::vector<Block> blocks, std::shared_ptr<Type> type,
                                           bool gaps) {
  std::size_t at = 0;
  for (Block& b : blocks) {
    if (gaps) at += play_.own.below(3);  // gaps of whole items
    b.at = at;
    const std::size_t items = b.numbers / type->numbers();
    side.counts.push_back(static_cast<int>(items));
    side.displacements.push_back(static_cast<int>(at));
    side.byte_displacements.push_back(static_cast<int>(at * type->extent()));
    side.addresses.push_back(static_cast<MPI_Aint>(at * type->extent()));
    side.types.push_back(type->handle());
    at += items;
  }
  return std::make_unique<Buffer>(play_.run, play_.own, drawn_.signature, std::move(type), std::move(blocks));
}

void Exchange::lay(std::vector<Block> send, std::vector<Block> recv, bool basic) {
  // All MPIs choose the algorithm of allgatherv by sizes or extents of the types of one rank, so that ranks with other
  // types choose another one, and hang.
  const bool one_type = drawn_.routine == Routine::allgatherv || drawn_.routine == Routine::allgather;
  Random common(drawn_.key);
  const auto shared = one_type ? play_.draw_type(common, drawn_.signature) : nullptr;
  const auto type = [&] {
    return basic    ? std::make_shared<Type>(play_.run, drawn_.signature.kind, play_.type_callbacks)
           : shared ? shared
                    : play_.draw_type(drawn_.signature);
  };
  // One block alone has no displacement.
  const bool gathers = drawn_.routine == Routine::gatherv || drawn_.routine == Routine::allgatherv ||
                       drawn_.routine == Routine::neighbor_allgatherv;
  const bool scatters = drawn_.routine == Routine::scatterv;
  // Where there is one rank, Open MPI 4.1 itself takes the displacements in bytes of MPI_Alltoallw for items, and
  // MPICH 4.0 ignores those of MPI_Allgatherv.
  const bool no_gaps = comm_->size == 1 && ((open_mpi && drawn_.routine == Routine::alltoallw) ||
                                            (old_mpich && drawn_.routine == Routine::allgatherv));
  if (!send.empty()) send_ = lay_side(sends_, std::move(send), type(), drawn_.varies() && !gathers && !no_gaps);
  if (!recv.empty()) recv_ = lay_side(recvs_, std::move(recv), type(), drawn_.varies() && !scatters && !no_gaps);
  if (send_ && play_.own.below(3) == 0) send_->make_read_only();
}

std::string Exchange::types() const {
  std::string all;
  for (const auto& [what, buffer] : {std::pair{", from ", send_.get()}, {", to ", recv_.get()}})
    if (buffer) all += what + std::string(buffer->type().name()) + (buffer->read_only() ? " (read-only)" : "");
  return all;
}

void Exchange::fill(int round) {
  const std::uint64_t key = play_.key(drawn_.number, round);
  if (send_) send_->fill(key);
  if (recv_) recv_->fill(key);
}

void Exchange::check() {
  const std::string what = text("%d: %s%s on [%s] of %d", drawn_.number, name_of(drawn_.form), name_of(drawn_.routine),
                                comm_->name.c_str(), comm_->size);
  if (send_) send_->check(what + ", sent");
  if (recv_) recv_->check(what + ", received");
}

void Exchange::free_types() {
  if (send_) send_->type().free();
  if (recv_) recv_->type().free();
}

// One of the three forms of a call.
#if MPI_VERSION >= 4
#define FORM(Name, Iname, ...)                                                  \
  (drawn_.form == Form::blocking      ? MPI_##Name(__VA_ARGS__, comm)           \
   : drawn_.form == Form::nonblocking ? MPI_##Iname(__VA_ARGS__, comm, request) \
                                      : MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request))
#else
#define FORM(Name, Iname, ...) \
  (drawn_.form == Form::blocking ? MPI_##Name(__VA_ARGS__, comm) : MPI_##Iname(__VA_ARGS__, comm, request))
#endif

int Exchange::call(MPI_Request* request) {
  const MPI_Comm comm = comm_->handle;
  const int root = drawn_.root(*comm_);
  // What is not significant on a rank is nothing.
  static double nothing = 0;
  void* const in = send_in_place ? MPI_IN_PLACE : send_ ? send_->data() : &nothing;
  void* const out = recv_in_place ? MPI_IN_PLACE : recv_ ? recv_->data() : &nothing;
  const MPI_Datatype none = basic(drawn_.signature.kind);
  MPI_Datatype from = send_ ? send_->type().handle() : none;
  MPI_Datatype to = recv_ ? recv_->type().handle() : none;
  int n = sends_.counts.empty() ? 0 : sends_.counts[0];
  int m = recvs_.counts.empty() ? 0 : recvs_.counts[0];
  const int length = recv_ ? m : n;  // of a reduction
  static const int no_count = 0;     // Open MPI wants addresses where there are no neighbors
  const auto numbers = [](const std::vector<int>& all) { return all.empty() ? &no_count : all.data(); };
  const int* const ns = numbers(sends_.counts);
  const int* const ms = numbers(recvs_.counts);
  const int* const nd = numbers(sends_.displacements);
  const int* const md = numbers(recvs_.displacements);
  // Open MPI compares both sides also where one of them has no neighbors.
  if (drawn_.routine >= Routine::neighbor_allgather && !send_) n = m, from = to;
  if (drawn_.routine >= Routine::neighbor_allgather && !recv_) m = n, to = from;
  switch (drawn_.routine) {
    case Routine::barrier:
      if (drawn_.form == Form::blocking) return MPI_Barrier(comm);
#if MPI_VERSION >= 4
      if (drawn_.form == Form::persistent) return MPI_Barrier_init(comm, MPI_INFO_NULL, request);
#endif
      return MPI_Ibarrier(comm, request);
    case Routine::bcast: return FORM(Bcast, Ibcast, out, m, to, root);
    case Routine::reduce: return FORM(Reduce, Ireduce, in, out, length, none, op, root);
    case Routine::allreduce: return FORM(Allreduce, Iallreduce, in, out, length, none, op);
    case Routine::scan: return FORM(Scan, Iscan, in, out, length, none, op);
    case Routine::exscan: return FORM(Exscan, Iexscan, in, out, length, none, op);
    case Routine::reduce_scatter_block:
      return FORM(Reduce_scatter_block, Ireduce_scatter_block, in, out, length, none, op);
    case Routine::gather: return FORM(Gather, Igather, in, n, from, out, m, to, root);
    case Routine::gatherv: return FORM(Gatherv, Igatherv, in, n, from, out, ms, md, to, root);
    case Routine::scatter: return FORM(Scatter, Iscatter, in, n, from, out, m, to, root);
    case Routine::scatterv: return FORM(Scatterv, Iscatterv, in, ns, nd, from, out, m, to, root);
    case Routine::allgather: return FORM(Allgather, Iallgather, in, n, from, out, m, to);
    case Routine::allgatherv: return FORM(Allgatherv, Iallgatherv, in, n, from, out, ms, md, to);
    case Routine::alltoall: return FORM(Alltoall, Ialltoall, in, n, from, out, m, to);
    case Routine::alltoallv: return FORM(Alltoallv, Ialltoallv, in, ns, nd, from, out, ms, md, to);
    case Routine::alltoallw:
      return FORM(Alltoallw, Ialltoallw, in, ns, sends_.byte_displacements.data(), sends_.types.data(), out, ms,
                  recvs_.byte_displacements.data(), recvs_.types.data());
    case Routine::neighbor_allgather: return FORM(Neighbor_allgather, Ineighbor_allgather, in, n, from, out, m, to);
    case Routine::neighbor_allgatherv:
      return FORM(Neighbor_allgatherv, Ineighbor_allgatherv, in, n, from, out, ms, md, to);
    case Routine::neighbor_alltoall: return FORM(Neighbor_alltoall, Ineighbor_alltoall, in, n, from, out, m, to);
    case Routine::neighbor_alltoallv:
      return FORM(Neighbor_alltoallv, Ineighbor_alltoallv, in, ns, nd, from, out, ms, md, to);
    case Routine::neighbor_alltoallw:
      return FORM(Neighbor_alltoallw, Ineighbor_alltoallw, in, ns, sends_.addresses.data(), sends_.types.data(), out,
                  ms, recvs_.addresses.data(), recvs_.types.data());
  }
  return MPI_ERR_OTHER;
}

namespace {

// The next round of a persistent call, which comes later.
void again(Play& p, const std::shared_ptr<Comm>& comm, const Drawn& d, const std::shared_ptr<Exchange>& e,
           const std::shared_ptr<Op>& op, const std::shared_ptr<std::size_t>& slot, bool compare, int round) {
  const auto start = [&p, comm, d, e, op, slot, compare, round] {
    const std::size_t fresh = compare ? p.slot() : 0;
    if (op) {
      p.finish(*op);
      *slot = fresh;
      e->fill(round);
      p.say(text("MPI_Start of %d, round %d", d.number, round));
      op->last = round + 1 == d.rounds;
      op->active = true;
      p.run.good(MPI_Start(&op->request), "MPI_Start");
    }
    if (round + 1 < d.rounds) again(p, comm, d, e, op, slot, compare, round + 1);
  };
  round == 0 ? start() : p.later(comm, start);
}

}  // namespace

void run_exchange(Play& p, const std::shared_ptr<Comm>& comm, const Drawn& d, const std::shared_ptr<Exchange>& e,
                  bool compare) {
  const auto slot = std::make_shared<std::size_t>(compare && d.form != Form::persistent ? p.slot() : 0);
  std::shared_ptr<Op> op;
  if (e) {
    e->fill(0);
    Op o{text("%s%s %d", name_of(d.form), name_of(d.routine), d.number), comm, {}};
    o.done = [&p, comm, e, slot, compare](const MPI_Status*) {
      e->check();
      if (compare && e->comparable()) p.set_bits(*slot, *comm, e->bits());
    };
    o.collective = true;
    o.persistent = d.form == Form::persistent;
    p.run.good(e->call(&o.request), o.what.c_str());
    if ((d.form == Form::nonblocking || (d.form == Form::persistent && !old_mpich)) && p.own.below(2) == 0)
      e->free_types();
    if (d.form == Form::blocking) o.done(nullptr);
    o.active = d.form == Form::nonblocking;
    if (d.form != Form::blocking) op = p.add(std::move(o));
  }
  if (d.form == Form::persistent) again(p, comm, d, e, op, slot, compare, 0);
}

}  // namespace handles
