// SPDX-License-Identifier: BSD-3-Clause
// Messages round a ring, with or without ends, by every function that sends or receives.
#include <sched.h>

#include <algorithm>

#include "play.hpp"

namespace handles {
namespace {

// One side of a message, or of several with one tag, on this rank.
struct Side {
  std::shared_ptr<Comm> comm;
  int peer = MPI_PROC_NULL;  // in the communicator
  int tag = 0;
  bool any_tag = false;
  std::size_t numbers = 0;
  Signature signature;
  std::shared_ptr<Buffer> buffer;
  int room = 0;  // items that a receive has room for

  int world() const { return peer == MPI_PROC_NULL ? peer : comm->world[static_cast<std::size_t>(peer)]; }
  int mine() const { return comm->world[static_cast<std::size_t>(comm->rank)]; }
  int items() const { return buffer->items(numbers); }
  MPI_Datatype type() const { return buffer->type().handle(); }
  std::string where() const {
    return text("%d of [%s], %zu numbers, type %s%s", tag, comm->name.c_str(), numbers, buffer->type().name(),
                peer == MPI_PROC_NULL ? ", MPI_PROC_NULL" : "");
  }
};

Side sending(Play& p, Side s, std::uint64_t key) {
  Block b{0, s.numbers, Way{s.mine(), s.world()}, {}};
  s.buffer = std::make_shared<Buffer>(p.run, p.own, s.signature, p.draw_type(s.signature), std::vector{b});
  s.buffer->fill(key);
  if (p.own.below(4) == 0) s.buffer->make_read_only();
  return s;
}

Side receiving(Play& p, Side s, std::uint64_t key) {
  Block b{0, s.numbers, {}, {}};
  if (s.peer != MPI_PROC_NULL) b.after = {Way{s.world(), s.mine()}};
  const auto type = p.draw_type(s.signature);
  const std::size_t items = s.numbers / type->numbers() + p.own.below(3);
  s.room = static_cast<int>(items);
  s.buffer = std::make_shared<Buffer>(p.run, p.own, s.signature, type, std::vector{b}, items);
  s.buffer->fill(key);
  return s;
}

void check_status(Play& p, const Side& s, const MPI_Status& status, bool type_is_there) {
  const bool none = s.peer == MPI_PROC_NULL;
  if (none && old_mpich) return;
  CHECK(p.run.journal, status.MPI_SOURCE == s.peer && status.MPI_TAG == (none ? MPI_ANY_TAG : s.tag),
        "%s: the status has source %d and tag %d", s.where().c_str(), status.MPI_SOURCE, status.MPI_TAG);
  if (!type_is_there) return;
  int items = -1;
  int elements = -1;
  MPI_Get_count(&status, s.type(), &items);
  MPI_Get_elements(&status, s.type(), &elements);
  CHECK(p.run.journal, items == (none ? 0 : s.items()) && elements == (none ? 0 : static_cast<int>(s.numbers)),
        "%s: the status has %d items and %d elements", s.where().c_str(), items, elements);
}

int source(Play& p, const Side& s) { return s.peer != MPI_PROC_NULL && p.own.below(3) == 0 ? MPI_ANY_SOURCE : s.peer; }
int tag(const Side& s) { return s.any_tag ? MPI_ANY_TAG : s.tag; }

// A request whose buffer is checked when it is complete.
Op operation(Play& p, const Side& s, std::string what, bool receives) {
  Op op{std::move(what) + " " + s.where(), s.comm, {}};
  op.done = [&p, s, receives](const MPI_Status* status) {
    if (receives && status) check_status(p, s, *status, !s.buffer->type().freed());
    s.buffer->check((receives ? "received " : "sent ") + s.where());
  };
  return op;
}

// MPICH 5.0 itself takes persistent requests without a partner for inactive ones: they have no status, and waits ignore
// them.
bool may_persist(const Side& s) { return !mpich || s.peer != MPI_PROC_NULL; }

// A type may be freed as soon as the call is made.
void perhaps_free(Play& p, const Side& s, bool persistent = false) {
  if (!(old_mpich && persistent) && p.own.below(2) == 0) s.buffer->type().free();
}

void start_receive(Play& p, const Side& s, const std::shared_ptr<bool>& matched = nullptr) {
  const int n = s.room;
  if (p.own.below(4) == 0 && may_persist(s)) {
    Op op = operation(p, s, "Recv_init", true);
    op.persistent = true;
    op.matched = matched;
    p.say("MPI_Recv_init, MPI_Start " + s.where());
    p.run.good(MPI_Recv_init(s.buffer->data(), n, s.type(), source(p, s), tag(s), s.comm->handle, &op.request),
               "MPI_Recv_init");
    perhaps_free(p, s, true);
    p.run.good(MPI_Start(&op.request), "MPI_Start");
    p.add(std::move(op));
    return;
  }
  Op op = operation(p, s, "Irecv", true);
  op.matched = matched;
  p.say("MPI_Irecv " + s.where());
  p.run.good(MPI_Irecv(s.buffer->data(), n, s.type(), source(p, s), tag(s), s.comm->handle, &op.request), "MPI_Irecv");
  perhaps_free(p, s);
  p.add(std::move(op));
}

// Where it may block, the receive has been posted.
void send_now(Play& p, const Side& s, bool may_block, const std::shared_ptr<bool>& matched) {
  auto way = p.own.below(may_block ? 8 : 6);
  if ((way == 3 || way == 4) && !may_persist(s)) way = 1;
  const MPI_Comm comm = s.comm->handle;
  void* data = s.buffer->data();
  constexpr const char* names[] = {"Isend", "Issend", "Isend, Request_free", "Send_init", "Ssend_init", "Isend",
                                   "Send",  "Ssend"};
  Op op = operation(p, s, names[way], false);
  op.matched = matched;
  p.say(text("MPI_%s ", names[way]) + s.where());
  switch (way) {
    case 1: p.run.good(MPI_Issend(data, s.items(), s.type(), s.peer, s.tag, comm, &op.request), "MPI_Issend"); break;
    case 3:
    case 4:
      op.persistent = true;
      p.run.good(
          (way == 3 ? MPI_Send_init : MPI_Ssend_init)(data, s.items(), s.type(), s.peer, s.tag, comm, &op.request),
          "MPI_Send_init");
      perhaps_free(p, s, true);
      p.run.good(MPI_Start(&op.request), "MPI_Start");
      break;
    case 6:
    case 7:
      p.run.good((way == 6 ? MPI_Send : MPI_Ssend)(data, s.items(), s.type(), s.peer, s.tag, comm), "MPI_Send");
      op.done(nullptr);
      return;
    default: p.run.good(MPI_Isend(data, s.items(), s.type(), s.peer, s.tag, comm, &op.request), "MPI_Isend");
  }
  perhaps_free(p, s, op.persistent);
  // The buffer can be reused when everything has been received.
  if (way == 2 || (op.persistent && p.own.below(4) == 0)) {
    p.run.good(MPI_Request_free(&op.request), "MPI_Request_free");
    p.keep(s.buffer);
    return;
  }
  p.add(std::move(op));
}

void receive_now(Play& p, const Side& s) {
  auto way = p.own.below(7);
  // MPICH 5.0 itself crashes in matched receives of derived types, seldom.
  if (mpich && way >= 4 && s.buffer->type().name() != std::string("basic")) way -= 3;
  constexpr const char* names[] = {"Irecv",           "Recv",          "Probe, Recv", "Iprobe, Recv", "Mprobe, Mrecv",
                                   "Improbe, Imrecv", "Mprobe, Imrecv"};
  if (way == 0) return start_receive(p, s);
  p.say(text("MPI_%s ", names[way]) + s.where());
  const MPI_Comm comm = s.comm->handle;
  const int from = source(p, s);
  const int n = s.room;
  void* data = s.buffer->data();
  MPI_Status status;
  MPI_Message found = MPI_MESSAGE_NULL;
  int flag = 0;
  if (way == 2) p.run.good(MPI_Probe(from, tag(s), comm, &status), "MPI_Probe");
  if (way == 4 || way == 6) p.run.good(MPI_Mprobe(from, tag(s), comm, &found, &status), "MPI_Mprobe");
  while ((way == 3 || way == 5) && !flag) {
    if (way == 3) p.run.good(MPI_Iprobe(from, tag(s), comm, &flag, &status), "MPI_Iprobe");
    if (way == 5) p.run.good(MPI_Improbe(from, tag(s), comm, &flag, &found, &status), "MPI_Improbe");
    if (!flag) sched_yield();
  }
  if (way >= 2) check_status(p, s, status, true);
  if (way >= 5) {
    Op op = operation(p, s, "Imrecv", true);
    p.run.good(MPI_Imrecv(data, n, s.type(), &found, &op.request), "MPI_Imrecv");
    perhaps_free(p, s);
    p.add(std::move(op));
    return;
  }
  if (way == 4)
    p.run.good(MPI_Mrecv(data, n, s.type(), &found, &status), "MPI_Mrecv");
  else
    p.run.good(MPI_Recv(data, n, s.type(), from, tag(s), comm, &status), "MPI_Recv");
  operation(p, s, names[way], true).done(&status);
}

struct Ring {
  Side out;
  Side in;
};

// The shift is drawn before the size is known, which differs between communicators made together.
Ring ring(const std::shared_ptr<Comm>& comm, std::uint64_t turn, bool periodic, Side common) {
  const int n = comm->size;
  const int shift = static_cast<int>(turn % static_cast<std::uint64_t>(n));
  common.comm = comm;
  Ring r{common, common};
  const int to = comm->rank + shift;
  const int from = comm->rank - shift;
  r.out.peer = to < n ? to : periodic ? to - n : MPI_PROC_NULL;
  r.in.peer = from >= 0 ? from : periodic ? from + n : MPI_PROC_NULL;
  return r;
}

void exchange(Play& p, const Ring& r, std::uint64_t key) {
  const Side in = receiving(p, r.in, key);
  const Side out = sending(p, r.out, key);
  p.say("MPI_Sendrecv " + out.where() + " and " + in.where());
  MPI_Status status;
  p.run.good(MPI_Sendrecv(out.buffer->data(), out.items(), out.type(), out.peer, out.tag, in.buffer->data(), in.room,
                          in.type(), source(p, in), tag(in), in.comm->handle, &status),
             "MPI_Sendrecv");
  check_status(p, in, status, true);
  out.buffer->check("sent " + out.where());
  in.buffer->check("received " + in.where());
}

void replace(Play& p, Side out, const Side& in, std::uint64_t key) {
  Block b{0, out.numbers, Way{out.mine(), out.world()}, {Way{in.world(), in.mine()}}};
  if (in.peer == MPI_PROC_NULL) b.after.clear();
  out.buffer = std::make_shared<Buffer>(p.run, p.own, out.signature, p.draw_type(out.signature), std::vector{b});
  out.buffer->fill(key);
  p.say("MPI_Sendrecv_replace " + out.where());
  p.run.good(MPI_Sendrecv_replace(out.buffer->data(), out.items(), out.type(), out.peer, out.tag, in.peer, in.tag,
                                  in.comm->handle, MPI_STATUS_IGNORE),
             "MPI_Sendrecv_replace");
  out.buffer->check("replaced " + out.where());
}

}  // namespace

void message(Play& p) {
  auto comm = p.pick();
  const auto form = p.shared.below(5);  // the receive first, the send first, both at once
  const bool any_tag = p.shared.below(6) == 0;
  const bool periodic = p.shared.below(3) != 0;
  const auto turn = p.shared.bits() >> 8;
  const auto burst = 1 + p.shared.below(3);
  const bool replaces = p.shared.below(2) == 0;
  const int number = p.next();
  Side common{nullptr, MPI_PROC_NULL, number, any_tag, p.draw_numbers(), p.draw_signature(true), nullptr, 0};
  if (any_tag) {  // nothing else may match
    p.say(text("MPI_Comm_dup of [%s], for any tag", comm->name.c_str()));
    comm = p.duplicate(comm);
    comm->reserved = true;
    p.comms.push_back(comm);
  }
  bool member = comm->member();
  const Ring r = member ? ring(comm, turn, periodic, common) : Ring{};
  const auto matched = std::make_shared<bool>(false);
  // MPICH itself loses and confuses messages on communicators of one rank, and hangs in collectives there, while a
  // message has only one side.
  if (mpich && member && comm->size == 1) {
    exchange(p, r, p.key(number));
    member = false;
  }
  const auto receive = [&p, r, burst, number, member, matched](bool now) {
    for (std::uint64_t k = 0; member && k < burst; ++k) {
      const Side s = receiving(p, r.in, p.key(number, static_cast<int>(k)));
      now ? receive_now(p, s) : start_receive(p, s, matched);
    }
  };
  const auto send = [&p, r, burst, number, member, matched](bool may_block) {
    for (std::uint64_t k = 0; member && k < burst; ++k)
      send_now(p, sending(p, r.out, p.key(number, static_cast<int>(k))), may_block, matched);
  };
  // Its receives may still be open: nothing else may be sent there.
  const auto then = [&p, comm, any_tag] {
    if (any_tag) p.later(comm, [&p, comm] { p.free_comm(comm); });
  };
  if (form < 2) {
    receive(false);
    p.later(comm, [send, then, matched] { send(true), then(), *matched = true; });
  } else if (form < 4) {
    send(false);
    p.later(comm, [receive, then, matched] { receive(true), then(), *matched = true; });
  } else {
    if (member) replaces ? replace(p, r.out, r.in, p.key(number)) : exchange(p, r, p.key(number));
    then();
  }
}

// Both sides persistent, several rounds.
void persistent_message(Play& p) {
  const auto comm = p.pick();
  const auto turn = p.shared.bits() >> 8;
  const bool periodic = p.shared.below(3) != 0 || mpich;  // see may_persist()
  const int rounds = 1 + static_cast<int>(p.shared.below(3));
  const int number = p.next();
  const Side common{nullptr, MPI_PROC_NULL, number, false, p.draw_numbers(), p.draw_signature(true), nullptr, 0};
  std::vector<std::shared_ptr<Op>> ops;
  std::vector<std::shared_ptr<Buffer>> buffers;
  if (comm->member()) {
    const Ring r = ring(comm, turn, periodic, common);
    const Side in = receiving(p, r.in, p.key(number));
    const Side out = sending(p, r.out, p.key(number));
    Op receive = operation(p, in, "Recv_init", true);
    Op send = operation(p, out, "Send_init", false);
    p.say("MPI_Recv_init, MPI_Send_init " + out.where());
    p.run.good(
        MPI_Recv_init(in.buffer->data(), in.room, in.type(), source(p, in), in.tag, comm->handle, &receive.request),
        "MPI_Recv_init");
    p.run.good((p.own.below(2) == 0 ? MPI_Send_init : MPI_Ssend_init)(out.buffer->data(), out.items(), out.type(),
                                                                      out.peer, out.tag, comm->handle, &send.request),
               "MPI_Send_init");
    perhaps_free(p, in, true);
    perhaps_free(p, out, true);
    for (Op* op : {&receive, &send}) {
      op->persistent = true;
      op->active = false;
      op->last = false;
      ops.push_back(p.add(std::move(*op)));
    }
    buffers = {in.buffer, out.buffer};
  }
  const auto start = [&p, ops, buffers, number, rounds](int round) {
    if (ops.empty()) return;
    for (const auto& op : ops) p.finish(*op);
    p.say(text("MPI_Start of %d, round %d", number, round));
    for (const auto& buffer : buffers) buffer->fill(p.key(number, round));
    MPI_Request requests[] = {ops[0]->request, ops[1]->request};
    if (p.own.below(2) == 0) {
      p.run.good(MPI_Startall(2, requests), "MPI_Startall");
    } else {
      p.run.good(MPI_Start(&requests[1]), "MPI_Start");
      p.run.good(MPI_Start(&requests[0]), "MPI_Start");
    }
    for (std::size_t k = 0; k < 2; ++k) {
      ops[k]->request = requests[k];
      ops[k]->active = true;
      ops[k]->last = round + 1 == rounds;
    }
  };
  start(0);
  // Rounds come one after the other, whatever the order of what is left for later.
  const auto again = std::make_shared<std::function<void(int)>>();
  *again = [&p, comm, start, rounds, weak = std::weak_ptr(again)](int round) {
    if (round == rounds) return;
    p.later(comm, [start, round, next = weak.lock()] { start(round), (*next)(round + 1); });
  };
  (*again)(1);
}

void cancelled_receive(Play& p) {
  const auto comm = p.pick();
  const int number = p.next();
  const Side common{comm, MPI_PROC_NULL, number, false, p.draw_numbers(), p.draw_signature(true), nullptr, 0};
  if (!comm->member() || (mpich && comm->size == 1)) {  // see message()
    p.later(comm, [] {});
    return;
  }
  const Side s = receiving(p, common, p.key(number));  // nothing is to be written
  const auto request = std::make_shared<MPI_Request>(MPI_REQUEST_NULL);
  p.say("MPI_Irecv of nothing " + s.where());
  p.run.good(MPI_Irecv(s.buffer->data(), s.items(), s.type(), p.own.below(2) == 0 ? 0 : MPI_ANY_SOURCE, number,
                       comm->handle, request.get()),
             "MPI_Irecv");
  perhaps_free(p, s);
  p.later(comm, [&p, s, request] {
    p.say("MPI_Cancel " + s.where());
    p.run.good(MPI_Cancel(request.get()), "MPI_Cancel");
    MPI_Status status;
    int cancelled = 0;
    p.run.good(MPI_Wait(request.get(), &status), "MPI_Wait");
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(p.run.journal, cancelled, "%s: it was not cancelled", s.where().c_str());
    s.buffer->check("cancelled " + s.where());
  });
}

// Nobody waits for this receive: MPI_Comm_disconnect does.
void freed_receive(Play& p) {
  const auto parent = p.pick();
  const auto turn = p.shared.bits() >> 8;
  const int number = p.next();
  const Side common{nullptr, MPI_PROC_NULL, number, false, p.draw_numbers(), p.draw_signature(true), nullptr, 0};
  if (open_mpi || old_mpich) return;  // Open MPI 4.1 and MPICH 4.0 do not wait
  p.say(text("MPI_Comm_dup of [%s], for a receive that is freed", parent->name.c_str()));
  const auto comm = p.duplicate(parent);
  if (!comm->member()) return;
  const Ring r = ring(comm, turn, true, common);
  const Side in = receiving(p, r.in, p.key(number));
  const Side out = sending(p, r.out, p.key(number));
  MPI_Request requests[2];
  p.say("MPI_Irecv, MPI_Request_free, MPI_Isend, MPI_Comm_disconnect " + in.where());
  p.run.good(MPI_Irecv(in.buffer->data(), in.items(), in.type(), in.peer, in.tag, comm->handle, &requests[0]),
             "MPI_Irecv");
  p.run.good(MPI_Request_free(&requests[0]), "MPI_Request_free");
  p.run.good(MPI_Isend(out.buffer->data(), out.items(), out.type(), out.peer, out.tag, comm->handle, &requests[1]),
             "MPI_Isend");
  p.run.good(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), "MPI_Wait");
  p.comm_callbacks.due_deletes += comm->attribute != 0;
  p.run.good(MPI_Comm_disconnect(&comm->handle), "MPI_Comm_disconnect");
  in.buffer->check("received " + in.where());
  out.buffer->check("sent " + out.where());
}

}  // namespace handles
