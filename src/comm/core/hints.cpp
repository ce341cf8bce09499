// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/hints.hpp"

#include <mutex>
#include <utility>

#include "comm/core/requests.hpp"

namespace laconic {

HintsOperation::HintsOperation(const std::shared_ptr<Binding>& b, Status own)
    : own_(std::move(own)), turn_(b->sequencer.take()) {
  binding = b;
  in_flight = true;
}

bool HintsOperation::poll() {
  if (!in_flight) return true;
  if (!begun_) {
    if (!binding->sequencer.reached(turn_)) return false;
    Proposal p;
    p.status = own_;
    begun_ = true;
    // Without a private communicator, this call is the only one of the communicator that is under way.
    const Machinery* machinery = binding->machinery();
    const Status started = agreement_.start(machinery != nullptr ? machinery->comm() : binding->comm, p);
    binding->sequencer.begin();
    if (!started.ok()) return end(started), true;
  }
  if (!agreement_.poll()) return false;
  end(agreement_.verdict());
  return true;
}

void HintsOperation::end(Status outcome) {
  status = std::move(outcome);
  binding->sequencer.finish(turn_);
  in_flight = false;
}

Status set_hints(const std::shared_ptr<Binding>& binding, MPI_Info info) {
  prepare(*binding);
  laconic_options hints{};
  Status outcome = binding->read_settings(info, hints);
  if (!binding->intercomm && binding->size > 1) {
    std::unique_lock lock(binding->mutex);
    HintsOperation operation(binding, std::move(outcome));
    launch(operation);
    lock.unlock();
    drive(operation);
    outcome = std::move(operation.status);
  }
  const std::lock_guard lock(binding->mutex);
  binding->inherited_status = outcome;
  if (outcome.ok()) binding->inherited = hints;
  binding->repeated_calls.forget();
  binding->repeated_sends.forget();
  binding->repeated_receives.forget();
  ++binding->read_hints;
  return outcome;
}

}  // namespace laconic
