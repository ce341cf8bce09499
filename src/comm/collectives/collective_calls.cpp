// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "comm/collectives/collective.hpp"
#include "comm/collectives/repeated_call.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/known_options.hpp"
#include "comm/core/process.hpp"
#include "comm/core/requests.hpp"

namespace laconic {
namespace {

Status check_request(const laconic_request* request) {
  if (request != nullptr) return {};
  return {Code::request, "request is NULL; valid is the address of a laconic_request"};
}

CollectiveOperation* make(const std::shared_ptr<Binding>& binding, const CollectiveCall& call,
                          const laconic_options* options) {
  auto* operation = take_operation<CollectiveOperation>(binding->idle_collectives);
  operation->set(binding, call, options);
  return operation;
}

}  // namespace

void CollectiveOperation::release() {
  persistent = false;
  Process::instance().inputs_in_use().remove(this);
  sent_type_.release();
  received_type_.release();
  const std::shared_ptr<Binding> keep = binding;
  const std::lock_guard lock(keep->mutex);
  if (decides_in_turn_) class_->overlapping_ends(now());
  decides_in_turn_ = in_bursts_ = false;
  if (starts_ != nullptr) {
    plain_.free();
    keep->tuner.remove(*std::exchange(starts_, nullptr));
  }
  if (slot_ != Slots::none) keep->slots.give_back(slot_);
  give_back(this, keep->idle_collectives);
}

namespace {

// Makes a call that repeats one which was left to MPI; false, and nothing has happened, for any other call.
bool repeats(Binding& binding, const CollectiveCall& call, const laconic_options* options, int& code) {
  RepeatedCall repeated(binding, call, options);
  {
    const auto lock = Process::instance().lock_short(binding);
    if (!repeated.begin()) return false;
  }
  code = repeated.left_to_caller() ? MPI_SUCCESS : repeated.run_in_mpi();
  const auto lock = Process::instance().lock_short(binding);
  repeated.end(code);
  return true;
}

}  // namespace

int run_collective(const CollectiveCall& call, const laconic_options* given) {
  const KnownOptions known(given);
  const laconic_options* const options = known.get();
  int code = MPI_SUCCESS;
  Binding* const last = Process::instance().found_last(call.comm);
  if (last != nullptr && repeats(*last, call, options, code)) return code;
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  if (last == nullptr && repeats(*binding, call, options, code)) return code;
  CollectiveOperation* operation = nullptr;
  bool polled = false;
  {
    const std::lock_guard lock(binding->mutex);
    operation = make(binding, call, options);
    operation->begin(true);
    launch(*operation);
    polled = operation->in_flight;
  }
  if (polled) drive(*operation);
  if (operation->blocks_in_mpi()) operation->run_in_mpi();
  code = outcome(*operation);
  operation->pending = false;
  operation->release();
  return code;
}

int begin_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* given) {
  const KnownOptions known(given);
  if (Status s = check_request(request); !s) return report(call.comm, s);
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  const std::lock_guard lock(binding->mutex);
  CollectiveOperation* operation = make(binding, call, known.get());
  operation->keep_types();
  operation->begin(false);
  launch(*operation);
  binding->progress();
  *request = operation;
  return MPI_SUCCESS;
}

namespace {

// Returns the union of the bits of all ranks, in a call that is collective and not local.
Status unite(Binding& binding, std::span<const std::uint64_t> mine, std::span<std::uint64_t> all) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_BOR, binding.comm,
                            &request);
  for (int done = 0; code == MPI_SUCCESS && !done;) {
    Process::instance().progress();
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  if (code != MPI_SUCCESS) return {Code::transport, "the agreement of the ranks failed: " + message_of(code)};
  return {};
}

// Lets the ranks find out which slots none of them uses any more.
Status renew(Slots& slots, Binding& binding) {
  const std::vector<std::uint64_t> mine(slots.used().begin(), slots.used().end());
  std::vector<std::uint64_t> all(mine.size());
  if (Status s = unite(binding, mine, all); !s) return s;
  const std::lock_guard lock(binding.mutex);
  if (slots.renew(all)) return {};
  return {Code::request, "there are " + std::to_string(binding.tags.slots) +
                             " persistent operations on this communicator, and there can be no more"};
}

// Prepares the starts of a persistent operation that has just been made.
Status prepare_starts(CollectiveOperation& operation, Binding& binding) {
  int slot = Slots::none;
  {
    const std::lock_guard lock(binding.mutex);
    // Blocking calls that go to MPI may come before or after any start of this operation.
    binding.nonblocking = true;
    if (!operation.wants_slot()) return {};
  }
  // MPI 4.0, section 6.13: the calls that make persistent collectives are not local, so this call may wait for other
  // ranks.
  prepare(binding);
  if (binding.cannot_prepare()) return {};
  {
    const std::lock_guard lock(binding.mutex);
    slot = binding.slots.take();
  }
  if (slot == Slots::none) {
    if (Status s = renew(binding.slots, binding); !s) return s;
    const std::lock_guard lock(binding.mutex);
    slot = binding.slots.take();
  }
  operation.set_slot(slot);
  return {};
}

// Makes MPI's own persistent operation beside this one, if all ranks can: the starts that would be slower compressed
// are left to it.  A rank that cannot has found a mistake in its arguments, which the first start reports on all ranks.
Status prepare_plain(CollectiveOperation& operation, Binding& binding) {
  std::uint64_t fails = operation.can_leave_starts() ? 0 : 1;
  std::uint64_t any_fails = 0;
  if (Status s = unite(binding, std::span(&fails, 1), std::span(&any_fails, 1)); !s) return s;
  if (any_fails != 0) return {};
  fails = operation.make_plain() == MPI_SUCCESS ? 0 : 1;
  if (Status s = unite(binding, std::span(&fails, 1), std::span(&any_fails, 1)); !s) return s;
  const std::lock_guard lock(binding.mutex);
  if (any_fails == 0)
    operation.tune_starts();
  else
    operation.drop_plain();
  return {};
}

}  // namespace

int init_collective(const CollectiveCall& call, laconic_request* request, const laconic_options* given) {
  const KnownOptions known(given);
  if (Status s = check_request(request); !s) return report(call.comm, s);
  std::shared_ptr<Binding> binding;
  if (Status s = bind(call.comm, binding); !s) return report(call.comm, s);
  CollectiveOperation* operation = nullptr;
  {
    const std::lock_guard lock(binding->mutex);
    operation = make(binding, call, known.get());
    operation->keep_types();
    operation->persistent = true;
  }
  Status prepared = prepare_starts(*operation, *binding);
  if (prepared.ok() && PlainCall::has_persistent && operation->has_slot())
    prepared = prepare_plain(*operation, *binding);
  if (!prepared.ok()) {
    operation->release();
    return report(call.comm, prepared);
  }
  *request = operation;
  return MPI_SUCCESS;
}

}  // namespace laconic
