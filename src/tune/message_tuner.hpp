// SPDX-License-Identifier: BSD-3-Clause
// Which messages of a communicator are compressed.  The sender alone decides, because what it sends tells the receiver,
// and it learns from its own clock: no message is sent for this.
//
// When a send ends says little: MPI may keep a copy, and the receiver has still to decode.  So messages are timed in
// bursts.  A burst is all sends of one class until this rank has waited for messages of the communicator, and it lasts
// until the last message that the rank received before its next send: the round trip of a ping-pong, or the whole of a
// halo exchange.  Where it receives nothing, the burst lasts until the next one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tune/coding_cost.hpp"
#include "tune/latest_times.hpp"
#include "tune/profile.hpp"
#include "tune/tuner.hpp"

namespace laconic {

// When messages of the communicator completed.
class MessageClock {
 public:
  // The application has received a message.
  void received(double now) { ++waits_, latest_ = now; }
  // The application has waited for messages that it sends.  They need not have arrived.
  void sent() { ++waits_; }

  std::uint64_t waits() const { return waits_; }
  double latest_received() const { return latest_; }

 private:
  std::uint64_t waits_ = 0;
  double latest_ = 0;
};

// Messages that the process has received by other calls than Laconic's, on whatever communicator.  Threads may use it
// at the same time.
class ReceivedElsewhere {
 public:
  void note(double now) {
    latest_.store(now, std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_release);
  }
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  double latest() const { return latest_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<double> latest_{0};
};

// Messages of similar size (class_bytes()) with equal settings.
class MessageClass {
 public:
  // codec: of compressed messages, unless they are found to be faster with dense.
  MessageClass(double bytes, std::uint64_t settings, CodecName codec = CodecName::quant);

  double bytes() const { return bytes_; }
  std::uint64_t settings() const { return settings_; }
  CodecName codec() const { return codec_; }

  // A send of so many bytes begins.  Decision::survey: the message is left to MPI, and surveyed() has to be called.
  Decision begin(double bytes, double now, const MessageClock& clock);

  // Begins a rest if the times of the next sends are of no interest: the class is left to MPI, and the next survey is
  // far. The burst that has just begun is not measured then.
  void rest();
  bool resting() const { return rest_ > 0; }
  // Counts a send of a class that rests.
  void pass() {
    --rest_;
    ++calls_;
  }

  // Ends the burst if the rank has waited since: messages of another class follow, whose time does not belong to it.
  void close(double now, const MessageClock& clock);

  // Takes the costs of coding the message that has begun.  within_node: all ranks of the communicator are on one node.
  void surveyed(const CodingCosts& costs, bool within_node);

  // Fixes the decision on all messages.
  void pin(const Profile::Verdict& verdict);

  // With which messages are compressed, where they are.
  Effort effort() const { return effort_; }

  std::uint64_t calls() const { return calls_; }
  std::uint64_t compressed_calls() const { return compressed_calls_; }
  bool compresses() const { return mode_ == Decision::compressed; }
  const CodingCost& cost() const { return cost_; }
  // The seconds of a burst divided by its messages; 0: not measured.
  double plain_seconds() const { return (plain_.count() > 0 ? plain_.least() : plain_before_) * bytes_; }
  double compressed_seconds() const { return compressed_.least() * bytes_; }

 private:
  bool surveys_now();
  // Ends a rest, also before its end: the sends that it had are bursts.
  void wake();
  void end_burst(double now, const MessageClock& clock);
  void restart_window();
  void compare(double seconds);
  void code_with(Effort effort);
  void doubt();
  void leave();
  std::uint64_t bursts_between_plain() const;

  std::uint64_t rest_ = 0;   // so many sends more need not be measured
  std::uint64_t calls_ = 0;  // beside rest_, so that pass() reads one line of a cache
  double bytes_;
  std::uint64_t settings_;
  CodecName codec_;
  Decision mode_ = Decision::plain;      // or compressed
  Decision decision_ = Decision::plain;  // on the messages of this burst
  Effort effort_ = Effort::light;
  bool compares_ = false;  // the efforts
  bool pinned_ = false;
  std::uint64_t compressed_calls_ = 0;
  std::uint64_t bursts_ = 0;
  std::uint64_t next_;          // the burst that surveys, or in compressed mode the first of those that are left to MPI
  std::uint64_t gap_;           // bursts between surveys
  std::uint64_t plain_bursts_;  // of next_ and those that follow it
  std::uint64_t rested_ = 0;    // the length of the rest
  bool surveyed_ = false;
  MeanTime plain_mean_;  // of the bursts before the first survey
  bool won_ = false;     // compression was faster when it was last measured
  CodingCost cost_;
  CodingCosts costs_;      // of the latest survey
  double with_dense_ = 0;  // seconds per byte in the comparison of the efforts

  // This burst.
  double began_ = 0;
  double burst_bytes_ = 0;
  int sends_ = 0;
  std::uint64_t waits_ = 0;  // MessageClock::waits() at the latest send

  // The bursts that are measured together, because single ones differ too much.
  double window_seconds_ = 0;
  double window_bytes_ = 0;
  double window_longest_ = 0;  // of one burst, seconds per byte
  int window_bursts_ = 0;
  bool set_up_ = true;  // the burst includes the set-up of memory and connections

  LatestTimes plain_;          // of windows, seconds per byte
  double plain_before_ = 0;    // before they were measured anew
  LatestTimes longest_plain_;  // of single bursts of these windows
  LatestTimes compressed_;
};

// Equal settings have an equal key, codec and effort.
struct MessageSettings {
  std::uint64_t key = 0;  // a hash of those that matter for the time of a message
  CodecName codec = CodecName::quant;
  Effort effort = Effort::light;  // that the messages may use
};

// All classes of one communicator.
class MessageTuner {
 public:
  // A new class is pinned to the profile's verdict if there is a profile.
  MessageClass& class_of(std::size_t bytes, const MessageSettings& settings, const Profile* profile = nullptr);

  // MessageClass::begin() of a class of this communicator.
  Decision begin(MessageClass& sending, double bytes, double now, const ReceivedElsewhere& elsewhere);

  // Counts a send that is left to MPI without a look at the clock.  False: begin() has to be called.  While any class
  // is measured all sends have to, because they end its bursts.
  bool passes(MessageClass& sending);

  MessageClock& clock() { return clock_; }
  const std::vector<std::unique_ptr<MessageClass>>& classes() const { return classes_; }

 private:
  std::size_t resting_ = 0;  // classes that rest
  MessageClock clock_;
  std::uint64_t elsewhere_ = 0;  // ReceivedElsewhere::count() at the latest send
  std::vector<std::unique_ptr<MessageClass>> classes_;
};

}  // namespace laconic
