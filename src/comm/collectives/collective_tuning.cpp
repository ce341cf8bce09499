// SPDX-License-Identifier: BSD-3-Clause
// A collective call and the tuner: what the tuner decides about the call, and what it learns from it.
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "comm/collectives/collective.hpp"
#include "comm/collectives/repeated_call.hpp"
#include "comm/core/asked.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/process.hpp"
#include "comm/core/used_profile.hpp"
#include "device/devices.hpp"
#include "engine/predict.hpp"
#include "tune/choose.hpp"

namespace laconic {
namespace {

// The class of calls whose sizes only their own ranks know has this size until its first survey.
constexpr double assumed_bytes = 1 << 20;

bool known_to_all(const Shape& shape) {
  return !shape.counts_partial() && !shape.count_hidden() && !shape.signature().type_hidden;
}

}  // namespace

bool CollectiveOperation::tunes() const { return tuned(settings()) && slot_ == Slots::none && !persistent; }

const Profile* CollectiveOperation::profile() const {
  return settings().tune == LACONIC_TUNE_PROFILE ? used_profile() : nullptr;
}

CallModel CollectiveOperation::model() const {
  CallModel model;
  model.collective = asked_.traits().pattern;
  model.any_size = !known_to_all(shape());
  model.bytes = model.any_size ? assumed_bytes : static_cast<double>(shape().bytes());
  model.size = binding->size;
  model.nodes = binding->nodes();
  if (const Codec* codec = asked_codec(settings())) {
    model.travel = travel_of(*codec, false);
    model.codec = codec->api_name();
  }
  model.effort = effort_of(settings());
  model.chunk = static_cast<std::size_t>(settings().chunk_elements);
  model.relative = settings().bound.mode == LACONIC_BOUND_REL;
  model.settings = tuning_key(settings());
  return model;
}

// Decides whether the call is left to MPI, and on its algorithm.  A rank that does not know the class of the call
// because of its own mistake assumes that the other ranks decide as they did in the latest call of this collective.  If
// they leave it to MPI, there is no agreement, and the mistake is an error at once.
void CollectiveOperation::ask_tuner() {
  if (starts_ != nullptr) return decide_start();
  if (!tunes()) return;
  Tuner& tuner = binding->tuner;
  const Collective collective = asked_.traits().pattern;
  const bool size_hidden = !known_to_all(shape()) && !shape().counts_partial();
  if (!local_.ok() && (size_hidden || !resolved_.settings_ok())) {
    if (tuner.latest(collective).value_or(Decision::plain) == Decision::plain) reason_ = LACONIC_PLAIN_SLOWER;
    return;
  }
  if (blocking_)
    begin_class(collective);
  else
    follow_class(collective);
}

void CollectiveOperation::begin_class(Collective collective) {
  class_ = &binding->tuner.class_of(model(), profile());
  const Decision decision = class_->begin();
  binding->tuner.set_latest(collective, decision);
  if (decision == Decision::plain) {
    reason_ = LACONIC_PLAIN_SLOWER;
    const Shape& s = shape();
    if (local_.ok() && !refuses() && !s.signature().mean)
      number_ =
          RepeatedCall::remember(*binding, asked_, has_options_ ? &given_ : nullptr,
                                 {{}, class_, static_cast<double>(s.bytes()), s.contribution() * s.signature().width});
  }
  if (decision == Decision::compressed) take_candidate(*class_);
}

void CollectiveOperation::take_candidate(const CallClass& known) {
  const Candidate* const candidate = known.candidate();
  if (candidate == nullptr) return;
  algorithm_ = candidate->algorithm;
  rows_ = candidate->rows;
  effort_ = candidate->effort;
}

// Whether the call goes on with light although dense was chosen: dense has no kernels for devices, and only the
// agreement tells that a rank has its numbers on one.
bool CollectiveOperation::leaves_dense() const { return effort_ == Effort::dense && agreement_.any_on_devices(); }

// A nonblocking call follows what blocking calls have taught, which is the same on all ranks when it begins.  Where
// they have taught nothing, nonblocking calls teach each other.  But what the ranks have learnt from an earlier one may
// be known to some of them only after this one begins, so the decision waits for the turn of the call.
void CollectiveOperation::follow_class(Collective collective) {
  CallModel called = model();
  const Profile* const pinned = profile();
  const CallClass* known = pinned != nullptr ? &binding->tuner.class_of(called, pinned) : binding->tuner.find(called);
  if (known == nullptr || !known->decided()) {
    called.nonblocking = true;
    class_ = &binding->tuner.class_of(called);
    class_->overlapping_begins(began_, static_cast<double>(shape().bytes()));
    decides_in_turn_ = in_bursts_ = true;
    return;
  }
  binding->tuner.set_latest(collective, known->decision());
  if (!known->compresses())
    reason_ = LACONIC_PLAIN_SLOWER;
  else
    take_candidate(*known);
}

// After wants_slot(), which has resolved the call.
bool CollectiveOperation::can_leave_starts() {
  // MPI's operation keeps its buffers, which may have to be staged where they are on a device.
  const bool fits = tuned(resolved_.settings()) && !has_devices() &&
                    PlainCall::can_persist(asked_, resolved_.shape().signature().mean);
  if (!fits || !resolved_.status().ok()) return false;
  placement_.set(resolved_);
  const bool placed = placement_.place(*binding, true).ok();
  placement_.release();
  return placed;
}

// The starts of a persistent operation teach each other alone.  They may come in any order among other calls, so what
// those have taught may be known to some ranks and not yet to others.  An agreement of one start has been concluded on
// all ranks before the next start of the same operation.
void CollectiveOperation::tune_starts() {
  CallModel of_starts = model();
  of_starts.persistent = true;
  starts_ = &binding->tuner.make_class(of_starts, profile());
  read_hints_ = binding->read_hints;
}

void CollectiveOperation::decide_start() {
  class_ = starts_;
  in_bursts_ = true;
  class_->overlapping_begins(began_, static_cast<double>(shape().bytes()));
  const Decision decision = class_->begin();
  if (decision == Decision::plain) reason_ = LACONIC_PLAIN_SLOWER;
  if (decision == Decision::compressed) take_candidate(*class_);
}

void CollectiveOperation::completed() {
  Process::instance().inputs_in_use().remove(this);
  if (!in_bursts_) return;
  const std::lock_guard lock(binding->mutex);
  class_->overlapping_ends(now());
}

// All ranks have concluded the agreements of earlier calls here, and none has begun one of later calls.
void CollectiveOperation::decide_in_turn() {
  const Decision decision = class_->begin();
  binding->tuner.set_latest(asked_.traits().pattern, decision);
  if (decision == Decision::plain) reason_ = LACONIC_PLAIN_SLOWER;
  if (decision == Decision::compressed) take_candidate(*class_);
}

// Samples the numbers of this rank with the codec of each effort that the call may use.
CodingCosts CollectiveOperation::sample() {
  if (placement_.device() != nullptr) return {};
  shape().numbers(range_job_.parts);
  const Signature& s = shape().signature();
  const CollectiveTraits& traits = asked_.traits();
  // Frames of all algorithms have about the same sizes, and to choose one takes as long as all the rest of a survey.
  const bool pinned = settings().algorithm > LACONIC_ALGORITHM_PLAIN;
  const Algorithm& usual = pinned ? algorithm() : any_algorithm(traits.pattern, binding->size);
  const auto coding = [&](const Codec& codec, const Range& range) {
    const Budget budget = budget_for(absolute_bound(settings(), range), target_of(settings()), s.op, s.mean, usual,
                                     binding->ranks(), codec, false);
    Coding c = coding_of(resolved_, shape(), binding->size);
    budget.apply(traits.reduces && s.op == Op::sum, c);
    return c;
  };
  std::size_t numbers = 0;
  for (const RangeJob::Part& part : range_job_.parts) numbers += part.count;
  const double bytes = static_cast<double>(numbers * size_of(s.dtype));
  return binding->sampler.measure_efforts(codecs_of(settings()), s.dtype, coding, range_job_.parts, traits.reduces,
                                          bytes > 0 ? class_->mine().plain / bytes : 0);
}

// Measurements of this rank for the agreement.
Measured CollectiveOperation::measurements() {
  if (class_ == nullptr) return {};
  if (surveys() && local_.ok()) class_->survey_of(static_cast<double>(shape().bytes()));
  if (surveys() && class_->needs_sample() && local_.ok() && own_reason() == LACONIC_PLAIN_NOT)
    class_->sampled(sample());
  return class_->mine();
}

// Numbers on devices would go through the host for dense.
Measured CollectiveOperation::measured_by_all() const {
  Measured all = agreement_.measured();
  if (agreement_.any_on_devices() && class_->model().effort == Effort::automatic) all.costs.dense = {};
  return all;
}

// Whether the tuner wants the call to be compressed, now that the ranks have agreed.
bool CollectiveOperation::tuner_agrees() {
  if (class_ == nullptr) return true;
  if (!agreement_.all_on_devices()) {
    if (surveys()) class_->survey_of_all(static_cast<double>(agreement_.bytes()));
    const bool agrees = class_->agreed(measured_by_all(), binding->tuner.start(), binding->nodes());
    if (agreement_.any_on_devices()) class_->leave_dense();
    return agrees;
  }
  const bool survey = surveys();
  class_->set_on_devices();
  return !survey;
}

// Gives the time of a blocking call to the tuner.
void CollectiveOperation::teach(bool was_plain) {
  if (class_ == nullptr || in_bursts_) return;
  class_->end(!was_plain, now() - (was_plain ? plain_since_ : began_), static_cast<double>(shape().bytes()));
}

}  // namespace laconic
