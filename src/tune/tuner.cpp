// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace laconic {
namespace {

// The first survey sets up a communicator.  It comes after so many bytes that it takes less than a tenth of the time of
// short programs, too: ranks of one node move them ten times as fast or faster.  The calls between later surveys grow
// up to bytes_between_surveys, so that surveys cost nothing in the long run, but a network that has changed is noticed.
constexpr double bytes_before_survey = 4 << 20;
constexpr double bytes_before_survey_within_node = 128 << 20;
constexpr double bytes_between_surveys = 4e9;
constexpr std::uint64_t calls_before_survey = 2;
constexpr std::uint64_t least_gap = 64;
constexpr std::uint64_t greatest_gap = 16384;
constexpr std::uint64_t gap_growth = 4;

// Compression is tried where it is predicted to take less than this share of the plain time, and ends where it takes
// more than the plain time.  The distance keeps noise from changing the decision to and fro.  The first time it is
// tried where it is predicted to be slower, too: predictions may be wrong by a factor of 1.5, and MPI's own algorithm
// may be slower than ours.  A trial in vain then costs as much as one or two plain calls.
constexpr double worth_trying = 0.9;
constexpr double worth_a_first_try = 1.5;
constexpr double worth_keeping = 1.0;

// The set-up of a first trial takes 1 to 3 ms: memory for frames, connections, cold code.  It comes when plain calls
// have taken twenty times as long.  Until then the ranks look again after this many times the calls so far, because the
// first calls may have been faster than later ones.
constexpr double seconds_before_trial = 50e-3;
constexpr double most_growth = 3;

// Candidates predicted to be up to this much slower than the fastest are tried, too.
constexpr double close_behind = 1.6;
constexpr std::size_t most_tried = 5;
constexpr std::uint64_t calls_to_try = 3;

// A candidate is given up after its first call if it took this many times the plain time and the set-up, which touches
// memory that later calls use again.  It is given up after its second call, in which caches are still cold, if that
// took this many times the plain time and a little.  The next is not tried if it can be expected to do no better.
constexpr double first_limit = 2;
constexpr double set_up = 500e-6;
constexpr double set_up_per_byte = 1e-9;
constexpr double second_limit = 1.25;
constexpr double cold = 20e-6;
constexpr double give_up = 1.1;

// In compressed mode a plain call is made now and then.  Its cost is to be at most this share of the time.
constexpr double share_of_plain = 0.01;
constexpr std::uint64_t calls_before_plain = 8;

// The first plain calls of a class touch memory that later ones find in place: of 64 MiB within a node they took 2.5
// times as long.  So the first ones among compressed calls are as many, and only their times count from then on.
constexpr int warm_plain_calls = 2;

// Where times have changed by this factor since the candidate was chosen, the next call is a survey, but not sooner
// than after so many calls: another candidate may be the fastest now.
constexpr double much = 2;
constexpr std::uint64_t calls_before_change = 64;

// The frames of a call are within this factor of a sample's.  Beyond, the numbers have changed in between.
constexpr double most_over_sample = 1.5;

// Where compression was faster and no longer is, something else may disturb the machine for a while, and plain calls
// would take longer, too.  So this many of them are made before compression is left.  They are made as well where the
// best candidate of the first trial was close to the plain calls.
constexpr int plain_calls_in_doubt = 3;

// A class whose predictions were too good is tried again after a while, because the measurements may have been
// disturbed.
constexpr double forgetting = 0.8;

}  // namespace

CallClass::CallClass(const CallModel& model, bool agrees_first, bool within_node) : bytes_(model.bytes), model_(model) {
  const double bytes = within_node ? bytes_before_survey_within_node : bytes_before_survey;
  gap_ = calls_before_survey + static_cast<std::uint64_t>(bytes / model.bytes);
  next_ = agrees_first ? 1 : gap_ + 1;
}

Decision CallClass::begin() {
  ++calls_;
  decision_ = mode_;
  if (calls_ == next_ && !on_devices_) {
    decision_ = mode_ == Decision::plain ? Decision::survey : Decision::plain;
    if (mode_ == Decision::compressed) next_ = calls_ + (plain_left_ > 1 ? 1 : calls_between_plain());
    plain_left_ = std::max(plain_left_ - 1, 0);
    if (decision_ == Decision::plain && std::exchange(renews_plain_, false)) plain_times_.clear();
  }
  begun_with_ = trial_;
  if (decision_ == Decision::compressed) ++tried_;
  return decision_;
}

Measured CallClass::mine() const {
  return {plain_times_.second_least(), compressed_times_.second_least(),
          decision_ == Decision::survey ? sample_ : coded_, plain_mean_.mean()};
}

// Scales the seconds of a call of so many bytes to a call of bytes_.
double CallClass::scaled(double seconds, double bytes) const {
  return bytes > 0 && bytes != bytes_ ? seconds * bytes_ / bytes : seconds;
}

void CallClass::survey_of(double bytes) {
  if (!model_.any_size || bytes == 0) return;
  plain_times_.scale(bytes / bytes_);
  compressed_times_.scale(bytes / bytes_);
  bytes_ = bytes;
}

// usual: Measured::usual.  0: a trial may begin, or no call was measured.
std::uint64_t CallClass::calls_before_trial(double usual) const {
  const double seconds = usual * static_cast<double>(calls_);
  if (usual == 0 || seconds >= seconds_before_trial) return 0;
  const double calls = std::ceil((seconds_before_trial - seconds) / usual);
  const double most = most_growth * static_cast<double>(calls_);
  return std::max(static_cast<std::uint64_t>(std::min(calls, most)), gap_);
}

bool CallClass::agreed(const Measured& all, const Path& start, const NodeShape* nodes) {
  model_.nodes = nodes;
  if (on_devices_) return true;
  if (pinned_) return mode_ == Decision::compressed;
  if (all.plain > 0) plain_ = all.plain;
  if (decision_ == Decision::survey) {
    take_sample(all.costs);
    const std::uint64_t wait = trial_ == 0 ? calls_before_trial(all.usual) : 0;
    // The calls of other ranks have taken long enough, but those of the ranks that have numbers, as the root of a
    // bcast, have not.
    if (plain_ > 0 && wait == 0 && !costs_.known() && !std::exchange(asks_for_samples_, true)) {
      survey_next();
      return false;
    }
    // A first call that has to agree comes before any plain call was measured.
    if (plain_ > 0 && wait == 0)
      consider(start);
    else
      next_ = calls_ + std::max(wait, gap_);
    return false;
  }
  take_frames(all.costs);
  if (all.compressed > 0 && (tried_ > calls_to_try || hopeless(all.compressed))) judge(all.compressed);
  if (mode_ == Decision::compressed && changed()) {
    correction_ = 1;  // it compares new times with predictions for the old ones
    survey_next();
  }
  return mode_ == Decision::compressed;
}

void CallClass::end(bool compressed, double seconds, double bytes) {
  if (compressed) ++compressed_calls_;
  if (!compressed) {
    plain_times_.add(scaled(seconds, bytes));
    plain_mean_.add(seconds);
  } else if (begun_with_ == trial_) {
    compressed_times_.add(scaled(seconds, bytes));
  }
}

void CallClass::overlapping_begins(double now, double bytes) {
  if (burst_.open == 0) {
    if (burst_.calls > 0 && !burst_.mixed && burst_.waited > burst_.began) {
      const double seconds = burst_.waited - burst_.began;
      if (!burst_.compressed) {
        plain_times_.add(scaled(seconds, burst_.bytes));
        plain_mean_.add(seconds, static_cast<std::uint64_t>(burst_.calls));
      } else if (burst_.trial == trial_) {
        compressed_times_.add(scaled(seconds, burst_.bytes));
      }
    }
    burst_ = {};
    burst_.began = now;
  }
  ++burst_.open;
  burst_.bytes += bytes;
}

void CallClass::overlapping_runs(bool compressed) {
  if (compressed) ++compressed_calls_;
  burst_.mixed = burst_.mixed || compressed != (decision_ == Decision::compressed) || decision_ == Decision::survey ||
                 (burst_.calls > 0 && (compressed != burst_.compressed || burst_.trial != trial_));
  burst_.compressed = compressed;
  burst_.trial = trial_;
  ++burst_.calls;
}

void CallClass::overlapping_ends(double now) {
  --burst_.open;
  burst_.waited = now;
}

void CallClass::pin(const Profile::Verdict& verdict) {
  pinned_ = true;
  mode_ = verdict.algorithm != nullptr ? Decision::compressed : Decision::plain;
  next_ = 0;  // before the first call: there is neither a survey nor a plain call to compare with
  plain_ = verdict.plain;
  best_ = {verdict.algorithm,
           verdict.rows,
           verdict.effort,
           verdict.measured ? 0 : verdict.compressed,
           verdict.measured ? verdict.compressed : 0,
           {}};
  candidates_ = {best_};
}

void CallClass::take_sample(const CodingCosts& costs) {
  if (!costs.known()) return;
  sampled_ = costs_ = costs;
  for (std::size_t e = 0; e < efforts.size(); ++e) costs_.of(efforts[e]).frame *= frames_over_sample_[e];
}

// Of compressed calls.
void CallClass::take_frames(const CodingCosts& costs) {
  for (std::size_t e = 0; e < efforts.size(); ++e) {
    const double frame = costs.of(efforts[e]).frame;
    const double sampled = sampled_.of(efforts[e]).frame;
    if (frame == 0 || sampled == 0) continue;
    costs_.of(efforts[e]).frame = frame;
    frames_over_sample_[e] = std::clamp(frame / sampled, 1 / most_over_sample, most_over_sample);
  }
}

// Whether the candidate should be chosen anew.  Not while times are in doubt.
bool CallClass::changed() const {
  if (trying_ || tried_ <= calls_to_try || candidates_.size() < 2 || calls_ < considered_ + calls_before_change)
    return false;
  const auto apart = [](double a, double b) { return a > 0 && b > 0 && (a > much * b || b > much * a); };
  return apart(plain_, settled_plain_) || apart(candidates_[current_].measured, settled_compressed_);
}

// Dense is tried only where it is predicted to be the fastest, and then the best candidate with light is the second to
// be tried, so that no class is slower with dense than it would be without.
void CallClass::order_efforts() {
  const auto light = [](const Candidate& c) { return c.effort == Effort::light; };
  const auto best = std::find_if(candidates_.begin(), candidates_.end(), light);
  if (best == candidates_.end()) return;
  if (best == candidates_.begin())
    std::erase_if(candidates_, std::not_fn(light));
  else
    std::rotate(candidates_.begin() + 1, best, best + 1);
}

// After a survey.
void CallClass::consider(const Path& start) {
  correction_ = std::pow(correction_, forgetting);
  won_ = false;
  considered_ = calls_;
  settled_plain_ = plain_;
  settled_compressed_ = 0;
  if (costs_.known()) {
    candidates_ = candidates(model_, costs_, path_of(model_, plain_, start));
    order_efforts();
    if (!candidates_.empty() && best_.measured == 0) best_ = candidates_[0];
    const double worth = trial_ == 0 ? worth_a_first_try : worth_trying;
    if (!candidates_.empty() && candidates_[0].predicted * correction_ < worth * plain_) {
      mode_ = Decision::compressed;
      trying_ = true;
      among_ = std::min(candidates_.size(), most_tried);
      measure_plain(warm_plain_calls, calls_before_plain);
      return try_candidate(0);
    }
  }
  leave();
}

void CallClass::try_candidate(std::size_t k) {
  current_ = k;
  tried_ = 0;
  ++trial_;
  compressed_times_.clear();
}

// Whether a candidate need not be tried any longer, after fewer calls than it would get.  The first one or two calls
// include the set-up of memory.
bool CallClass::hopeless(double seconds) const {
  if (!trying_) return false;
  if (tried_ == 2) return seconds > first_limit * plain_ + set_up + set_up_per_byte * model_.bytes;
  return tried_ > 2 && seconds > second_limit * plain_ + cold;
}

// Takes the time of the current candidate.
void CallClass::judge(double seconds) {
  Candidate& c = candidates_[current_];
  c.measured = seconds;
  correction_ = c.measured / c.predicted;
  const bool same = c.algorithm == best_.algorithm && c.rows == best_.rows && c.effort == best_.effort;
  if (best_.measured == 0 || same || c.measured < best_.measured) best_ = c;
  if (trying_) {
    if (const std::size_t next = next_worth_trying(); next < among_) return try_candidate(next);
    settle();
    if (!std::exchange(tried_before_, true) && is_close()) return doubt();
  }
  const bool wins = candidates_[current_].measured <= worth_keeping * plain_;
  if (!wins) won_ ? doubt() : leave();
  won_ = wins;
}

// Whether the chosen candidate was a little slower than plain calls, though its first calls were cold and theirs warm.
bool CallClass::is_close() const {
  const double measured = candidates_[current_].measured;
  return measured > worth_keeping * plain_ && measured <= second_limit * plain_;
}

// Measures plain and compressed calls anew.
void CallClass::doubt() {
  measure_plain(plain_calls_in_doubt, 1);
  try_candidate(current_);
}

// Makes so many plain calls one after another, `after` calls from now, and forgets the times of earlier ones then.
void CallClass::measure_plain(int calls, std::uint64_t after) {
  plain_left_ = calls;
  renews_plain_ = true;
  next_ = calls_ + after;
}

// The next candidate that may be the fastest, if it is about as much slower than predicted as the latest one with its
// effort; among_ if there is none.  Light after dense is tried whatever the predictions say of the two.
std::size_t CallClass::next_worth_trying() const {
  const auto in_vain = [&](const Candidate& c) {
    double off = 0;  // measured over predicted seconds
    for (std::size_t k = 0; k <= current_; ++k)
      if (candidates_[k].effort == c.effort && candidates_[k].measured > 0)
        off = candidates_[k].measured / candidates_[k].predicted;
    if (off == 0) return c.predicted >= give_up * plain_;
    return c.predicted >= close_behind * candidates_[0].predicted || c.predicted * off >= give_up * plain_;
  };
  std::size_t k = current_ + 1;
  while (k < among_ && in_vain(candidates_[k])) ++k;
  return k;
}

void CallClass::settle() {
  trying_ = false;
  std::size_t best = 0;
  for (std::size_t k = 1; k <= current_; ++k)
    if (candidates_[k].measured > 0 && candidates_[k].measured < candidates_[best].measured) best = k;
  correction_ = candidates_[best].measured / candidates_[best].predicted;
  settled_compressed_ = candidates_[best].measured;
  if (best != current_) try_candidate(best);
}

// Leaves the calls to MPI until the next survey.
void CallClass::leave() {
  mode_ = Decision::plain;
  plain_left_ = 0;
  renews_plain_ = false;
  const double most = std::clamp(bytes_between_surveys / model_.bytes, static_cast<double>(least_gap),
                                 static_cast<double>(greatest_gap));
  gap_ = std::min(gap_ * gap_growth, static_cast<std::uint64_t>(most));
  next_ = calls_ + gap_;
}

void CallClass::survey_next() {
  mode_ = Decision::plain;
  next_ = calls_ + 1;
}

void CallClass::leave_dense() {
  if (mode_ != Decision::compressed || model_.effort != Effort::automatic) return;
  if (candidates_[current_].effort != Effort::dense) return;
  if (pinned_)
    candidates_[current_].effort = best_.effort = Effort::light;
  else
    survey_next();
}

std::uint64_t CallClass::calls_between_plain() const {
  const double seconds = candidates_[current_].measured;
  const double slower = seconds > 0 ? plain_ / seconds : 1;
  return static_cast<std::uint64_t>(std::max(slower, 1.0) / share_of_plain);
}

const CallClass* Tuner::find(const CallModel& model) const {
  const double bytes = class_bytes(model.bytes);
  for (const auto& c : classes_) {
    const CallModel& known = c->model();
    const bool same_size = known.any_size == model.any_size && (known.any_size || known.bytes == bytes);
    if (known.collective == model.collective && same_size && known.nonblocking == model.nonblocking &&
        !known.persistent && known.settings == model.settings)
      return c.get();
  }
  return nullptr;
}

CallClass& Tuner::class_of(const CallModel& model, const Profile* profile) {
  if (const CallClass* known = find(model)) return const_cast<CallClass&>(*known);
  return make_class(model, profile);
}

void Tuner::remove(const CallClass& known) {
  std::erase_if(classes_, [&](const auto& c) { return c.get() == &known; });
}

CallClass& Tuner::make_class(const CallModel& model, const Profile* profile) {
  CallModel of_class = model;
  of_class.bytes = class_bytes(model.bytes);
  CallClass& made = *classes_.emplace_back(std::make_unique<CallClass>(of_class, devices_, within_node_));
  if (profile != nullptr) made.pin(profile->decide(of_class));
  return made;
}

}  // namespace laconic
