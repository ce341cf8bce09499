// SPDX-License-Identifier: BSD-3-Clause
#include "tune/message_tuner.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace laconic {
namespace {

// The sends of a process that waits for nothing are one burst up to this number.
constexpr int most_sends = 64;

// A transposition has one exchange for each other rank, and only the first waits for what was computed before it.  So a
// window contains as many of each kind, wherever it begins: of periods of 1, 2, 3 and 6 bursts.
constexpr int bursts_per_window = 6;
constexpr std::size_t windows_to_compare = 2;
// Before a survey, so that it has no times of long before.
constexpr std::uint64_t bursts_to_measure = bursts_per_window * LatestTimes::most + 1;

// As for collectives (tuner.cpp): the first survey comes after so many bytes, and the distance of surveys grows.  The
// survey and the trial that follows take up to 1 ms, so plain bursts have to have taken twenty times as long.
constexpr double bytes_before_survey = 1 << 18;
constexpr double seconds_before_survey = 20e-3;
constexpr std::uint64_t bursts_before_survey = 1 + 2 * bursts_per_window;
constexpr std::uint64_t greatest_gap = 4096;
constexpr std::uint64_t gap_growth = 4;

// Compression is tried where it is predicted to take less than this share of the plain time, and kept while it takes
// less than the other.
constexpr double worth_trying = 0.9;
constexpr double worth_keeping = 0.97;
// Within a node a round trip is coded twice in its time, by processors that copy the messages, too: coding has to take
// less than this share of the time that it can save.
constexpr double worth_trying_within_node = 0.5;

// How messages are cut, about, for the choice of the effort.
constexpr double usual_chunk = 1 << 18;  // bytes
constexpr double most_chunks = 4;

// Compression is given up after a first burst that takes so many times the longest plain ones and its set-up, or where
// the first of a window, two or more, take so many times as long: one may have been disturbed.
constexpr double first_limit = 2;
constexpr double later_limit = 1.25;
constexpr double set_up_seconds = 500e-6;

// In compressed mode a window of plain bursts is made now and then.  Its cost is to be at most this share of the time.
constexpr double share_of_plain = 0.01;
constexpr std::uint64_t bursts_before_plain = 64;

// As for collectives: where compression was faster and no longer is, so many windows of plain bursts are made first.
constexpr std::uint64_t windows_in_doubt = 3;

}  // namespace

MessageClass::MessageClass(double bytes, std::uint64_t settings, CodecName codec)
    : bytes_(bytes), settings_(settings), codec_(codec) {
  gap_ = bursts_before_survey + static_cast<std::uint64_t>(bytes_before_survey / bytes);
  next_ = gap_;
  plain_bursts_ = bursts_per_window;
}

Decision MessageClass::begin(double bytes, double now, const MessageClock& clock) {
  wake();
  ++calls_;
  if (pinned_) {
    if (compresses()) ++compressed_calls_;
    return mode_;
  }
  const bool first = sends_ == 0 || clock.waits() != waits_ || sends_ == most_sends;
  if (first) {
    if (sends_ > 0) end_burst(now, clock);
    ++bursts_;
    const Decision before = std::exchange(decision_, mode_);
    if (mode_ == Decision::compressed && bursts_ >= next_) {
      decision_ = Decision::plain;
      if (bursts_ == next_ + plain_bursts_ - 1) {
        next_ = bursts_ + bursts_between_plain();
        plain_bursts_ = bursts_per_window;
      }
    }
    if (decision_ != before) {
      restart_window();
      set_up_ = decision_ == Decision::compressed && compressed_.count() == 0;
    }
    began_ = now;
    burst_bytes_ = 0;
    sends_ = 0;
  }
  waits_ = clock.waits();
  ++sends_;
  burst_bytes_ += bytes;
  if (decision_ == Decision::compressed) ++compressed_calls_;
  return first && surveys_now() ? Decision::survey : decision_;
}

// The times of ranks differ. So they decide by them at few bursts, which are those of all: messages in both directions
// have to be compressed together to be faster.
bool MessageClass::surveys_now() {
  if (mode_ != Decision::plain || bursts_ < next_) return false;
  const double mean = plain_mean_.mean();
  if (surveyed_ || mean == 0 || mean * static_cast<double>(bursts_) >= seconds_before_survey) return true;
  next_ = 2 * bursts_;
  return false;
}

void MessageClass::rest() {
  if (pinned_ || mode_ != Decision::plain || sends_ != 1 || bursts_ + bursts_to_measure >= next_) return;
  rested_ = rest_ = next_ - bursts_ - bursts_to_measure;
  sends_ = 0;
  restart_window();
}

void MessageClass::wake() { bursts_ += std::exchange(rested_, 0) - std::exchange(rest_, 0); }

void MessageClass::close(double now, const MessageClock& clock) {
  if (sends_ == 0 || clock.waits() == waits_) return;
  end_burst(now, clock);
  sends_ = 0;
}

void MessageClass::end_burst(double now, const MessageClock& clock) {
  const double seconds = (clock.latest_received() > began_ ? clock.latest_received() : now) - began_;
  const bool was_compressed = decision_ == Decision::compressed;
  if (std::exchange(set_up_, false)) {
    if (was_compressed && seconds > first_limit * longest_plain_.median() * burst_bytes_ + set_up_seconds) leave();
    return;
  }
  if (!surveyed_) plain_mean_.add(seconds);
  window_seconds_ += seconds;
  window_bytes_ += burst_bytes_;
  window_longest_ = std::max(window_longest_, seconds / burst_bytes_);
  ++window_bursts_;
  if (was_compressed && compressed_.count() == 0 && window_bursts_ > 1 &&
      window_seconds_ > later_limit * longest_plain_.median() * window_bytes_)
    return leave();
  if (window_bursts_ < bursts_per_window) return;
  (was_compressed ? compressed_ : plain_).add(window_seconds_ / window_bytes_);
  if (!was_compressed) longest_plain_.add(window_longest_);
  restart_window();
  // Bursts may contain much else, whose time varies by more than compression saves.  So most of the compressed ones
  // have to be faster than every plain one, by at least what compression certainly costs.
  const double limit = std::min(worth_keeping * plain_.least(), plain_.least() - cost_.encode);
  if (mode_ == Decision::plain) return;
  if (compressed_.count() > 1) {
    const bool wins = compressed_.median() <= limit;
    if (!wins) won_ && !compares_ ? doubt() : leave();
    won_ = wins;
    if (!wins) return;
  }
  if (was_compressed && compares_ && compressed_.count() == windows_to_compare) compare(compressed_.median());
}

// Measures plain and compressed bursts anew.
void MessageClass::doubt() {
  plain_before_ = plain_.least();
  plain_.clear();
  longest_plain_.clear();
  compressed_.clear();
  plain_bursts_ = windows_in_doubt * bursts_per_window;
  next_ = bursts_ + 1;
}

void MessageClass::restart_window() {
  window_seconds_ = window_bytes_ = window_longest_ = 0;
  window_bursts_ = 0;
}

// Takes the time of the first windows with an effort: light is tried after dense, and the faster one is kept.
void MessageClass::compare(double seconds) {
  if (effort_ == Effort::dense) {
    with_dense_ = seconds;
    return code_with(Effort::light);
  }
  compares_ = false;
  if (with_dense_ < seconds) code_with(Effort::dense);
}

void MessageClass::code_with(Effort effort) {
  effort_ = effort;
  cost_ = costs_.of(effort);
  compressed_.clear();
  restart_window();
}

void MessageClass::surveyed(const CodingCosts& costs, bool within_node) {
  surveyed_ = true;
  const double plain = plain_.least();
  // One chunk is on the wire while others are coded, so the longest of the three counts fully.
  const double chunks = std::clamp(bytes_ / usual_chunk, 1.0, most_chunks);
  const auto seconds = [&](Effort effort) {
    const CodingCost& c = costs.of(effort);
    const double longest = std::max({c.encode, c.decode, plain * c.frame});
    return longest + (c.encode + c.decode + plain * c.frame - longest) / chunks;
  };
  const auto worth = [&](Effort effort) {
    const CodingCost& c = costs.of(effort);
    if (!c.known()) return false;
    return within_node ? c.encode + c.decode <= worth_trying_within_node * plain * (1 - c.frame)
                       : seconds(effort) <= worth_trying * plain;
  };
  const bool dense =
      worth(Effort::dense) && (!worth(Effort::light) || seconds(Effort::dense) < clear_gain * seconds(Effort::light));
  costs_ = costs;
  code_with(dense || !costs.light.known() ? Effort::dense : Effort::light);
  compares_ = dense && worth(Effort::light);
  if (!worth(effort_)) return leave();
  mode_ = Decision::compressed;
  won_ = false;
  next_ = bursts_ + bursts_before_plain;
  plain_bursts_ = bursts_per_window;
}

void MessageClass::pin(const Profile::Verdict& verdict) {
  pinned_ = true;
  mode_ = verdict.algorithm != nullptr ? Decision::compressed : Decision::plain;
  effort_ = verdict.effort;
}

// Leaves the messages to MPI until the next survey, unless only one of two efforts is slower.
void MessageClass::leave() {
  if (compares_) {
    const Effort slower = effort_;
    compare(std::numeric_limits<double>::infinity());
    if (effort_ != slower) return;
  }
  mode_ = Decision::plain;
  // Multiples of the gap are bursts of all ranks, whenever each of them has given up.
  gap_ = std::min(gap_ * gap_growth, greatest_gap);
  next_ = (bursts_ / gap_ + 1) * gap_;
}

std::uint64_t MessageClass::bursts_between_plain() const {
  const double seconds = compressed_.least();
  const double slower = seconds > 0 ? std::max(plain_.least() / seconds, 1.0) : 1;
  // A power of two, for the same reason as in surveys_now().
  return std::bit_ceil(
      std::max(bursts_before_plain, static_cast<std::uint64_t>(bursts_per_window * slower / share_of_plain)));
}

Decision MessageTuner::begin(MessageClass& sending, double bytes, double now, const ReceivedElsewhere& elsewhere) {
  if (const std::uint64_t count = elsewhere.count(); count != elsewhere_) {
    elsewhere_ = count;
    clock_.received(std::max(clock_.latest_received(), elsewhere.latest()));
  }
  for (const auto& other : classes_)
    if (other.get() != &sending) other->close(now, clock_);
  if (sending.resting()) --resting_;
  const Decision decision = sending.begin(bytes, now, clock_);
  if (decision == Decision::plain) sending.rest();
  if (sending.resting()) ++resting_;
  return decision;
}

bool MessageTuner::passes(MessageClass& sending) {
  if (!sending.resting() || resting_ < classes_.size()) return false;
  sending.pass();
  if (!sending.resting()) --resting_;
  return true;
}

MessageClass& MessageTuner::class_of(std::size_t bytes, const MessageSettings& settings, const Profile* profile) {
  const double of_class = class_bytes(static_cast<double>(bytes));
  for (const auto& known : classes_)
    if (known->bytes() == of_class && known->settings() == settings.key) return *known;
  MessageClass& made = *classes_.emplace_back(std::make_unique<MessageClass>(of_class, settings.key, settings.codec));
  if (profile != nullptr) made.pin(profile->decide_on_messages(of_class, settings.effort));
  return made;
}

}  // namespace laconic
