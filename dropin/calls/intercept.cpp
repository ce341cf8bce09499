// SPDX-License-Identifier: BSD-3-Clause
#include "calls/intercept.hpp"

#include <atomic>

#include "call/arguments.hpp"
#include "calls/audit.hpp"
#include "calls/carried.hpp"
#include "calls/dispatch.hpp"
#include "calls/filter.hpp"
#include "core/process.hpp"
#include "report/report.hpp"
#include "requests/progress.hpp"

namespace laconic::dropin {
namespace {

int leave_uncounted(const Call& call, Reason reason, Communicator* communicator, Plain plain) {
  if (reason != Reason::slower || communicator == nullptr || !communicator->measures_next()) return plain();
  const double began = PMPI_Wtime();
  const int code = plain();
  const Quiet ours;
  if (code == MPI_SUCCESS) laconic_plain_took(call.comm, PMPI_Wtime() - began);
  return code;
}

// Leaves the call to MPI, and counts it if a report or a tool asks for that.
int leave(const Call& call, Reason reason, Communicator* communicator, Plain plain) {
  if (reason == Reason::arguments || !Process::instance().counts())
    return leave_uncounted(call, reason, communicator, plain);
  Communicator& where = communicator != nullptr ? *communicator : Communicator::of(call.comm);
  Tallies::instance().plain(where.tallies(), call.operation, reason);
  if (!counts_traffic()) return leave_uncounted(call, reason, communicator, plain);
  const CountedCall counted(carried_by(call, where), reason, where.tallies());
  const auto itself = [&] { return leave_uncounted(call, reason, communicator, plain); };
  if (call.form != Form::persistent) return counted.make(itself);
  const int code = itself();
  if (code == MPI_SUCCESS) count_starts(*call.request, counted);
  return code;
}

int refused(const Call& call, Communicator& communicator, int code, Plain plain) {
  if (communicator.complain() && communicator.rank() == 0)
    say(std::string(name_of(call.operation)) + " is left to MPI: " + message_of(code));
  return leave(call, Reason::refused, &communicator, plain);
}

// Whether Laconic has what it needs on the communicator: 1, not yet: 0, and -1 if it cannot have it.
int preparation(MPI_Comm comm) {
  const Quiet ours;
  int prepared = 0;
  return laconic_comm_prepared(comm, &prepared) == MPI_SUCCESS ? prepared : 0;
}

// Collective, and waits for all ranks. False if it cannot be prepared.
bool prepare(MPI_Comm comm) {
  if (preparation(comm) == 0) {
    const Quiet ours;
    laconic_comm_set_info(comm, MPI_INFO_NULL);
  }
  return preparation(comm) > 0;
}

// Set once a nonblocking call was left to MPI because its communicator was not prepared.
std::atomic<bool> some_want_preparation{false};

// Nonblocking calls can prepare nothing. Any blocking call that is intercepted on all ranks may wait for all of them.
void prepare_if_wanted(const Call& call) {
  if (call.comm == MPI_COMM_NULL || !Process::instance().may_compress(call.operation, call.form)) return;
  if (Communicator& communicator = Communicator::of(call.comm); communicator.take_want()) prepare(call.comm);
}

// True if this rank alone cannot take part in a call that other ranks may have begun. If it left the call to MPI, the
// others would wait forever.
bool found_alone(Reason reason) {
  return reason == Reason::memory || reason == Reason::device || reason == Reason::read_only;
}

// Whether equal arguments make an equal call: not where datatypes are the program's own, which it may free, so that MPI
// uses their handles again.
bool can_be_repeated(const Call& call, const Communicator& communicator) {
  if (Process::instance().settings().rules.differ_by_rank()) return false;
  if (communicator.bounds_may_differ(call.operation, call.form)) return false;
  const auto predefined = [](MPI_Datatype type) { return type == MPI_DATATYPE_NULL || numbers_of(type).known(); };
  return predefined(call.send.type) && predefined(call.recv.type);
}

CallArguments arguments_of(const Call& call, const Communicator& communicator) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE || call.recv.buffer == MPI_IN_PLACE;
  const std::uint64_t counts = hash_of_counts(
      call, communicator.rank() == call.root, MPI_IN_PLACE, [](const auto& array) { return array.given(); },
      [&](bool sending) { return communicator.num_parts(call.traits(), sending); });
  return {call.operation,  in_place,       call.root,      counts, call.send.count,
          call.recv.count, call.send.type, call.recv.type, call.op};
}

void remember(const Call& call, Communicator& communicator) {
  if (!can_be_repeated(call, communicator)) return;
  const Quiet ours;
  std::uint64_t number = 0;
  if (laconic_plain_call(call.comm, &number) == MPI_SUCCESS && number != 0)
    communicator.repeated_calls.add(arguments_of(call, communicator), number);
}

// Whether Laconic leaves the call to MPI because it repeats one that it has left before. Where a report is asked for,
// every call passes through Laconic's functions, because the report reads its classes after each of them.
bool repeats(const Call& call, Communicator& communicator) {
  if (Process::instance().settings().report != Report::none) return false;
  const std::uint64_t number = communicator.repeated_calls.find(arguments_of(call, communicator));
  if (number == 0) return false;
  const Quiet ours;
  int again = 0;
  return laconic_plain_again(call.comm, number, &again) == MPI_SUCCESS && again != 0;
}

// Laconic leaves the call to this function if any rank has a reason not to compress it.
int compress(const Call& call, Communicator& communicator, NumberSides& numbers, Reason mine, Plain plain) {
  complete_in_laconic();
  laconic_stats stats{};
  laconic_plain_reason reason = in_laconic(mine);
  Audit audit(call, communicator, numbers);
  if (const int code = audit.before(plain); code != MPI_SUCCESS) return code;
  int code = MPI_SUCCESS;
  {
    const Quiet ours;
    laconic_options options = options_of(communicator, call, numbers, &stats);
    options.plain = &reason;
    code = dispatch(call, numbers, options, nullptr);
  }
  if (code != MPI_SUCCESS && nothing_happened(code)) return refused(call, communicator, code, plain);
  if (code != MPI_SUCCESS) {
    PMPI_Comm_call_errhandler(call.comm, code);
    return code;
  }
  if (communicator.tunes() && Process::instance().settings().report != Report::none) {
    const Quiet ours;
    Tallies::instance().tuned(communicator.tallies(), call.comm);
  }
  if (reason == LACONIC_PLAIN_SLOWER) remember(call, communicator);
  if (reason != LACONIC_PLAIN_NOT) return leave(call, reason_of(reason), &communicator, plain);
  if (numbers.recv.used()) code = numbers.recv.put_all();
  numbers.bound.complete(stats);
  Tallies::instance().compressed(communicator.tallies(), call.operation, stats, numbers.bound);
  if (counts_traffic())
    CountedCall(carried_by(call, communicator), Reason::touched, communicator.tallies())
        .made_with(numbers.bound, stats.bound);
  audit.after();
  if (Process::instance().settings().report == Report::each && communicator.rank() == 0)
    report_call(communicator.tallies(), call.operation, call.form, stats.bytes_in, stats, numbers.bound);
  return code;
}

// Laconic's agreement covers the ranks' decisions, so no other comes before it, with two exceptions. An audit makes the
// plain call first. And the first compressed call prepares a communicator, which a program whose calls are never
// compressed must not pay for. Where Laconic is tuned, it leaves the first calls to MPI without an agreement.
int intercept_blocking(Call call, const Decision& decision, Plain plain) {
  Communicator& communicator = *decision.communicator;
  if (call.packing != nullptr) call.packing->pack(call);
  NumberSides numbers;
  Reason reason = filter_alone(call, decision, numbers);
  bool shared = !decision.agree && !found_alone(reason);  // all ranks have this reason
  const bool agree_first = Process::instance().settings().audit > 0 ||
                           (!communicator.tunes() && preparation(call.comm) == 0) ||
                           communicator.bounds_may_differ(call.operation, call.form);
  if (decision.agree && agree_first) {
    reason = agree(call, communicator, reason, numbers);
    shared = true;
  }
  if (shared && reason != Reason::touched) return leave(call, reason, &communicator, plain);
  if (reason == Reason::type || reason == Reason::arguments) numbers.set_unchanged();
  return compress(call, communicator, numbers, reason, plain);
}

// A nonblocking or persistent call then goes to Laconic without the buffers it would need, an error on all ranks.
void say_why(const Call& call, Communicator& communicator, Reason reason) {
  if (!communicator.complain()) return;
  say(std::string(name_of(call.operation)) + " cannot be compressed on this rank: " + text_of(reason) +
      "; it is an error on all ranks, which LACONIC_EXCLUDE=" + std::string(name_of(call.operation)) + " avoids");
}

// Nonblocking and persistent calls cannot wait for the ranks to agree. They are passed to Laconic only if all ranks do
// so by themselves. Datatypes may differ between ranks, but equal signatures lead to the same decision. Where a rank
// does not see all counts, sizes and datatypes of the ranks may lead to different decisions. Laconic's own agreement
// then decides, and the rules must not test these properties.
int intercept_other(const Call& call, const Decision& decision, Plain plain) {
  Communicator& communicator = *decision.communicator;
  const Rules& rules = Process::instance().settings().rules;
  const bool partial = call.traits().counts_partial();
  if (rules.differ_by_rank() || (partial && rules.test_data(call.operation, call.form)) ||
      communicator.bounds_may_differ(call.operation, call.form))
    return leave(call, Reason::form, &communicator, plain);
  if (call.form == Form::nonblocking && preparation(call.comm) <= 0) {
    if (preparation(call.comm) == 0) communicator.want_preparation(), some_want_preparation = true;
    return leave(call, Reason::unprepared, &communicator, plain);
  }
  NumberSides numbers;
  const Reason reason = filter_alone(call, decision, numbers);
  // Laconic packs the numbers itself, and leaves them as they are.
  if (reason == Reason::read_only)
    numbers.set_unchanged();
  else if (found_alone(reason))
    say_why(call, communicator, reason);
  else if (reason == Reason::no_bound)
    return leave(call, reason, &communicator, plain);
  else if (reason != Reason::touched && partial)
    numbers.set_unchanged();
  else if (reason != Reason::touched)
    return leave(call, reason, &communicator, plain);
  // MPI 4.0, section 6.13: the calls that make persistent collectives are not local.
  if (call.form == Form::persistent && !prepare(call.comm))
    return leave(call, Reason::unprepared, &communicator, plain);
  const int code = call.form == Form::nonblocking
                       ? begin_operation(call, communicator, numbers, call.request)
                       : make_persistent_operation(call, communicator, numbers, call.request);
  if (code == MPI_SUCCESS) return code;
  if (!found_alone(reason) && !partial) return refused(call, communicator, code, plain);
  PMPI_Comm_call_errhandler(call.comm, code);
  return code;
}

// A profile shows the program without compression, whatever hints it gives.
int profile(const Call& call, Plain plain) {
  if (call.comm == MPI_COMM_NULL) return plain();
  Communicator& communicator = Communicator::of(call.comm);
  return leave(call, reason_in_profile(call, communicator), &communicator, plain);
}

}  // namespace

int intercept(const Call& call, Plain plain) {
  if (from_library(call.site) || !Process::instance().running()) return plain();
  if (profiles()) return profile(call, plain);
  if (some_want_preparation.load(std::memory_order_relaxed) && call.form == Form::blocking) prepare_if_wanted(call);
  if (call.form == Form::blocking)
    if (Communicator* last = Communicator::found_last(call.comm); last != nullptr && repeats(call, *last))
      return leave(call, Reason::slower, last, plain);
  const Decision decision = filter(call);
  if (decision.reason != Reason::touched) return leave(call, decision.reason, decision.communicator, plain);
  if (preparation(call.comm) < 0) return leave(call, Reason::unprepared, decision.communicator, plain);
  if (call.form == Form::blocking) return intercept_blocking(call, decision, plain);
  return intercept_other(call, decision, plain);
}

}  // namespace laconic::dropin
