// SPDX-License-Identifier: BSD-3-Clause
// A collective call that is not compressed: MPI carries it out, or the data are exchanged in messages.
#include <utility>

#include "base/clock.hpp"
#include "comm/collectives/collective.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/process.hpp"

namespace laconic {
namespace {

// MPI has not told the application of errors on the private communicator.
Status failed_in_mpi(int code) { return {Code::transport, "MPI's own collective failed: " + message_of(code)}; }

}  // namespace

// Passes the call to MPI, as the application gave it.
void CollectiveOperation::begin_plain() {
  stage_ = Stage::plain;
  plain_since_ = now();
  const bool caller_calls = settings().plain != nullptr;
  if (local_.ok() && !caller_calls) local_ = placement_.place(*binding, true);
  if (!local_.ok()) return end(local_);
  if (caller_calls) {
    *settings().plain = reason_;
    binding->left_to_caller = {std::exchange(class_, nullptr), static_cast<double>(shape().bytes()), number_};
    return end({});
  }
  Process::instance().inputs_in_use().add(this, placement_.input());
  const bool mean = shape().signature().mean;
  // Operations in flight must make progress, which they do not inside a blocking MPI call.  Whether any are in flight
  // differs between ranks; whether this communicator may have any does not.  All ranks must decide alike, because
  // blocking and nonblocking MPI calls do not match each other.
  if (!binding->nonblocking) {
    stage_ = Stage::blocked;
    in_flight = false;
    return;
  }
  Status problem;
  mpi_code = plain_.start(placement_.call(), mean, binding->topology(), problem);
  if (mpi_code != MPI_SUCCESS || !problem.ok()) end(problem);
}

void CollectiveOperation::run_in_mpi() {
  Status problem;
  mpi_code = plain_.run(placement_.call(), shape().signature().mean, binding->topology(), problem);
  const std::lock_guard lock(binding->mutex);
  stage_ = Stage::plain;
  end(problem);
}

bool CollectiveOperation::poll_plain() {
  bool done = false;
  const int code = plain_.poll(done);
  if (!decides_in_turn_) mpi_code = code;
  if (done) end(decides_in_turn_ && code != MPI_SUCCESS ? failed_in_mpi(code) : Status{});
  return done;
}

// After the agreement.  A blocking call comes here before the application makes any other call on the communicator, on
// all ranks, so MPI can still match it.
void CollectiveOperation::leave_to_mpi() {
  if (decides_in_turn_) return start_plain_in_turn();
  if (starts_ != nullptr) return restart_plain();
  if (!blocking_) return start_exchange();
  let_next_begin();
  placement_.release();
  placement_.set(resolved_);
  begin_plain();
}

// A nonblocking call that is left to MPI only in its turn: the application may already have begun other collectives on
// its communicator, so MPI moves the data on the private one, where all ranks make their calls in the order of turns.
void CollectiveOperation::start_plain_in_turn() {
  class_->overlapping_runs(false);
  if (!local_.ok()) return end(local_);
  // The private communicator has no topology.
  if (asked_.traits().neighborhood()) return start_exchange();
  placement_.release();
  placement_.set(resolved_);
  local_ = placement_.place(*binding, true);
  if (!local_.ok()) return end(local_);
  exchanged_ = placement_.call();
  exchanged_.comm = binding->machinery()->comm();
  stage_ = Stage::plain;
  Status problem;
  const int code = plain_.start(exchanged_, shape().signature().mean, nullptr, problem);
  // It uses none of the tags that limit the number of operations in flight.  But its pieces must come before later
  // calls.
  if (!plain_.in_pieces()) {
    let_next_begin();
    binding->sequencer.finish(turn_);
    has_turn_ = false;
  }
  if (code != MPI_SUCCESS) problem = failed_in_mpi(code);
  if (!problem.ok()) end(problem);
}

// A start of a persistent operation: MPI's own may be started at any time, in any order, before or after an agreement.
void CollectiveOperation::restart_plain() {
  if (in_bursts_) class_->overlapping_runs(false);
  placement_.release();
  stage_ = Stage::plain;
  mpi_code = plain_.restart();
  if (mpi_code != MPI_SUCCESS) end({});
}

// The same without resolving arguments and settings, which are those of the start before.
void CollectiveOperation::start_again_in_mpi() {
  decide_start();
  in_flight = true;
  restart_plain();
}

void CollectiveOperation::start_exchange() {
  let_next_begin();
  // Only now is it known that MPI has to move the buffers.
  if (placement_.device() != nullptr)
    if (Status s = placement_.stage(LACONIC_THROUGH_HOST_MPI); !s) return end(s);
  if (Status s = placement_.set_aside(); !s) return end(s);
  exchanged_ = placement_.exchangeable();
  stage_ = Stage::exchanging;
  const int tag = slot_ == Slots::none ? static_cast<int>(turn_ % collective_operations * collective_messages)
                                       : binding->machinery()->exchange_tag(slot_);
  if (Status s = exchange_.start(exchanged_, binding->machinery()->comm(), tag, binding->topology()); !s) end(s);
}

}  // namespace laconic
