// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator learn about their calls, and the decisions that follow: which calls are left to MPI,
// and the algorithm and the effort of the others.
//
// Every rank measures its own calls.  The measurements travel in the agreements that compressed calls make anyway, and
// every decision follows from agreed numbers and from the number of calls so far.  So all ranks decide alike, whatever
// their clocks say, and a call that is left to MPI needs no message: all ranks count to the next call that agrees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "tune/candidates.hpp"
#include "tune/latest_times.hpp"
#include "tune/profile.hpp"

namespace laconic {

// What one rank has measured, and after an agreement the greatest values of all ranks.  0: not measured.
struct Measured {
  double plain = 0;       // seconds of a call that was left to MPI
  double compressed = 0;  // seconds of a call with the current candidate
  CodingCosts costs;      // of a sample; with compressed calls only the size of frames, as they have found it
  double usual = 0;       // mean seconds of the calls that were left to MPI, of whatever size each of them was

  static constexpr std::size_t fields = 15;
  std::array<double, fields> to_array() const {
    const CodingCost& l = costs.light;
    const CodingCost& d = costs.dense;
    return {plain,    compressed, l.encode, l.decode, l.fold, l.add,   l.read, l.frame,
            d.encode, d.decode,   d.fold,   d.add,    d.read, d.frame, usual};
  }
  static Measured from_array(const std::array<double, fields>& a) {
    return {a[0], a[1], {{a[2], a[3], a[4], a[5], a[6], a[7]}, {a[8], a[9], a[10], a[11], a[12], a[13]}}, a[14]};
  }
};

// What happens in a call.
enum class Decision : std::uint8_t {
  plain,       // it is left to MPI, without a message between the ranks
  survey,      // the ranks agree on their measurements, then it is left to MPI
  compressed,  // the ranks agree, then it is compressed, unless the agreement finds that it should not be
};

// The calls of one collective and of similar sizes.  begin(), agreed() and end() are called once for each call, in this
// order; plain calls have no agreed().
class CallClass {
 public:
  // agrees_first: the first call is a survey, because calls may be on devices; the same on every rank.
  // within_node: all ranks are known to be on one node.
  explicit CallClass(const CallModel& model, bool agrees_first = false, bool within_node = false);

  // Counts a call and decides on it.  The same on every rank.
  Decision begin();

  // Whether begin() will leave the next call to MPI.
  bool leaves_next() const { return mode_ == Decision::plain && calls_ + 1 != next_; }

  // How many calls the time of the call that has begun stands for; 0 if it need not be timed.  All are timed at first,
  // then one in a few, because a look at the clock takes part of the time of a small call.
  int timed_call_stands_for() const {
    constexpr int few = 8;
    return calls_ < 64 ? 1 : calls_ % few == 0 ? few : 0;
  }

  // The candidate for the call that has begun, with Decision::compressed; nullptr for numbers on devices.
  const Candidate* candidate() const { return on_devices_ ? nullptr : &candidates_[current_]; }

  // This rank's measurements, for an agreement.
  Measured mine() const;

  // Whether the survey that has begun needs a sample of this rank.  Not while a trial would come too early, as far as
  // this rank knows.
  bool needs_sample() const { return trial_ > 0 || asks_for_samples_ || calls_before_trial(plain_mean_.mean()) == 0; }

  // Takes the costs of coding the numbers of the call that has begun, before mine(), with Decision::survey.
  void sampled(const CodingCosts& costs) { sample_ = costs; }

  // A class of calls of any size takes the size of the call that surveys, and times and predictions stand for it;
  // another class has its size already.  survey_of() takes the size that this rank sees, before mine();
  // survey_of_all() takes the greatest of all ranks, before agreed().
  void survey_of(double bytes);
  void survey_of_all(double bytes) {
    if (model_.any_size) model_.bytes = class_bytes(bytes);
  }

  // Takes the bytes of frames per byte of numbers in what this rank has sent in a compressed call.
  void coded(Effort effort, double frame) { coded_.of(effort).frame = frame; }

  // Takes the greatest measurements of all ranks.  False if the call has to be left to MPI.  The same on every rank.
  // start: the path between the ranks, and nodes: where they run, as far as it is known without measurements.
  bool agreed(const Measured& all, const Path& start, const NodeShape* nodes = nullptr);

  // After agreed(): the numbers of a rank are on a device.  The call takes light in place of dense, if that was chosen
  // for numbers on hosts, and the next is a survey.
  void leave_dense();

  // Instead of agreed(): the numbers of all ranks are on devices, whose speed is not measured.  All later calls of the
  // class are compressed.
  void set_on_devices() {
    on_devices_ = true;
    mode_ = Decision::compressed;
  }

  // Fixes the decision on all calls.
  void pin(const Profile::Verdict& verdict);

  // Takes the time of the call that has begun.  bytes: its size; the time is scaled to the size of the class.
  // compressed: whether it was.
  void end(bool compressed, double seconds, double bytes);

  // In place of end(), for nonblocking calls, whose times include those of other calls and what the application
  // computes meanwhile.  They are timed in bursts: from the first begin() to the last wait of calls that overlap.
  // overlapping_begins(): the application has begun a call.  overlapping_runs(): whether it was compressed, once that
  // is decided.  overlapping_ends(): the application has waited for it.
  void overlapping_begins(double now, double bytes);
  void overlapping_runs(bool compressed);
  void overlapping_ends(double now);

  const CallModel& model() const { return model_; }
  const CodingCosts& costs() const { return costs_; }
  // The candidate that was the fastest, or was predicted to be, when the ranks last looked.
  const Candidate& best() const { return best_; }
  std::uint64_t compressed_calls() const { return compressed_calls_; }
  Decision decision() const { return decision_; }
  // Whether the ranks have agreed on this class at all.
  bool decided() const { return plain_ > 0; }
  double plain_seconds() const { return plain_; }
  bool compresses() const { return mode_ == Decision::compressed; }
  std::uint64_t calls() const { return calls_; }

 private:
  double scaled(double seconds, double bytes) const;
  void take_sample(const CodingCosts& costs);
  void take_frames(const CodingCosts& costs);
  void consider(const Path& start);
  void order_efforts();
  std::size_t next_worth_trying() const;
  bool changed() const;
  bool hopeless(double seconds) const;
  bool is_close() const;
  void judge(double seconds);
  void settle();
  void doubt();
  void measure_plain(int calls, std::uint64_t after);
  void leave();
  void survey_next();
  void try_candidate(std::size_t k);
  std::uint64_t calls_between_plain() const;
  std::uint64_t calls_before_trial(double usual) const;

  // First what a plain call touches: a call that has moved more than the cache holds finds this in few cache lines.
  Decision mode_ = Decision::plain;      // or compressed
  Decision decision_ = Decision::plain;  // of the call that has begun
  bool on_devices_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t next_;            // the call that surveys, or in compressed mode the one that is left to MPI
  std::uint64_t trial_ = 0;       // counts the changes of the candidate
  std::uint64_t begun_with_ = 0;  // trial_ when the call began

  // The ranks differ in these.
  double bytes_;             // that the latest times stand for
  LatestTimes plain_times_;  // scaled to bytes_
  MeanTime plain_mean_;      // of the calls' own sizes

  CallModel model_;
  std::uint64_t gap_;        // calls between surveys
  std::uint64_t tried_ = 0;  // calls with the current candidate
  double plain_ = 0;
  double correction_ = 1;  // measured over predicted seconds of compressed calls
  CodingCosts costs_;
  // The frames of calls over those of the sample before them: a sample's frames are smaller, and may be others.
  std::array<double, efforts.size()> frames_over_sample_{1, 1};
  CodingCosts sampled_;            // that the ranks agreed on
  double settled_plain_ = 0;       // plain_ when the candidates were considered
  double settled_compressed_ = 0;  // the time of the current one when it was chosen
  std::uint64_t considered_ = 0;   // the call
  std::uint64_t compressed_calls_ = 0;
  std::vector<Candidate> candidates_;
  Candidate best_;
  std::size_t among_ = 0;  // the number of candidates that are tried
  std::size_t current_ = 0;
  bool trying_ = false;
  bool tried_before_ = false;
  bool asks_for_samples_ = false;  // of all ranks
  bool won_ = false;               // compression was faster when the ranks last looked
  int plain_left_ = 0;             // plain calls to make one after another, in compressed mode
  bool renews_plain_ = false;      // before the next of them, earlier plain times are forgotten
  bool pinned_ = false;

  struct Burst {
    double began = 0;
    double waited = 0;  // when the latest wait ended
    double bytes = 0;
    int open = 0;             // calls that the application has not waited for
    int calls = 0;            // calls that were decided on
    bool compressed = false;  // all of them were
    bool mixed = false;       // not all calls were of one kind, and the burst is not counted
    std::uint64_t trial = 0;
  };

  // Of this rank alone.
  LatestTimes compressed_times_;
  CodingCosts sample_;
  CodingCosts coded_;
  Burst burst_;
};

// All classes of one communicator.
class Tuner {
 public:
  // devices: the build serves numbers on devices.
  explicit Tuner(bool devices) : devices_(devices) {}

  // within_node: all ranks are on one node; the same on every rank.
  void set_within_node(bool within_node) {
    within_node_ = within_node;
    start_ = within_node ? path_within_node() : path_between_nodes();
  }

  // False where it is not known yet.
  bool within_node() const { return within_node_; }
  const Path& start() const { return start_; }

  // The class of a call; a new class is pinned to the profile's verdict if there is a profile.  find() returns nullptr
  // if there was no such call.
  CallClass& class_of(const CallModel& model, const Profile* profile = nullptr);
  const CallClass* find(const CallModel& model) const;
  // A class for these calls alone, whatever other classes there are, until it is removed.
  CallClass& make_class(const CallModel& model, const Profile* profile = nullptr);
  void remove(const CallClass& known);

  // What happened in the latest blocking call of a collective.
  std::optional<Decision> latest(Collective collective) const { return latest_[static_cast<std::size_t>(collective)]; }
  void set_latest(Collective collective, Decision decision) {
    latest_[static_cast<std::size_t>(collective)] = decision;
  }

  const std::vector<std::unique_ptr<CallClass>>& classes() const { return classes_; }

 private:
  bool devices_;
  bool within_node_ = false;
  Path start_ = path_between_nodes();
  std::array<std::optional<Decision>, std::size(all_collectives)> latest_{};
  std::vector<std::unique_ptr<CallClass>> classes_;
};

}  // namespace laconic
