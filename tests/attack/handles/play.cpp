// SPDX-License-Identifier: BSD-3-Clause
#include "play.hpp"

#include <algorithm>
#include <cstdio>

namespace handles {
namespace {

Callbacks& counts(void* extra) { return *static_cast<Callbacks*>(extra); }

// The copy of a value is the value and 1.
int on_copy(MPI_Comm, int, void* extra, void* in, void* out, int* flag) {
  ++counts(extra).copies;
  const std::intptr_t value = reinterpret_cast<std::intptr_t>(in) + 1;
  std::memcpy(out, &value, sizeof value);
  *flag = 1;
  return MPI_SUCCESS;
}
int on_delete(MPI_Comm, int, void*, void* extra) {
  ++counts(extra).deletes;
  return MPI_SUCCESS;
}
int on_type_copy(MPI_Datatype, int, void* extra, void* in, void* out, int* flag) {
  ++counts(extra).copies;
  std::memcpy(out, &in, sizeof in);
  *flag = 1;
  return MPI_SUCCESS;
}
int on_type_delete(MPI_Datatype, int, void*, void* extra) {
  ++counts(extra).deletes;
  return MPI_SUCCESS;
}

}  // namespace

Play::Play(Run& r, Random s, Random o) : run(r), shared(s), own(o), seed_(shared.bits()) {
  run.good(MPI_Comm_create_keyval(on_copy, on_delete, &comm_keyval, &comm_callbacks), "MPI_Comm_create_keyval");
  run.good(MPI_Type_create_keyval(on_type_copy, on_type_delete, &type_keyval, &type_callbacks),
           "MPI_Type_create_keyval");
  // MPICH 5.0 itself copies data inside collectives by messages on MPI_COMM_SELF, and hangs where a receive is posted
  // there.
  if (mpich) run.good(MPI_Comm_dup(MPI_COMM_SELF, &self_), "MPI_Comm_dup");
  for (const MPI_Comm handle : {MPI_COMM_WORLD, self_}) {
    auto comm = std::make_shared<Comm>();
    comm->name = handle == MPI_COMM_WORLD ? "world" : "self";
    adopt(comm, handle);
    comms.push_back(comm);
  }
}

void Play::say(const std::string& what) {
  if (run.trace) std::fprintf(stderr, "rank %d: %s\n", run.rank, what.c_str());
  constexpr std::size_t most = 14;
  if (script_.size() == most) script_.pop_front();
  script_.push_back(what);
  std::string all;
  for (const std::string& line : script_) all += line + "\n        ";
  run.journal.now(all);
}

std::shared_ptr<Comm> Play::pick() {
  for (;;) {
    auto& comm = comms[shared.below(comms.size())];
    if (!comm->reserved) return comm;
  }
}

Signature Play::draw_signature(bool mixed) {
  Signature s;
  const auto which = shared.below(8);
  s.kind = which < 4 ? Kind::f64 : which < 7 ? Kind::f32 : Kind::i32;
  s.mixed = shared.below(8) == 0 && mixed;
  return s;
}

std::size_t Play::draw_numbers() {
  const auto magnitude = shared.below(13);
  return grain * shared.below((std::uint64_t{1} << magnitude) + 1);  // at most 49164
}

void Play::set_bits(std::size_t slot, const Comm& comm, std::uint64_t bits) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 62) - 1;
  if (run.plants(Plant::bits)) ++bits;
  bits_[slot + static_cast<std::size_t>(comm.world[0])] = static_cast<std::int64_t>(bits & mask);
}

void Play::compare_bits() {
  constexpr std::int64_t all = (std::int64_t{1} << 62) - 1;
  const std::size_t n = bits_.size();
  std::vector<std::int64_t> most(2 * n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    if (bits_[k] < 0) continue;
    most[k] = bits_[k];
    most[n + k] = all - bits_[k];
  }
  PMPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(2 * n), MPI_INT64_T, MPI_MAX, run.control);
  const auto size = static_cast<std::size_t>(run.size);
  for (std::size_t k = 0; k < n; ++k)
    CHECK(run.journal, most[k] < 0 || most[k] == all - most[n + k],
          "different bits on the ranks, in comparison %zu, the communicator that begins with rank %zu", k / size,
          k % size);
}

void Play::run_later(const Comm* comm) {
  for (;;) {
    const auto it = std::ranges::find_if(later_, [&](const Later& l) { return !comm || l.comm.get() == comm; });
    if (it == later_.end()) return;
    const auto what = std::move(it->what);
    later_.erase(it);
    what();
  }
}

void Play::step() {
  for (auto n = own.below(3); n > 0; --n) complete_some();
  if (!later_.empty() && shared.below(3) == 0) {
    auto it = later_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(shared.below(later_.size())));
    const auto what = std::move(it->what);
    later_.erase(it);
    what();
    return;
  }
  const auto which = shared.below(100);
  if (which < 14 && comms.size() < 9) return make_comm();
  if (which < 22) {
    auto comm = pick();
    // WORLD and SELF stay.
    if (comm != comms[0] && comm != comms[1]) free_comm(comm);
    return;
  }
  if (which < 48) return message(*this);
  if (which < 55) return persistent_message(*this);
  if (which < 58) return cancelled_receive(*this);
  if (which < 60) return freed_receive(*this);
  if (which < 82) return collective(*this);
  if (which < 86) return two_bcasts(*this);
  if (which < 94) return neighbors(*this);
  if (which < 97) return intercommunicator(*this);
  window(*this);
}

void Play::end() {
  say("the end: what is still to be done");
  run_later(nullptr);
  finish_on(nullptr);
  while (comms.size() > 2) free_comm(comms[2 + shared.below(comms.size() - 2)]);
  if (comms[0]->attribute != 0) {
    run.good(MPI_Comm_delete_attr(MPI_COMM_WORLD, comm_keyval), "MPI_Comm_delete_attr");
    ++comm_callbacks.due_deletes;
  }
  if (self_ != MPI_COMM_SELF) run.good(MPI_Comm_free(&self_), "MPI_Comm_free");
  say("the end: all ranks have received everything");
  PMPI_Barrier(run.control);
  for (auto& buffer : kept_) buffer->check("sent by a request that was freed");
  kept_.clear();
  compare_bits();
  for (const auto& [what, c] : {std::pair{"communicators", &comm_callbacks}, {"types", &type_callbacks}}) {
    // MPICH 4.0 itself does not get rid of all that is freed while it is used. The drop-in keeps types of operations
    // until it completes them, so that deletes of types may come in a later case.
    const bool late = c == &type_callbacks || (old_mpich && c->deletes < c->due_deletes);
    const bool deleted = late || c->deletes == c->due_deletes;
    CHECK(run.journal, c->copies == c->due_copies && deleted,
          "callbacks of attributes of %s: %ld copies and %ld deletes, not %ld and %ld", what, c->copies, c->deletes,
          c->due_copies, c->due_deletes);
  }
  MPI_Comm_free_keyval(&comm_keyval);
  MPI_Type_free_keyval(&type_keyval);
}

void Play::play(std::uint64_t most_steps) {
  if (shared.below(60) == 0) crowd(*this, 200 + static_cast<int>(shared.below(1400)));
  if (shared.below(3) == 0) {
    run.good(MPI_Comm_set_attr(MPI_COMM_WORLD, comm_keyval, reinterpret_cast<void*>(std::intptr_t{100})),
             "MPI_Comm_set_attr");
    comms[0]->attribute = 100;
  }
  const std::uint64_t steps = std::min<std::uint64_t>(6 + shared.below(30), most_steps);
  for (std::uint64_t k = 0; k < steps; ++k) step();
  run.journal.count("total", "steps", steps);
  end();
}

}  // namespace handles
