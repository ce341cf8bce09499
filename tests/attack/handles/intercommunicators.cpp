// SPDX-License-Identifier: BSD-3-Clause
// Two halves of a communicator, an intercommunicator between them, and the communicator of both.
#include "play.hpp"

namespace handles {
namespace {

class Halves {
 public:
  Halves(Play& p, std::shared_ptr<Comm> parent, int number, std::uint64_t turn)
      : p_(p), number_(number), comm_(std::make_shared<Comm>()) {
    const Comm& c = *parent;
    const int cut = 1 + static_cast<int>(turn % static_cast<std::uint64_t>(c.size - 1));
    low_ = c.rank < cut;
    p.run.good(MPI_Comm_split(c.handle, low_, c.rank, &local_), "MPI_Comm_split");
    p.run.good(MPI_Intercomm_create(local_, 0, c.handle, low_ ? cut : 0, number, &comm_->handle),
               "MPI_Intercomm_create");
    MPI_Comm_set_errhandler(comm_->handle, MPI_ERRORS_RETURN);
    comm_->name = "intercommunicator";
    comm_->rank = low_ ? c.rank : c.rank - cut;
    const auto middle = c.world.begin() + cut;
    mine_.assign(low_ ? c.world.begin() : middle, low_ ? middle : c.world.end());
    theirs_.assign(low_ ? middle : c.world.begin(), low_ ? c.world.end() : middle);
  }

  int me() const { return mine_[static_cast<std::size_t>(comm_->rank)]; }
  const std::shared_ptr<Comm>& comm() const { return comm_; }

  std::shared_ptr<Buffer> buffer(std::vector<Block> blocks, Signature signature, bool basic_type, int round) {
    const auto type =
        basic_type ? std::make_shared<Type>(p_.run, signature.kind, p_.type_callbacks) : p_.draw_type(signature);
    for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k].at = k * blocks[k].numbers / type->numbers();
    auto b = std::make_shared<Buffer>(p_.run, p_.own, signature, type, std::move(blocks));
    b->fill(p_.key(number_, round));
    return b;
  }

  void add(const char* what, MPI_Request request, std::vector<std::shared_ptr<Buffer>> buffers) {
    for (const auto& b : buffers)
      if (p_.own.below(2) == 0) b->type().free();
    Op op{text("%s on intercommunicator %d", what, number_), comm_, {}};
    op.request = request;
    op.done = [buffers, name = op.what](const MPI_Status*) {
      for (const auto& b : buffers) b->check(name);
    };
    p_.add(std::move(op));
  }

  void message(Signature s, std::size_t numbers) {
    if (static_cast<std::size_t>(comm_->rank) >= theirs_.size()) return;
    const int peer = theirs_[static_cast<std::size_t>(comm_->rank)];
    const auto in = buffer({{0, numbers, {}, {Way{peer, me()}}}}, s, false, 0);
    const auto out = buffer({{0, numbers, Way{me(), peer}, {}}}, s, false, 0);
    MPI_Request requests[2];
    p_.run.good(
        MPI_Irecv(in->data(), in->items(numbers), in->type().handle(), comm_->rank, 1, comm_->handle, &requests[0]),
        "MPI_Irecv");
    p_.run.good(
        MPI_Isend(out->data(), out->items(numbers), out->type().handle(), comm_->rank, 1, comm_->handle, &requests[1]),
        "MPI_Isend");
    add("Irecv", requests[0], {in});
    add("Isend", requests[1], {out});
  }

  void sum(Signature s, std::size_t numbers) {
    Block b{0, numbers, {}, {}};
    for (const int r : theirs_) b.after.push_back(Way{r, -1});
    const auto in = buffer({{0, numbers, Way{me(), -1}, {}}}, s, true, 1);
    const auto out = buffer({b}, s, true, 1);
    MPI_Request request = MPI_REQUEST_NULL;
    p_.run.good(MPI_Iallreduce(in->data(), out->data(), static_cast<int>(numbers), basic(s.kind), MPI_SUM,
                               comm_->handle, &request),
                "MPI_Iallreduce");
    add("Iallreduce", request, {in, out});
  }

  // From the first rank of the lower half to all of the other.
  void bcast(Signature s, std::size_t numbers) {
    const int root = low_ ? mine_[0] : theirs_[0];
    Block b{0, numbers, {}, {}};
    if (low_ && comm_->rank == 0) b.before = Way{root, -1};
    if (!low_) b.after = {Way{root, -1}};
    const auto data = buffer({b}, s, false, 2);
    const int place = !low_ ? 0 : comm_->rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    p_.run.good(MPI_Bcast(data->data(), data->items(numbers), data->type().handle(), place, comm_->handle),
                "MPI_Bcast");
    data->check("MPI_Bcast on an intercommunicator");
  }

  void gather(Signature s, std::size_t numbers) {
    std::vector<Block> blocks;
    for (const int r : theirs_) blocks.push_back({0, numbers, {}, {Way{r, -1}}});
    const auto in = buffer({{0, numbers, Way{me(), -1}, {}}}, s, false, 3);
    const auto out = buffer(std::move(blocks), s, false, 3);
    p_.run.good(MPI_Allgather(in->data(), in->items(numbers), in->type().handle(), out->data(), out->items(numbers),
                              out->type().handle(), comm_->handle),
                "MPI_Allgather");
    in->check("MPI_Allgather on an intercommunicator");
    out->check("MPI_Allgather on an intercommunicator");
  }

  MPI_Comm merge(bool early) {
    MPI_Comm merged = MPI_COMM_NULL;
    p_.run.good(MPI_Intercomm_merge(comm_->handle, !low_, &merged), "MPI_Intercomm_merge");
    if (!early) p_.finish_on(comm_.get());
    p_.run.good(MPI_Comm_free(&comm_->handle), "MPI_Comm_free");
    p_.run.good(MPI_Comm_free(&local_), "MPI_Comm_free");
    return merged;
  }

 private:
  Play& p_;
  int number_;
  std::shared_ptr<Comm> comm_;
  MPI_Comm local_ = MPI_COMM_NULL;
  bool low_ = false;
  std::vector<int> mine_;  // world ranks
  std::vector<int> theirs_;
};

}  // namespace

void intercommunicator(Play& p) {
  const auto parent = p.pick();
  const int number = p.next();
  const auto turn = p.shared.bits() >> 8;
  const auto which = p.shared.bits() >> 8;
  const Signature signature = p.draw_signature(false);
  const std::size_t numbers = p.draw_numbers() / 4 / grain * grain;
  const bool early = p.shared.below(2) == 0 && !open_mpi;
  auto made = std::make_shared<Comm>();
  made->name = text("merged %d", number);
  if (parent->member() && parent->size > 1) {
    p.say(text("%d: an intercommunicator on [%s] of %d, %zu numbers%s", number, parent->name.c_str(), parent->size,
               numbers, early ? ", freed early" : ""));
    Halves h(p, parent, number, turn);
    if (which & 1) h.message(signature, numbers);
    if (which & 2) h.sum(signature, numbers);
    if (which & 4) h.bcast(signature, numbers);
    if (which & 8) h.gather(signature, numbers);
    p.adopt(made, h.merge(early));
  }
  p.comms.push_back(made);
}

}  // namespace handles
