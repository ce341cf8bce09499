#include "comm/collective.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "base/clock.hpp"
#include "comm/asked.hpp"
#include "comm/errors.hpp"
#include "comm/process.hpp"
#include "comm/settings.hpp"
#include "comm/stats.hpp"
#include "device/host/float_environment.hpp"
#include "engine/ledger.hpp"
#include "tune/choose.hpp"

namespace laconic {

void CollectiveOperation::set(const std::shared_ptr<Binding>& b, const CollectiveCall& call,
                              const laconic_options* options) {
  binding = b;
  asked_ = call;
  has_options_ = options != nullptr;
  if (has_options_) given_ = *options;
}

void CollectiveOperation::begin(bool blocking) {
  began_ = now();
  blocking_ = blocking;
  stats_ = empty_stats();
  status = {};
  mpi_code = MPI_SUCCESS;
  has_turn_ = begun_ = false;
  run_ = nullptr;
  call_ = asked_;
  holder_ = device_ = nullptr;
  device_rows_ = 0;
  // Between two groups an argument may mean another thing, or nothing: that is left to MPI.
  shape_ = Shape(call_, binding->rank, binding->intercomm ? 0 : binding->size);
  const Status arguments = binding->intercomm ? shape_.check_mean() : shape_.check();
  const Status options = take_options();
  local_ = arguments.ok() ? options : arguments;
  reason_ = known_reason(options.ok());
  if (local_.ok()) local_ = place_buffers();
  in_flight = true;
  if (!blocking) binding->nonblocking = true;
  if (reason_ != LACONIC_PLAIN_NOT) {
    if (!local_.ok()) return end(local_);
    return begin_plain();
  }
  // Where the error ends the program nobody is left to be told, and whoever is not listening cannot hold it up.
  if (!local_.ok() && errors_are_fatal(call_.comm)) return end(local_);
  turn_ = binding->turns.take();
  has_turn_ = true;
  stage_ = Stage::queued;
}

// Options, then hints, then environment; what is unset everywhere gets its default.
Status CollectiveOperation::take_options() {
  laconic_options_init(&settings_);
  Status problem;
  if (has_options_) {
    problem = check_options(given_);
    if (problem.ok()) {
      settings_ = given_;
    } else {
      // Whether the call is large enough to be compressed still counts, as far as it can be read.
      const bool readable = given_.size == sizeof(laconic_options) && given_.min_bytes >= 0;
      settings_.min_bytes = readable ? given_.min_bytes : 1;
      if (readable) settings_.bound = given_.bound;
    }
  }
  if (problem.ok()) problem = binding->inherited_status;
  // The other ranks may have been told to compress everything.
  if (!binding->inherited_status.ok() && settings_.min_bytes == 0) settings_.min_bytes = 1;
  if (binding->inherited_status.ok()) {
    fill_unset(settings_, binding->inherited);
    // An algorithm that the collective does not have was meant for others, unless it was asked for in this call.
    const bool inherited = !has_options_ || given_.algorithm == LACONIC_ALGORITHM_UNSET;
    if (inherited && settings_.algorithm > LACONIC_ALGORITHM_PLAIN && !choose_algorithm().ok())
      settings_.algorithm = LACONIC_ALGORITHM_AUTO;
  }
  fill_defaults(settings_);
  if (problem.ok()) problem = check_together(settings_);
  if (problem.ok() && settings_.algorithm != LACONIC_ALGORITHM_PLAIN) problem = choose_algorithm();
  return problem;
}

// Why the call is plain, as far as every rank knows it for all.  What this rank does not know because of its own
// mistake is taken to be what is compressed: the other ranks may be about to, and then they must hear of the error.
laconic_plain_reason CollectiveOperation::known_reason(bool options_ok) const {
  if (binding->intercomm) return LACONIC_PLAIN_INTERCOMM;
  if (options_ok) {
    if (settings_.bound.mode == LACONIC_BOUND_UNSET) return LACONIC_PLAIN_NO_BOUND;
    if (settings_.algorithm == LACONIC_ALGORITHM_PLAIN) return LACONIC_PLAIN_ASKED;
  }
  const Meaning& m = shape_.meaning();
  if (!shape_.partial() && own_reason() != LACONIC_PLAIN_NOT) return own_reason();
  if (!m.op_known && !m.op_hidden) return LACONIC_PLAIN_OP;
  if (binding->size == 1) return LACONIC_PLAIN_ONE_RANK;
  const bool size_known = !shape_.counts_partial() && !shape_.count_hidden() && !m.type_hidden;
  if (size_known && bytes() < static_cast<std::size_t>(settings_.min_bytes)) return LACONIC_PLAIN_SMALL;
  return LACONIC_PLAIN_NOT;
}

// Why this rank cannot compress, whatever the others may do.
laconic_plain_reason CollectiveOperation::own_reason() const {
  const Meaning& m = shape_.meaning();
  if (!m.type_hidden && (!m.type_known || (m.integer && !codes_integers(settings_, m.dtype))))
    return LACONIC_PLAIN_TYPE;
  return LACONIC_PLAIN_NOT;
}

void CollectiveOperation::begin_plain() {
  stage_ = Stage::plain;
  const bool mean = shape_.meaning().mean;
  // Those in flight must make progress, which inside a blocking call of MPI they do not.  Whether there are any differs
  // between ranks; whether there may be any on this communicator does not, and blocking and nonblocking calls of MPI do
  // not match each other.
  const bool at_once = !binding->nonblocking;
  Status problem;
  mpi_code = at_once ? plain_.run(call_, mean, problem) : plain_.start(call_, mean, problem);
  if (at_once || mpi_code != MPI_SUCCESS || !problem.ok()) end(problem);
}

bool CollectiveOperation::poll() {
  // Whatever arithmetic the application runs with (denormals flushed, another rounding), every rank must come to the
  // same bound to the bit: else some would compress and others not.
  const FloatEnvironment standard;
  while (stage_ != Stage::finished && move_on()) {
  }
  return stage_ == Stage::finished;
}

// One step of the way; false when it has to wait.
bool CollectiveOperation::move_on() {
  switch (stage_) {
    case Stage::queued: return leave_queue();
    case Stage::measuring: return measured();
    case Stage::agreeing:
    case Stage::leasing:
      if (!agreement_.poll()) return false;
      stats_.seconds_wait += now() - waited_;
      return decide();
    case Stage::running:
      if (!run_->poll()) return false;
      if (run_->status().ok()) take_account();
      end(run_->status());
      return true;
    case Stage::exchanging:
    case Stage::plain: {
      bool done = false;
      const int code = stage_ == Stage::plain ? plain_.poll(done) : exchange_.poll(done);
      if (!done) return false;
      if (stage_ == Stage::plain)
        mpi_code = code;
      else if (code != MPI_SUCCESS)
        return end({Code::transport, "a plain message failed: " + message_of(code)}), true;
      end({});
      return true;
    }
    case Stage::finished: return false;
  }
  return false;
}

bool CollectiveOperation::leave_queue() {
  Status problem;
  if (!binding->turns.reached(turn_) || !binding->poll_machinery(blocking_, problem)) return false;
  if (!problem.ok()) return let_others_agree(), end(problem), true;
  run_ = &binding->machinery()->lend(settings_.threads, Purpose::collective, device_);
  if (measure()) return true;
  let_others_agree();
  agree();
  return true;
}

void CollectiveOperation::let_others_agree() {
  stage_ = Stage::agreeing;
  // Reductions of one communicator have to be started in the same order on all ranks: where another agreement may
  // follow this one, nobody else's may come between.
  if (!may_agree_again()) let_next_begin();
}

// Whether this rank has another algorithm or chunk in mind, should the numbers of all ranks turn out to be on devices.
bool CollectiveOperation::device_may_choose() const {
  const bool chooses = settings_.algorithm == LACONIC_ALGORITHM_AUTO || settings_.chunk_elements == 0;
  return device_ != nullptr && local_.ok() && chooses && overlapping(settings_.variant);
}

void CollectiveOperation::agree() {
  Proposal p;
  p.range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if (local_.ok()) p.plain = own_reason();
  // Everything that can go wrong on one rank alone has to go wrong before the agreement; where the size is not known
  // before it, another one follows.
  if (local_.ok() && p.plain == LACONIC_PLAIN_NOT && !shape_.counts_partial()) local_ = make_work(0);
  if (local_.ok() && p.plain == LACONIC_PLAIN_NOT) {
    if (settings_.bound.mode == LACONIC_BOUND_REL) p.range = device_ != nullptr ? own_range_ : shape_.range();
    p.largest = shape_.largest(work_.plan != nullptr && !shape_.counts_partial() ? work_.plan->cut : 1);
  }
  if (local_.ok()) p.bytes = bytes();
  p.on_device = device_ != nullptr;
  p.status = local_;
  p.signature = signature();
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p); !s) end(s);
}

// All ranks have been heard.
bool CollectiveOperation::decide() {
  if (!agreement_.verdict().ok()) return end(agreement_.verdict()), true;
  if (stage_ == Stage::leasing) {
    largest_ = agreement_.largest();
    return start_run(), true;
  }
  range_ = agreement_.range();
  largest_ = agreement_.largest();
  if (agreement_.plain() != LACONIC_PLAIN_NOT)
    reason_ = agreement_.plain();
  else if (shape_.counts_partial() && agreement_.bytes() < static_cast<std::size_t>(settings_.min_bytes))
    reason_ = LACONIC_PLAIN_SMALL;
  if (reason_ != LACONIC_PLAIN_NOT)
    start_exchange();
  else if (shape_.counts_partial() || (device_may_choose() && agreement_.all_on_devices()))
    lease();
  else
    let_next_begin(), start_run();
  return true;
}

// Memory, once it is known for what; the ranks agree that all have it.
void CollectiveOperation::lease() {
  Proposal p;
  if (device_may_choose() && agreement_.all_on_devices()) choose_for_devices();
  p.status = make_work(shape_.counts_partial() ? largest_ : 0);
  p.largest = work_.largest;
  p.range = range_;
  stage_ = Stage::leasing;
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p); !s) return end(s);
  let_next_begin();
}

void CollectiveOperation::let_next_begin() {
  if (!begun_) binding->turns.begin();
  begun_ = true;
}

void CollectiveOperation::start_run() {
  set_bound();
  work_.largest = largest_;
  work_.sequence = turn_;
  stage_ = Stage::running;
  run_->start(work_);
}

void CollectiveOperation::start_exchange() {
  let_next_begin();
  // Only now is it known that MPI is to move the buffers.
  if (device_ != nullptr)
    if (Status s = stage_buffers(); !s) return end(s);
  exchanged_ = call_;
  if (Status s = set_aside(); !s) return end(s);
  if (!aside_.empty()) {
    exchanged_.send = call_.recv;
    exchanged_.send.buffer =
        aside_.data() - (shape_.extent().data() - static_cast<const std::byte*>(call_.recv.buffer));
  }
  stage_ = Stage::exchanging;
  const int tag = static_cast<int>(turn_ % collective_operations * collective_messages);
  if (const int code = exchange_.start(exchanged_, binding->machinery()->comm(), tag); code != MPI_SUCCESS)
    end({Code::transport, "a plain message failed: " + message_of(code)});
}

void CollectiveOperation::end(Status outcome) {
  if (has_turn_) {
    let_next_begin();
    binding->turns.finish(turn_);
    has_turn_ = false;
  }
  if (run_ != nullptr) binding->machinery()->give_back(*run_);
  run_ = nullptr;
  status = std::move(outcome);
  if (status.ok() && mpi_code == MPI_SUCCESS) status = return_buffers();
  release_buffers();
  const bool was_plain = stage_ == Stage::plain || stage_ == Stage::exchanging;
  stage_ = Stage::finished;
  in_flight = false;
  if (!status.ok() || mpi_code != MPI_SUCCESS) return;
  if (was_plain) {
    stats_.plain_calls = 1;
    stats_.plain_reason = reason_;
    stats_.algorithm = LACONIC_ALGORITHM_PLAIN;
  }
  finish_stats();
}

// What the model of devices finds fastest for as many bytes, of what was not asked for.  The same on every rank: none
// knows better than the others what devices they have.
void CollectiveOperation::choose_for_devices() {
  const Codec* codec = asked_codec(settings_);
  if (codec == nullptr) return;
  const bool any = settings_.algorithm == LACONIC_ALGORITHM_AUTO && !shape_.counts_partial();
  const Travel travel = travel_of(*codec, per_hop(settings_.variant));
  const int root = has_root(algorithm_->collective) ? call_.root : 0;
  // Sizes are rounded, so that few of them are new.
  const std::size_t rounded = std::bit_ceil(std::max<std::size_t>(agreement_.bytes(), 1));
  const DeviceChoice& choice = binding->machinery()->device_choice(
      {any ? nullptr : algorithm_, algorithm_->collective, root, travel, codec, shape_.meaning().dtype, rounded});
  algorithm_ = choice.algorithm;
  if (settings_.chunk_elements == 0) device_rows_ = choice.rows;
}

Status CollectiveOperation::choose_algorithm() {
  // Where ranks do not see all counts, none may count.
  const bool known = !shape_.counts_partial() && !shape_.count_hidden();
  return asked_algorithm(settings_, collective_of(call_.form), binding->size, known ? bytes() : unknown_bytes,
                         algorithm_);
}

}  // namespace laconic
