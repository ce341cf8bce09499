// SPDX-License-Identifier: BSD-3-Clause
#include "calls/filter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "calls/carried.hpp"
#include "core/process.hpp"
#include "requests/progress.hpp"

namespace laconic::dropin {
namespace {

MPI_Count sum(const Counts& counts, int ranks) {
  MPI_Count all = 0;
  for (int k = 0; k < ranks; ++k) {
    if (counts[k] < 0) return -1;
    all += counts[k];
  }
  return all;
}

bool known_op(const Call& call, Kind kind) {
  if (call.op == MPI_SUM) return true;
  return (call.op == MPI_MAX || call.op == MPI_MIN) && !is_complex(kind);
}

Decision left(Reason reason, Communicator* communicator = nullptr) { return {reason, communicator, false, 0}; }

Facts facts_of(const Call& call, Kind kind, std::uint64_t bytes) {
  return {call.operation, call.form, kind, true, bytes, call.comm, call.site};
}

// Nonblocking and persistent calls need the progress thread, and cannot return the plain result of an audit.
Reason form_fits(const Call& call) {
  if (call.form == Form::blocking) return Reason::touched;
  if (Process::instance().settings().keep_plain) return Reason::audit;
  return Process::instance().progresses() ? Reason::touched : Reason::threads;
}

bool root_is_valid(const Call& call, const Communicator& communicator) {
  return !call.traits().rooted() || (call.root >= 0 && call.root < communicator.size());
}

Decision filter_reduction(const Call& call) {
  Process& process = Process::instance();
  const Numbers numbers = numbers_of(call.recv.type);
  if (!numbers.known()) return left(Reason::type);
  if (!known_op(call, numbers.kind)) return left(Reason::op);
  const bool scatters = call.traits().keeps_block();
  const auto width = static_cast<std::uint64_t>(numbers.each) * static_cast<std::uint64_t>(numbers.width);
  const auto bytes_of = [&](MPI_Count items) { return static_cast<std::uint64_t>(items) * width; };
  if (!scatters && call.recv.count < 0) return left(Reason::arguments);
  if (const Reason r = by_size(scatters ? UINT64_MAX : bytes_of(call.recv.count)); r != Reason::touched) return left(r);
  Communicator& communicator = Communicator::of(call.comm);
  if (communicator.unfit() != Reason::touched) return left(communicator.unfit(), &communicator);
  if (!root_is_valid(call, communicator)) return left(Reason::arguments, &communicator);
  const MPI_Count items = largest_of(call, communicator.rank(), communicator.size()).items;
  if (items < 0) return left(Reason::arguments, &communicator);
  if (bytes_of(items) < communicator.min_bytes()) return left(Reason::small, &communicator);
  Reason reason = by_algorithm(communicator);
  if (reason == Reason::touched) reason = form_fits(call);
  const bool by_rank =
      process.settings().rules.differ_by_rank() || communicator.bounds_may_differ(call.operation, call.form);
  const Facts facts = facts_of(call, numbers.kind, bytes_of(items));
  if (reason == Reason::touched && !by_rank) reason = by_rules(facts, communicator.bound_of(facts));
  return {reason, &communicator, by_rank || process.settings().audit > 0, bytes_of(items)};
}

Decision filter_movement(const Call& call) {
  Communicator& communicator = Communicator::of(call.comm);
  if (communicator.unfit() != Reason::touched) return left(communicator.unfit(), &communicator);
  if (!Process::instance().settings().rules.may_touch(call.operation, call.form))
    return left(Reason::rule, &communicator);
  if (!root_is_valid(call, communicator)) return left(Reason::arguments, &communicator);
  std::uint64_t bytes = 0;
  if (!call.traits().counts_partial()) {
    MPI_Count each = 0;
    const auto [side, items] = largest_of(call, communicator.rank(), communicator.size());
    const MPI_Datatype type = side->type;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &each) != MPI_SUCCESS)
      return left(Reason::arguments, &communicator);
    if (items < 0) return left(Reason::arguments, &communicator);
    bytes = static_cast<std::uint64_t>(items * each);
    if (bytes < communicator.min_bytes()) return left(Reason::small, &communicator);
  }
  if (!communicator.may_bound(call.operation, call.form)) return left(Reason::no_bound, &communicator);
  // In blocking calls, types could lead ranks to different bounds: such items have the ranks agree.
  const bool same = call.form == Form::blocking && !communicator.bounds_may_differ(call.operation, call.form);
  if (same && !communicator.bound_of(facts_of(call, Kind::none, bytes)).set())
    return left(Reason::no_bound, &communicator);
  const Reason asked = by_algorithm(communicator);
  return {asked == Reason::touched ? form_fits(call) : asked, &communicator, true, bytes};
}

}  // namespace

Largest largest_of(const Call& call, int rank, int ranks) {
  const CollectiveTraits& t = call.traits();
  const bool root = rank == call.root;
  if (t.cut_freely()) return {&call.recv, call.recv.count};
  const auto of_blocks = [&](const SideTraits& side) { return side.cut() && (!side.root_only || root); };
  const bool sending = !of_blocks(t.recv) && (of_blocks(t.send) || t.send.contents == Contents::block);
  const Side& side = sending ? call.send : call.recv;
  return {&side, side.counts.given() ? sum(side.counts, ranks) : side.count * ranks};
}

Reason reason_in_profile(Facts facts, MPI_Datatype type, const Communicator& communicator) {
  const Settings& settings = Process::instance().settings();
  if (const Reason unfit = communicator.unfit(); unfit != Reason::touched && unfit != Reason::no_bound) return unfit;
  if (!settings.excludes) return Reason::no_bound;
  facts.kind = kind_of(content_of(type));
  return settings.rules.excludes(facts) ? Reason::rule : Reason::no_bound;
}

Reason reason_in_profile(const Call& call, const Communicator& communicator) {
  const bool reduces = call.traits().reduces;
  const MPI_Datatype type = reduces ? call.recv.type : call.send.type;
  Facts facts{call.operation, call.form, Kind::none, true, 0, call.comm, call.site};
  // On an intercommunicator the arrays of counts belong to the ranks of the other group.
  if (communicator.unfit() != Reason::intercomm) facts.bytes = carried_by(call, communicator).size;
  const Reason reason = reason_in_profile(facts, type, communicator);
  const Rules& rules = Process::instance().settings().rules;
  const bool tested =
      rules.differ_by_rank() || (call.traits().counts_partial() && rules.test_data(call.operation, call.form));
  if (reason == Reason::no_bound && call.form != Form::blocking && tested) return Reason::form;
  if (reason != Reason::no_bound || !reduces) return reason;
  const Numbers numbers = numbers_of(type);
  if (!numbers.known()) return Reason::type;
  return known_op(call, numbers.kind) ? reason : Reason::op;
}

Reason by_size(std::uint64_t bytes) {
  const std::uint64_t least = Process::instance().least_bytes();
  if (least == UINT64_MAX) return Reason::no_bound;
  return bytes < least ? Reason::small : Reason::touched;
}

Reason by_algorithm(const Communicator& communicator) {
  const laconic_options& options = communicator.options();
  const bool plain = options.algorithm == LACONIC_ALGORITHM_PLAIN || options.variant == LACONIC_VARIANT_PLAIN;
  return plain ? Reason::asked : Reason::touched;
}

Reason by_rules(Facts facts, const CallBound& bound) {
  if (!bound.set()) return Reason::no_bound;
  const Rules& rules = Process::instance().settings().rules;
  facts.rounded = !bound.lossless();
  if (facts.kind == Kind::integer && facts.rounded && !rules.names_integers()) return Reason::type;
  return rules.touches(facts) ? Reason::touched : Reason::rule;
}

Decision filter(const Call& call) {
  if (call.comm == MPI_COMM_NULL) return left(Reason::arguments);
  return reduces(call.operation) ? filter_reduction(call) : filter_movement(call);
}

Reason filter_alone(const Call& call, const Decision& decision, NumberSides& numbers) {
  const Communicator& communicator = *decision.communicator;
  numbers.set(call, communicator);
  // Ranks that cannot take part have the bound of the others, whose agreement they join.
  numbers.bound = communicator.bound_of(facts_of(call, Kind::none, decision.bytes));
  const NumberSide& one = numbers.one();
  if (!one.used()) return Reason::arguments;
  for (const NumberSide* side : {&numbers.send, &numbers.recv}) {
    if (!side->used()) continue;
    if (side->items() == 0 && side != &one) continue;
    const bool same = side->layout().numbers.type == one.layout().numbers.type;
    if (!side->layout().known() || !same) return Reason::type;
    if (side->items() < 0) return Reason::arguments;
  }
  if (const Reason reason = by_algorithm(communicator); reason != Reason::touched) return reason;
  const Facts facts =
      facts_of(call, numbers.kind(), call.traits().counts_partial() ? numbers.most_bytes() : decision.bytes);
  numbers.bound = communicator.bound_of(facts);
  if (const Reason reason = by_rules(facts, numbers.bound); reason != Reason::touched) return reason;
  // Laconic accepts device buffers, but packing and audits access the buffer from the host.
  const bool compares = call.form == Form::blocking && Process::instance().settings().audit > 0;
  for (const auto& [side, buffer] : {std::pair{&numbers.send, call.send.buffer}, {&numbers.recv, call.recv.buffer}})
    if (side->used() && side->bytes() > 0 && (compares || side->packs()) && on_device(buffer)) return Reason::device;
  for (NumberSide* side : {&numbers.send, &numbers.recv})
    if (side->used() && !side->make_room()) return Reason::memory;
  if (!numbers.may_put()) return Reason::read_only;
  return numbers.take() == MPI_SUCCESS ? Reason::touched : Reason::type;
}

Reason agree(const Call& call, Communicator& communicator, Reason mine, const NumberSides& numbers) {
  // The maxima of a number and of its complement are complements of each other only if all ranks have the same.
  const auto item = static_cast<std::uint64_t>(numbers.bound.item + 1);
  const std::array<std::uint64_t, 4> own{static_cast<std::uint64_t>(mine), numbers.most_bytes(), item,
                                         std::uint64_t{INT64_MAX} - item};
  std::array<std::uint64_t, 4> all{};
  MPI_Request request = MPI_REQUEST_NULL;
  // A nonblocking reduction on every rank: operations of this rank may be in flight that other ranks wait for, so this
  // rank makes progress on them during the wait.
  int code =
      PMPI_Iallreduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_UINT64_T, MPI_MAX, call.comm, &request);
  if (code == MPI_SUCCESS) code = wait_with_progress(request);
  if (code != MPI_SUCCESS) return Reason::refused;
  if (all[0] != 0) return static_cast<Reason>(all[0]);
  if (all[2] != std::uint64_t{INT64_MAX} - all[3]) return Reason::bounds;
  return call.traits().counts_partial() && all[1] < communicator.min_bytes() ? Reason::small : Reason::touched;
}

}  // namespace laconic::dropin
