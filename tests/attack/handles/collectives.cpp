// SPDX-License-Identifier: BSD-3-Clause
// Collectives: blocking, nonblocking and persistent, with derived types, in place or not.
#include "exchange.hpp"

namespace handles {
namespace {

void add_up(void* in, void* inout, int* length, MPI_Datatype* type) {
  const auto all = [&]<class T>(T) {
    for (int i = 0; i < *length; ++i) static_cast<T*>(inout)[i] += static_cast<T*>(in)[i];
  };
  if (*type == MPI_FLOAT) return all(float{});
  if (*type == MPI_DOUBLE) return all(double{});
  all(int{});
}

bool reduces(Routine r) {
  return r == Routine::reduce || r == Routine::allreduce || r == Routine::scan || r == Routine::exscan ||
         r == Routine::reduce_scatter_block;
}

bool equal_everywhere(Routine r) {
  return r == Routine::bcast || r == Routine::allreduce || r == Routine::allgather || r == Routine::allgatherv;
}

bool in_place_possible(Routine r) {
  return r != Routine::bcast && r != Routine::barrier && r != Routine::exscan && r != Routine::reduce_scatter_block &&
         r != Routine::scatterv && r != Routine::gatherv && r < Routine::alltoallv;
}

// The blocks of one rank, one after the other in its buffers.
struct Plan {
  std::vector<Block> send;
  std::vector<Block> recv;
};

class Planner {
 public:
  Planner(Play& p, const Comm& comm, const Drawn& d) : p_(p), comm_(comm), d_(d) {}

  Plan plan() {
    const int me = comm_.rank;
    const int root = d_.root(comm_);
    const bool at_root = me == root;
    switch (d_.routine) {
      case Routine::barrier: break;
      case Routine::bcast: {
        Block b = block(root, -1, d_.numbers);
        b.after = {way(root, -1)};
        if (at_root) b.before = way(root, -1);
        out_.recv.push_back(b);
        break;
      }
      case Routine::reduce:
      case Routine::allreduce:
      case Routine::scan:
      case Routine::exscan: {
        send(me, -1, d_.numbers);
        if (d_.routine == Routine::reduce && !at_root) break;
        const int last = d_.routine == Routine::scan ? me + 1 : d_.routine == Routine::exscan ? me : comm_.size;
        recv_sum(last, -1);
        break;
      }
      case Routine::reduce_scatter_block:
        for (int r = 0; r < comm_.size; ++r) send(me, r, d_.numbers);
        recv_sum(comm_.size, me);
        break;
      case Routine::gather:
      case Routine::gatherv:
        send(me, root, count(me, root));
        for (int r = 0; at_root && r < comm_.size; ++r) recv(r, root, count(r, root));
        break;
      case Routine::allgather:
      case Routine::allgatherv:
        send(me, -1, count(me, -1));
        for (int r = 0; r < comm_.size; ++r) recv(r, -1, count(r, -1));
        break;
      case Routine::scatter:
      case Routine::scatterv:
        for (int r = 0; at_root && r < comm_.size; ++r) send(root, r, count(root, r));
        recv(root, me, count(root, me));
        break;
      default:
        for (int r = 0; r < comm_.size; ++r) send(me, r, count(me, r));
        for (int r = 0; r < comm_.size; ++r) recv(r, me, count(r, me));
    }
    return std::move(out_);
  }

 private:
  int world(int rank) const { return rank < 0 ? -1 : comm_.world[static_cast<std::size_t>(rank)]; }
  Way way(int from, int to) const { return {world(from), world(to)}; }
  Block block(int, int, std::size_t numbers) const {
    Block b;
    b.numbers = numbers;
    b.op = d_.reduce;
    return b;
  }
  std::size_t count(int from, int to) const { return d_.count(world(from), world(to)); }
  void send(int from, int to, std::size_t numbers) {
    Block b = block(from, to, numbers);
    b.before = way(from, to);
    out_.send.push_back(b);
  }
  void recv(int from, int to, std::size_t numbers) {
    Block b = block(from, to, numbers);
    b.after = {way(from, to)};
    out_.recv.push_back(b);
  }
  void recv_sum(int ranks, int to) {
    Block b = block(0, to, d_.numbers);
    for (int r = 0; r < ranks; ++r) b.after.push_back(way(r, to));
    b.any_after = ranks == 0;
    out_.recv.push_back(b);
  }

  Play& p_;
  const Comm& comm_;
  const Drawn& d_;
  Plan out_;
};

// The input moves to where the result is to be.
void put_in_place(const Comm& comm, const Drawn& d, Plan& plan) {
  const auto me = static_cast<std::size_t>(comm.rank);
  switch (d.routine) {
    case Routine::reduce:
    case Routine::allreduce:
    case Routine::scan: plan.recv[0].before = plan.send[0].before; break;
    case Routine::gather:
    case Routine::allgather:
    case Routine::allgatherv: plan.recv[me].before = plan.send[0].before; break;
    case Routine::alltoall:
      for (std::size_t r = 0; r < plan.recv.size(); ++r) plan.recv[r].before = plan.send[r].before;
      break;
    default: return;
  }
  plan.send.clear();
}

MPI_Op op_of(const Drawn& d, MPI_Op own) {
  if (d.own_op) return own;
  return d.reduce == Reduce::sum ? MPI_SUM : d.reduce == Reduce::max ? MPI_MAX : MPI_MIN;
}

Drawn draw(Play& p) {
  Drawn d;
  d.routine = static_cast<Routine>(p.shared.below(static_cast<std::uint64_t>(Routine::neighbor_allgather)));
  d.form = static_cast<Form>(p.shared.below(persistent_collectives ? 3 : 2));
  if (open_mpi && d.routine == Routine::alltoallw) d.form = Form::blocking;  // 4.1 itself crashes in MPI_Ialltoallw
  d.number = p.next();
  d.key = p.key(d.number);
  d.signature = p.draw_signature(!reduces(d.routine));
  d.numbers = p.draw_numbers();
  d.turn = p.shared.bits() >> 8;
  d.in_place = p.shared.below(4) == 0 && in_place_possible(d.routine);
  if (old_mpich && d.routine == Routine::reduce) d.in_place = false;  // 4.0 itself crashes
  const auto op = p.shared.below(8);
  d.reduce = op == 6 ? Reduce::max : op == 7 ? Reduce::min : Reduce::sum;
  d.own_op = op == 5;
  d.rounds = 1 + static_cast<int>(p.shared.below(3));
  return d;
}

}  // namespace

void collective(Play& p) {
  const auto comm = p.pick();
  Drawn d = draw(p);
  std::shared_ptr<Exchange> e;
  MPI_Op own = MPI_OP_NULL;
  if (comm->member()) {
    if (d.routine >= Routine::reduce_scatter_block) d.limit(static_cast<std::size_t>(comm->size));
    Plan plan = Planner(p, *comm, d).plan();
    const bool at_root = d.root(*comm) == comm->rank;
    const bool rooted = d.routine == Routine::reduce || d.routine == Routine::gather || d.routine == Routine::scatter;
    const bool in_place = d.in_place && (!rooted || at_root);
    e = std::make_shared<Exchange>(p, comm, d);
    if (in_place && d.routine == Routine::scatter)
      plan.recv.clear(), e->recv_in_place = true;
    else if (in_place)
      put_in_place(*comm, d, plan), e->send_in_place = true;
    if (d.own_op) p.run.good(MPI_Op_create(add_up, 1, &own), "MPI_Op_create");
    e->op = op_of(d, own);
    e->lay(std::move(plan.send), std::move(plan.recv), reduces(d.routine));
    // A root's buffer is only read.
    if (d.routine == Routine::bcast && at_root && p.own.below(3) == 0) e->root_is_read_only();
    p.say(text("%d: %s%s on [%s] of %d, root %d, %zu numbers%s%s", d.number, name_of(d.form), name_of(d.routine),
               comm->name.c_str(), comm->size, d.root(*comm), d.numbers, in_place ? ", in place" : "",
               e->types().c_str()));
  }
  run_exchange(p, comm, d, e, equal_everywhere(d.routine));
  if (own != MPI_OP_NULL) p.run.good(MPI_Op_free(&own), "MPI_Op_free");
}

// A root sends one buffer twice at a time, which it may because MPI only reads it.
void two_bcasts(Play& p) {
  const auto comm = p.pick();
  const int number = p.next();
  const auto turn = p.shared.bits() >> 8;
  const Signature signature = p.draw_signature(true);
  const std::size_t numbers = p.draw_numbers();
  const std::size_t slots[] = {p.slot(), p.slot()};
  if (!comm->member()) return;
  const int root = static_cast<int>(turn % static_cast<std::uint64_t>(comm->size));
  const Way way{comm->world[static_cast<std::size_t>(root)], -1};
  const bool at_root = root == comm->rank;
  Block b{0, numbers, {}, {way}};
  if (at_root) b.before = way;
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (int k = 0; k < (at_root ? 1 : 2); ++k) {
    buffers.push_back(std::make_shared<Buffer>(p.run, p.own, signature, p.draw_type(signature), std::vector{b}));
    buffers.back()->fill(p.key(number));
  }
  if (at_root) buffers.push_back(buffers[0]);
  if (at_root && p.own.below(2) == 0 && root_is_only_read(comm->size)) buffers[0]->make_read_only();
  p.say(text("%d: two MPI_Ibcast on [%s] of %d, root %d, %zu numbers, type %s", number, comm->name.c_str(), comm->size,
             root, numbers, buffers[0]->type().name()));
  const auto open = std::make_shared<int>(2);
  for (std::size_t k = 0; k < 2; ++k) {
    Op op{text("Ibcast %zu of %d", k, number), comm, {}};
    op.done = [&p, open, at_root, comm, buffer = buffers[k], slot = slots[k], number](const MPI_Status*) {
      // A root's own bits may be rounded for one of both, and not yet for the other.
      if (at_root && --*open > 0) return;
      buffer->check(text("Ibcast, one of two, %d on [%s]%s", number, comm->name.c_str(), at_root ? ", root" : ""));
      if (!at_root) p.set_bits(slot, *comm, buffer->bits());
    };
    Buffer& buffer = *buffers[k];
    p.run.good(
        MPI_Ibcast(buffer.data(), buffer.items(numbers), buffer.type().handle(), root, comm->handle, &op.request),
        "MPI_Ibcast");
    p.add(std::move(op));
  }
  for (const auto& buffer : buffers)
    if (!old_mpich) buffer->type().free();
}

}  // namespace handles
