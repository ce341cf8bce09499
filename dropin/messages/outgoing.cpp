// SPDX-License-Identifier: BSD-3-Clause
#include "messages/outgoing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "calls/audit.hpp"
#include "calls/carried.hpp"
#include "calls/dispatch.hpp"
#include "calls/filter.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"
#include "core/process.hpp"
#include "report/report.hpp"

namespace laconic::dropin {
namespace {

Call call_of(const Outgoing& m) {
  Call call;
  call.operation = Operation::send;
  call.send = {const_cast<void*>(m.buffer), m.count, {}, {}, m.type};
  return call;
}

CountedCall counted(const Outgoing& m, Reason reason, Communicator& communicator) {
  // The filter may have another reason, because it tests the size first.
  const bool to_itself = m.dest == communicator.rank() && communicator.unfit() != Reason::intercomm;
  const std::uint64_t bytes = bytes_of(m.count, m.type);
  return {{Activity::send, {m.buffer, m.count, m.type}, bytes, bytes, m.site},
          to_itself ? Reason::itself : reason,
          communicator.tallies()};
}

bool is_bytes(Content content) { return content == Content::byte || content == Content::packed; }

// The message as numbers, where a rule says that its bytes are some. Sets facts.content.
Outgoing read_by_rules(const Outgoing& m, Facts& facts) {
  facts.content = content_of(m.type);
  if (!is_bytes(facts.content)) return m;
  const Kind kind = Process::instance().settings().rules.reads_as(facts);
  if (kind == Kind::none || !is_plain_memory(m.buffer, m.type)) return m;
  const std::uint64_t width = kind == Kind::single ? sizeof(float) : sizeof(double);
  if (facts.bytes % width != 0 || reinterpret_cast<std::uintptr_t>(m.buffer) % width != 0) return m;
  Outgoing read = m;
  read.count = static_cast<MPI_Count>(facts.bytes / width);
  read.type = kind == Kind::single ? MPI_FLOAT : MPI_DOUBLE;
  return read;
}

struct MessageDecision {
  Reason reason = Reason::arguments;
  Communicator* communicator = nullptr;
};

// Decides whether the message is compressed. Sets up the send side, unless an earlier test leaves the message to MPI.
MessageDecision filter(const Outgoing& m, NumberSides& sides) {
  if (m.comm == MPI_COMM_NULL || m.dest < 0 || m.count < 0 || m.type == MPI_DATATYPE_NULL) return {};
  Process& process = Process::instance();
  MPI_Count each = 0;
  if (PMPI_Type_size_x(m.type, &each) != MPI_SUCCESS) return {};
  const auto bytes = static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(m.count);
  if (const Reason r = by_size(bytes); r != Reason::touched)
    return {r, process.counts() ? &Communicator::of(m.comm) : nullptr};
  Communicator& communicator = Communicator::of(m.comm);
  const auto left = [&](Reason reason) { return MessageDecision{reason, &communicator}; };
  if (communicator.unfit() != Reason::touched) return left(communicator.unfit());
  if (m.dest >= communicator.size()) return {};
  if (m.dest == communicator.rank()) return left(Reason::itself);
  if (bytes < communicator.min_bytes()) return left(Reason::small);
  sides.set(call_of(m), communicator);
  const Layout& layout = sides.send.layout();
  Facts facts{Operation::send, m.form, Kind::none, true, bytes, m.comm, m.site};
  const auto no_number = [&] { return !layout.known() || layout.numbers.kind == Kind::integer; };
  if (no_number()) sides.set(call_of(read_by_rules(m, facts)), communicator);
  if (no_number()) return left(Reason::type);
  if (const Reason reason = by_algorithm(communicator); reason != Reason::touched) return left(reason);
  facts.kind = layout.numbers.kind;
  sides.bound = communicator.bound_of(facts);
  if (const Reason reason = by_rules(facts, sides.bound); reason != Reason::touched) return left(reason);
  return left(on_device(m.buffer) ? Reason::device : Reason::touched);
}

template <class T>
double range_of(const T* x, MPI_Count count) {
  T low = std::numeric_limits<T>::infinity();
  T high = -low;
  for (MPI_Count k = 0; k < count; ++k) {
    if (!std::isfinite(x[k])) continue;
    low = std::min(low, x[k]);
    high = std::max(high, x[k]);
  }
  return high > low ? static_cast<double>(high) - static_cast<double>(low) : 0;
}

// The bound as an absolute error, for reports only.
double resolved(const laconic_bound& bound, const void* numbers, MPI_Count count, const Numbers& type,
                const SealedEnvelope& sealed) {
  switch (bound.mode) {
    case LACONIC_BOUND_BLOCK: {
      const auto envelope = read_envelope(sealed.memory.data(), sealed.length);
      laconic_frames_info info{};
      const bool known =
          envelope && laconic_frames_describe(envelope->frames, envelope->header.frames, &info) == MPI_SUCCESS;
      return known ? info.error : std::numeric_limits<double>::infinity();
    }
    case LACONIC_BOUND_ABS: return bound.value;
    case LACONIC_BOUND_LOSSLESS: return 0;
    case LACONIC_BOUND_REL:
      return bound.value * (type.width == sizeof(float) ? range_of(static_cast<const float*>(numbers), count)
                                                        : range_of(static_cast<const double*>(numbers), count));
    default: return std::numeric_limits<double>::infinity();
  }
}

void count(const Outgoing& m, Communicator& communicator, const NumberSides& sides, const SealedEnvelope& sealed,
           double seconds) {
  const NumberSide& numbers = sides.send;
  laconic_stats stats{};
  stats.bytes_in = static_cast<std::uint64_t>(numbers.bytes());
  stats.bytes_uncompressed = stats.bytes_in;
  stats.bytes_sent = static_cast<std::uint64_t>(sealed.length);
  stats.seconds_total = seconds;
  if (Process::instance().counts())
    stats.bound = resolved(sides.bound.bound, numbers.buffer(), numbers.count(), numbers.layout().numbers, sealed);
  stats.achieved_bound = stats.bound;
  Tallies::instance().compressed(communicator.tallies(), Operation::send, stats, sides.bound);
  if (counts_traffic()) counted(m, Reason::touched, communicator).made_with(sides.bound, stats.bound);
  if (Process::instance().settings().report == Report::each)
    report_call(communicator.tallies(), Operation::send, m.form, stats.bytes_in, stats, sides.bound);
}

// What Laconic advises on the message, from the times of earlier ones.
laconic_advice advice_on(const Outgoing& m, Communicator& communicator, const CallBound& bound) {
  laconic_advice advice = LACONIC_ADVICE_COMPRESS;
  MPI_Count each = 0;
  if (!communicator.tunes() || PMPI_Type_size_x(m.type, &each) != MPI_SUCCESS) return advice;
  laconic_options options = communicator.options();
  options.bound = bound.bound;
  laconic_send_advice(m.comm, static_cast<std::uint64_t>(each * m.count), &options, &advice);
  if (Process::instance().settings().report != Report::none) Tallies::instance().tuned(communicator.tallies(), m.comm);
  return advice;
}

// Compares the numbers of an envelope with those that it was made of. The sender can do so alone: every receiver gets
// the numbers that the sender decompresses here. Nothing is sent plainly in addition, so no time is measured.
int audit(const NumberSide& numbers, const SealedEnvelope& sealed, Communicator& communicator) {
  const auto envelope = read_envelope(sealed.memory.data(), sealed.length);
  if (!envelope) return MPI_ERR_INTERN;
  const Buffer opened(static_cast<std::size_t>(numbers.bytes()));
  if (const int code = envelope->open(opened.data()); code != MPI_SUCCESS) return code;
  const double error = largest_difference(numbers.layout().numbers, static_cast<const std::byte*>(numbers.buffer()),
                                          opened.data(), static_cast<std::size_t>(numbers.bytes()));
  Tallies::instance().audited(communicator.tallies(), Operation::send, error, 0);
  return MPI_SUCCESS;
}

// Whether the message that is compressed next is to be audited. Threads may send on one communicator at once.
bool audits_next(Communicator& communicator) {
  const std::int64_t every = Process::instance().settings().audit;
  return every > 0 && std::atomic_ref(communicator.audited_messages).fetch_add(1) % every == 0;
}

// Bytes that a rule says are numbers, and that do not look like them.
bool misread(const Outgoing& m, const NumberSide& numbers) {
  if (!is_bytes(content_of(m.type))) return false;
  const bool single = numbers.layout().numbers.kind == Kind::single;
  return !all_plausible(m.buffer, static_cast<std::size_t>(numbers.bytes()), single);
}

void leave(const Outgoing& m, const MessageDecision& why) {
  if (why.communicator == nullptr || !Process::instance().counts()) return;
  Tallies::instance().plain(why.communicator->tallies(), Operation::send, why.reason);
  if (counts_traffic()) counted(m, why.reason, *why.communicator).made();
}

MessageDecision why_plain_in_profile(const Outgoing& m) {
  if (m.comm == MPI_COMM_NULL || m.dest < 0 || m.count < 0 || m.type == MPI_DATATYPE_NULL) return {};
  Communicator& communicator = Communicator::of(m.comm);
  const Facts facts{Operation::send, m.form, Kind::none, true, bytes_of(m.count, m.type), m.comm, m.site};
  const Reason reason = reason_in_profile(facts, m.type, communicator);
  return {reason == Reason::no_bound && on_device(m.buffer) ? Reason::device : reason, &communicator};
}

// The reason why MPI sends a message that is not watched. One that the rules include is not watched where the MPI
// library does not let all receives pass through the drop-in.
MessageDecision why_plain(const Outgoing& m) {
  if (profiles()) return why_plain_in_profile(m);
  NumberSides sides;
  MessageDecision why = filter(m, sides);
  if (why.reason == Reason::touched) why.reason = Reason::refused;
  return why;
}

}  // namespace

bool may_seal(const Outgoing& message) {
  NumberSides sides;
  return filter(message, sides).reason == Reason::touched;
}

int send_counted(const Outgoing& m, Plain plain) {
  const MessageDecision why = why_plain(m);
  if (why.communicator == nullptr) return plain();
  Tallies::instance().plain(why.communicator->tallies(), Operation::send, why.reason);
  return counted(m, why.reason, *why.communicator).make(plain);
}

void count_plain_starts(const Outgoing& m, MPI_Request request) {
  const MessageDecision why = why_plain(m);
  if (why.communicator == nullptr) return;
  count_starts(request, counted(m, why.reason, *why.communicator));
}

std::optional<SealedEnvelope> seal(const Outgoing& m) {
  NumberSides sides;
  MessageDecision found = filter(m, sides);
  const auto left = [&](Reason reason) {
    found.reason = reason;
    leave(m, found);
    return std::nullopt;
  };
  if (found.reason != Reason::touched) return left(found.reason);
  if (misread(m, sides.send)) return left(Reason::type);
  const laconic_advice advice = advice_on(m, *found.communicator, sides.bound);
  if (advice == LACONIC_ADVICE_PLAIN) return left(Reason::slower);
  try {
    NumberSide& numbers = sides.send;
    if (!numbers.make_room()) return left(Reason::memory);
    if (numbers.take_all() != MPI_SUCCESS) return left(Reason::type);
    laconic_options options = options_of(*found.communicator, call_of(m), sides, nullptr);
    if (options.checksum == LACONIC_CHECKSUM_UNSET) options.checksum = Process::instance().settings().options.checksum;
    const auto begin = std::chrono::steady_clock::now();
    int code = MPI_SUCCESS;
    auto sealed = seal(numbers.buffer(), numbers.count(), numbers.layout().numbers, options, found.communicator->rank(),
                       m.tag, code);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (advice == LACONIC_ADVICE_SAMPLE && code == MPI_SUCCESS) {
      const auto bytes = static_cast<double>(numbers.bytes());
      laconic_send_sampled(m.comm, time.count() / bytes, sealed ? bytes / sealed->length : 1);
      return left(Reason::slower);
    }
    if (!sealed) return left(code == MPI_SUCCESS ? Reason::longer : Reason::refused);
    const bool audited = audits_next(*found.communicator);
    if (audited && audit(numbers, *sealed, *found.communicator) != MPI_SUCCESS) return left(Reason::refused);
    count(m, *found.communicator, sides, *sealed, time.count());
    if (audited && Process::instance().settings().keep_plain) return std::nullopt;
    return sealed;
  } catch (const std::bad_alloc&) {
    return left(Reason::memory);
  }
}

}  // namespace laconic::dropin
