// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/collective.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/writable.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/process.hpp"
#include "comm/core/settings.hpp"
#include "comm/core/stats.hpp"
#include "device/devices.hpp"
#include "device/host/float_environment.hpp"
#include "engine/ledger.hpp"
#include "tune/choose.hpp"

namespace laconic {
void CollectiveOperation::set(const std::shared_ptr<Binding>& b, const CollectiveCall& call,
                              const laconic_options* options) {
  binding = b;
  asked_ = call;
  slot_ = Slots::none;
  starts_ = nullptr;
  has_options_ = options != nullptr;
  if (has_options_) given_ = *options;
}

void CollectiveOperation::keep_types() {
  // An operation defined by the application may compare the type that it is called with, so a reduction keeps the
  // original.
  if (asked_.traits().reduces) return;
  const bool same = asked_.send.type == asked_.recv.type;
  asked_.recv.type = received_type_.keep(asked_.recv.type);
  asked_.send.type = same ? asked_.recv.type : sent_type_.keep(asked_.send.type);
}

void CollectiveOperation::begin(bool blocking) {
  began_ = now();
  blocking_ = blocking;
  caller_ = std::this_thread::get_id();
  stats_ = empty_stats();
  range_of_sum_.forget();
  status = {};
  mpi_code = MPI_SUCCESS;
  has_turn_ = begun_ = false;
  run_ = nullptr;
  rows_ = 0;
  effort_ = Effort::unset;
  on_devices_ = rounds_input_ = false;
  if (starts_ != nullptr && starts_->leaves_next() && read_hints_ == binding->read_hints) return start_again_in_mpi();
  read_hints_ = binding->read_hints;
  resolved_.resolve(*binding, asked_, has_options_ ? &given_ : nullptr, blocking);
  local_ = resolved_.status();
  algorithm_ = nullptr;
  wants_thread = !blocking && resolved_.uses_thread();
  reason_ = resolved_.reason();
  if (reason_ == LACONIC_PLAIN_NOT) reason_ = reason_of_communicator();
  if (local_.ok() && !blocking && settings().plain != nullptr) local_ = plain_not_allowed();
  placement_.set(resolved_);
  class_ = nullptr;
  number_ = 0;
  decides_in_turn_ = in_bursts_ = false;
  if (reason_ == LACONIC_PLAIN_NOT) ask_tuner();
  in_flight = true;
  if (!blocking) binding->nonblocking = true;
  if (reason_ != LACONIC_PLAIN_NOT) return starts_ != nullptr ? restart_plain() : begin_plain();
  if (local_.ok() && !refuses()) local_ = placement_.place(*binding, false);
  // Where the error handler ends the program, there is no need to tell the other ranks, and none of them can delay it.
  if (!local_.ok() && errors_are_fatal(asked_.comm)) return end(local_);
  if (local_.ok()) Process::instance().inputs_in_use().add(this, placement_.input());
  has_turn_ = slot_ == Slots::none;
  if (has_turn_) turn_ = binding->sequencer.take();
  stage_ = Stage::queued;
}

bool CollectiveOperation::wants_slot() {
  resolved_.resolve(*binding, asked_, has_options_ ? &given_ : nullptr, false);
  return resolved_.reason() == LACONIC_PLAIN_NOT;
}

// Why no rank can compress the call on this communicator; the same on all ranks.
laconic_plain_reason CollectiveOperation::reason_of_communicator() const {
  if (binding->cannot_prepare() || (!blocking_ && !binding->prepared())) return LACONIC_PLAIN_UNPREPARED;
  return asked_.traits().neighborhood() && binding->repeats_neighbors() ? LACONIC_PLAIN_NEIGHBORS : LACONIC_PLAIN_NOT;
}

// A rank that has no numbers learns the type of the others' numbers: it may have to pass them on.
void CollectiveOperation::learn_type() {
  if (!shape().signature().no_numbers) return;
  if (const std::optional<Dtype> dtype = agreement_.dtype()) placement_.set_dtype(*dtype);
}

// The reason why this rank cannot compress what it could, if only this rank knows the reason.
laconic_plain_reason CollectiveOperation::own_reason() const {
  if (refuses()) return *settings().plain;
  return reason_of_type(shape().signature(), settings());
}

bool CollectiveOperation::poll() {
  // The application may run with other arithmetic (denormals flushed, another rounding).  Every rank must still compute
  // the same bound to the bit, or some would compress and others not.
  const FloatEnvironment standard;
  const auto ended = [this] { return stage_ == Stage::finished || stage_ == Stage::blocked; };
  while (!ended() && move_on()) {
  }
  return ended();
}

// Makes one step; false when it has to wait.
bool CollectiveOperation::move_on() {
  switch (stage_) {
    case Stage::queued: return leave_queue();
    case Stage::measuring: return measured();
    case Stage::agreeing:
    case Stage::leasing:
      if (!agreement_.poll()) return false;
      stats_.seconds_wait += now() - waited_;
      return decide();
    case Stage::sampling:
      if (!range_of_sum_.poll()) return false;
      stats_.seconds_wait += now() - waited_;
      if (range_of_sum_.status().ok())
        stage_ = Stage::claiming;
      else
        end(range_of_sum_.status());
      return true;
    case Stage::claiming: return claim_input();
    case Stage::running:
      if (!run_->poll()) return false;
      if (run_->status().ok()) take_account();
      end(in_operation(name_of(asked_.traits().pattern), run_->status()));
      return true;
    case Stage::exchanging: {
      bool done = false;
      const Status outcome = exchange_.poll(done);
      if (done) end(outcome);
      return done;
    }
    case Stage::plain: return poll_plain();
    case Stage::blocked:
    case Stage::finished: return false;
  }
  return false;
}

bool CollectiveOperation::leave_queue() {
  if (has_turn_ && !binding->sequencer.reached(turn_)) return false;
  // Making the machinery for a blocking call waits for all ranks.  Only the thread of the call may wait: other threads
  // that poll the operation may be missing in their own calls, and then ranks wait for each other crosswise.
  if (blocking_ && binding->machinery() == nullptr && std::this_thread::get_id() != caller_) return false;
  if (!binding->poll_machinery()) return false;
  if (const laconic_plain_reason reason = reason_of_communicator(); reason != LACONIC_PLAIN_NOT) {
    reason_ = reason;
    return leave_to_mpi(), true;
  }
  if (local_.ok()) local_ = resolved_.settle_algorithm(*binding);
  if (decides_in_turn_) decide_in_turn();
  // Dense has no kernels for devices: a rank whose numbers are on one prepares light, and the others follow.
  if (effort_ != Effort::unset) resolved_.choose(placement_.device() != nullptr ? Effort::light : effort_);
  // MPI takes the application's types as they are; an exchange with neighbors moves packed numbers.
  const bool plain = reason_ != LACONIC_PLAIN_NOT;
  const bool packs = placement_.packs() && (!plain || asked_.traits().neighborhood());
  if (local_.ok() && packs) local_ = placement_.pack(binding->machinery()->comm());
  if (plain) return start_plain_in_turn(), true;
  run_ = &binding->machinery()->acquire_run(
      settings().threads, slot_ == Slots::none ? Purpose::collective : Purpose::persistent, placement_.device());
  if (measure()) return true;
  let_others_agree();
  agree();
  return true;
}

// Begins to find the range of numbers on a device; false when no range is needed there.
bool CollectiveOperation::measure() {
  if (placement_.device() == nullptr || !local_.ok() || surveys() || own_reason() != LACONIC_PLAIN_NOT) return false;
  if (settings().bound.mode != LACONIC_BOUND_REL) return false;
  stage_ = Stage::measuring;
  placement_.begin_range(range_job_);
  local_ = range_job_.begin(*placement_.device());
  return true;
}

bool CollectiveOperation::measured() {
  placement_.device()->progress();
  if (!range_job_.done()) return false;
  if (local_.ok()) local_ = range_job_.status;
  own_range_ = range_job_.range;
  let_others_agree();
  agree();
  return true;
}

void CollectiveOperation::let_others_agree() {
  stage_ = Stage::agreeing;
  // All ranks have to start the reductions of one communicator in the same order.  Where another agreement may follow
  // this one, no agreement of another operation may come between.
  // Nor where later calls may depend on what the ranks learn from this one.
  if (!may_agree_again() && !decides_in_turn_) let_next_begin();
}

bool CollectiveOperation::may_agree_again() const {
  const bool may_leave_dense = effort_ == Effort::dense && has_devices();
  return shape().counts_partial() || device_may_choose() || may_sample() || may_leave_dense;
}

// Whether this rank would choose another algorithm or chunk if the numbers of all ranks are on devices.
bool CollectiveOperation::device_may_choose() const {
  const bool chooses = settings().algorithm == LACONIC_ALGORITHM_AUTO || settings().chunk_elements == 0;
  return placement_.device() != nullptr && local_.ok() && chooses && overlapping(settings().variant);
}

void CollectiveOperation::agree() {
  Proposal p;
  p.range = {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  if (local_.ok()) p.plain = own_reason();
  // Every failure that can happen on one rank alone has to happen before the agreement.  Where the size is not known
  // before it, another agreement follows.
  const bool compresses = p.plain == LACONIC_PLAIN_NOT && !surveys();
  if (local_.ok() && compresses && !shape().counts_partial()) local_ = make_work(0);
  if (local_.ok() && compresses) {
    if (settings().bound.mode == LACONIC_BOUND_REL)
      p.range = placement_.device() != nullptr ? own_range_ : shape().range();
    p.largest = shape().largest(work_.plan != nullptr && !shape().counts_partial() ? work_.plan->cut : 1);
  }
  if (local_.ok()) p.bytes = shape().bytes();
  if (const Device* device = placement_.device(); device != nullptr)
    p.device = binding->machinery()->model_key(*device);
  if (settings().target == LACONIC_TARGET_LIKELY && local_.ok() && compresses && p.device == 0) {
    std::array<double, Sample::small> numbers;
    shape().numbers(range_job_.parts);
    take_sample(range_job_.parts, shape().signature().dtype, numbers);
    p.fingerprint = fingerprint(numbers);
  }
  // Other ranks may look at the clock at the same time, so the rank is part of the salt.
  p.salt = checksum::key(std::bit_cast<std::uint64_t>(now()) ^ static_cast<std::uint64_t>(binding->rank) << 40);
  p.measured = measurements();
  p.status = local_;
  propose_arguments(p);
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p, agreement_tag()); !s) end(s);
}

// Acts on the agreement, after the values of all ranks have arrived.
bool CollectiveOperation::decide() {
  if (!agreement_.verdict().ok()) {
    const bool other = agreement_.verdict().code() == Code::mismatch && agreement_.versions_differ();
    if (other) binding->inherited_status = agreement_.verdict();
    return end(agreement_.verdict()), true;
  }
  if (stage_ == Stage::leasing) {
    largest_ = agreement_.largest();
    stage_ = Stage::claiming;
    return true;
  }
  salt_ = agreement_.salt();
  range_ = agreement_.range();
  largest_ = agreement_.largest();
  learn_type();
  const bool slower = !tuner_agrees();
  if (agreement_.plain() != LACONIC_PLAIN_NOT)
    reason_ = agreement_.plain();
  else if (agreement_.types_differ())
    reason_ = LACONIC_PLAIN_TYPE;
  else if (shape().counts_partial() && agreement_.bytes() < static_cast<std::size_t>(settings().min_bytes))
    reason_ = LACONIC_PLAIN_SMALL;
  else if (slower)
    reason_ = LACONIC_PLAIN_SLOWER;
  if (reason_ != LACONIC_PLAIN_NOT)
    leave_to_mpi();
  else if (shape().counts_partial() || leaves_dense() || (device_may_choose() && agreement_.all_on_devices()))
    lease();
  else if (may_sample() && !agreement_.any_on_devices() && RangeOfSum::can_sample(range_))
    sample_sum();
  else
    let_next_begin(), stage_ = Stage::claiming;
  return true;
}

// Whether the bound is relative to the range of a sum that may be larger than that of the contributions: that of a mean
// never is.  The same on all ranks if their arguments are.
bool CollectiveOperation::may_sample() const {
  const Signature& s = shape().signature();
  const bool relative = settings().bound.mode == LACONIC_BOUND_REL && settings().target != LACONIC_TARGET_INPUT;
  return local_.ok() && relative && asked_.traits().reduces && s.op == Op::sum && !s.mean &&
         SampledSum::pays(shape().bytes(), binding->size);
}

void CollectiveOperation::sample_sum() {
  stage_ = Stage::sampling;
  shape().numbers(range_job_.parts);
  const bool exclusive = asked_.traits().recv.contents == Contents::exclusive_prefix;
  if (exclusive && binding->rank == binding->size - 1) range_job_.parts.clear();
  waited_ = now();
  const Status started = range_of_sum_.start(binding->machinery()->comm(), agreement_tag(), range_, range_job_.parts,
                                             shape().bytes(), shape().signature().dtype);
  if (!started.ok()) return end(started);
  let_next_begin();
}

// Reserves memory, once its size is known; the ranks agree that all of them have it.
void CollectiveOperation::lease() {
  Proposal p;
  if (leaves_dense()) resolved_.choose(Effort::light);
  if (device_may_choose() && agreement_.all_on_devices()) choose_for_devices();
  p.status = make_work(shape().counts_partial() ? largest_ : 0);
  p.largest = work_.largest;
  p.range = range_;
  stage_ = Stage::leasing;
  waited_ = now();
  if (Status s = agreement_.start(binding->machinery()->comm(), p, agreement_tag()); !s) return end(s);
  let_next_begin();
}

int CollectiveOperation::agreement_tag() const {
  return slot_ == Slots::none ? Agreement::no_tag : binding->machinery()->agreement_tag(slot_);
}

void CollectiveOperation::let_next_begin() {
  if (!begun_ && has_turn_) binding->sequencer.begin();
  begun_ = true;
}

// Whether results that are rounded take the place of numbers that this rank sends and MPI would only read.
bool CollectiveOperation::rounds_input() const {
  if (asked_.traits().reduces || placement_.device() != nullptr || settings().bound.mode == LACONIC_BOUND_LOSSLESS)
    return false;
  return work_.plan->travel != Travel::per_hop &&
         std::any_of(regions_.begin(), regions_.end(), [](const Region& region) {
           return region.input != nullptr && region.input == region.output && region.count > 0;
         });
}

bool CollectiveOperation::can_write_input() const {
  if (placement_.packs()) return is_writable(placement_.input());
  const std::size_t width = shape().signature().width;
  return std::all_of(regions_.begin(), regions_.end(), [&](const Region& region) {
    return region.input != region.output || is_writable({region.input, region.count * width});
  });
}

// False while another operation rounds the numbers that this one is about to read.
bool CollectiveOperation::claim_input() {
  const bool rounds = rounds_input() && can_write_input();
  const InputsInUse::Verdict verdict = Process::instance().inputs_in_use().begin(this, rounds);
  if (verdict == InputsInUse::Verdict::wait) return false;
  rounds_input_ = verdict == InputsInUse::Verdict::round;
  work_.keeps_input = rounds_input() && !rounds_input_;
  start_run();
  return true;
}

void CollectiveOperation::start_run() {
  if (in_bursts_) class_->overlapping_runs(true);
  set_bound();
  work_.largest = largest_;
  work_.sequence = slot_ == Slots::none ? turn_ : static_cast<std::uint64_t>(slot_);
  work_.salt = salt_;
  stage_ = Stage::running;
  run_->start(work_);
}

void CollectiveOperation::end(Status outcome) {
  if (has_turn_) {
    let_next_begin();
    binding->sequencer.finish(turn_);
    has_turn_ = false;
  }
  if (run_ != nullptr) binding->machinery()->release_run(*run_);
  run_ = nullptr;
  Process::instance().inputs_in_use().end(this);
  status = std::move(outcome);
  const bool was_plain = stage_ == Stage::plain || stage_ == Stage::exchanging;
  if (status.ok() && mpi_code == MPI_SUCCESS && stage_ != Stage::plain && placement_.packs())
    status = placement_.unpack(binding->machinery()->comm(), rounds_input_);
  if (status.ok() && mpi_code == MPI_SUCCESS) status = placement_.put_back();
  placement_.release();
  stage_ = Stage::finished;
  in_flight = false;
  if (!status.ok() || mpi_code != MPI_SUCCESS) return;
  teach(was_plain);
  if (was_plain) {
    stats_.plain_calls = 1;
    stats_.plain_reason = reason_;
    stats_.algorithm = LACONIC_ALGORITHM_PLAIN;
  }
  finish_stats();
}

// The choice of the tuner or of the model of devices, if they have made one.
const Algorithm& CollectiveOperation::algorithm() {
  if (algorithm_ == nullptr) algorithm_ = &resolved_.algorithm(*binding);
  return *algorithm_;
}

// Takes the algorithm and the chunks that the model of devices finds fastest for this size, unless the user asked for
// others.  The choice is the same on every rank: where the ranks have different devices, the model is that of any
// device.
void CollectiveOperation::choose_for_devices() {
  const Codec* codec = asked_codec(settings());
  if (codec == nullptr) return;
  const bool any = settings().algorithm == LACONIC_ALGORITHM_AUTO && !shape().counts_partial();
  const Travel travel = travel_of(*codec, per_hop(settings().variant));
  const int root = has_root(asked_.traits().pattern) ? asked_.root : 0;
  // Sizes are rounded, so that the answers for most of them are known already.
  const std::size_t rounded = std::bit_ceil(std::max<std::size_t>(agreement_.bytes(), 1));
  const DeviceChoice& choice = binding->machinery()->device_choice(
      {&device_model_with(agreement_.device()), any ? nullptr : &algorithm(), asked_.traits().pattern, root, travel,
       codec, shape().signature().dtype, rounded});
  algorithm_ = choice.algorithm;
  rows_ = choice.rows;
  on_devices_ = true;
}

}  // namespace laconic
