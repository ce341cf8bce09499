// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/repeated_call.hpp"

#include "base/clock.hpp"
#include "call/arguments.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/stats.hpp"
#include "device/devices.hpp"

namespace laconic {
namespace {

CallArguments arguments_of(const Binding& binding, const CollectiveCall& call) {
  const bool in_place = call.send.buffer == MPI_IN_PLACE || call.recv.buffer == MPI_IN_PLACE;
  const auto parts = [&](bool sending) {
    if (!call.traits().neighborhood()) return binding.size;
    const Neighborhood* neighbors = binding.topology();
    if (neighbors == nullptr) return 0;
    return static_cast<int>(sending ? neighbors->destinations.size() : neighbors->sources.size());
  };
  const std::uint64_t counts = hash_of_counts(
      call, binding.rank == call.root, MPI_IN_PLACE, [](const auto* array) { return array != nullptr; }, parts);
  return {call.routine, in_place, counts, call.send.count, call.recv.count, call.send.type, call.recv.type, call.op};
}

// accumulate() would take part of the time of a small call.
void count_slower(laconic_stats& stats, std::size_t bytes_in, double seconds) {
  count_plain(stats, LACONIC_PLAIN_SLOWER, bytes_in, seconds);
  stats.algorithm = LACONIC_ALGORITHM_PLAIN;
}

// Counts a call that repeats a known one, if it is left to MPI.
bool begin_known(Binding& binding, const RepeatedCalls::Known* known) {
  // Operations in flight need progress during the call.
  if (binding.nonblocking || known == nullptr || !known->call_class->leaves_next()) return false;
  known->call_class->begin();
  binding.tuner.set_latest(traits_of(known->arguments.routine).pattern, Decision::plain);
  return true;
}

}  // namespace

bool RepeatedCall::begin() {
  known_ = binding_.repeated_calls.find(arguments_of(binding_, call_), options_, number_);
  if (!begin_known(binding_, known_)) return false;
  const bool has_stats = options_ != nullptr && options_->stats != nullptr;
  stands_for_ = left_to_caller() ? 0 : has_stats ? 1 : known_->call_class->timed_call_stands_for();
  if (stands_for_ > 0) began_ = now();
  return true;
}

bool RepeatedCall::leave_to_caller(Binding& binding, RepeatedCalls::Number number) {
  const RepeatedCalls::Known* known = binding.repeated_calls.find(number);
  if (!begin_known(binding, known)) return false;
  binding.left_to_caller = {known->call_class, known->bytes, number};
  count_slower(binding.stats, known->bytes_in, 0);
  return true;
}

int RepeatedCall::run_in_mpi() {
  PlainCall plain;
  Status problem;
  const int code = plain.run(call_, false, binding_.topology(), problem);
  return problem.ok() ? code : report(call_.comm, problem);
}

void RepeatedCall::end(int code) {
  if (code != MPI_SUCCESS) return;
  const double seconds = stands_for_ > 0 ? now() - began_ : 0;
  if (left_to_caller()) {
    *options_->plain = LACONIC_PLAIN_SLOWER;
    binding_.left_to_caller = {known_->call_class, known_->bytes, number_};
  } else if (stands_for_ > 0) {
    known_->call_class->end(false, seconds, known_->bytes);
  }
  count_slower(binding_.stats, known_->bytes_in, stands_for_ * seconds);
  if (options_ == nullptr || options_->stats == nullptr) return;
  laconic_stats stats = empty_stats();
  count_slower(stats, known_->bytes_in, seconds);
  sink_of(*options_).write(stats);
}

RepeatedCalls::Number RepeatedCall::remember(Binding& binding, const CollectiveCall& call,
                                             const laconic_options* options, const RepeatedCalls::Known& known) {
  // Where types belong to the application, equal arguments may mean another call.  Buffers on a device may have to be
  // staged.
  if (has_devices()) return 0;
  const auto comparable = [](MPI_Datatype type) { return type == MPI_DATATYPE_NULL || find_dtype(type).has_value(); };
  if (!comparable(call.send.type) || !comparable(call.recv.type)) return 0;
  RepeatedCalls::Known copy = known;
  copy.arguments = arguments_of(binding, call);
  return binding.repeated_calls.add(copy, options);
}

}  // namespace laconic
