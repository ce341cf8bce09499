// SPDX-License-Identifier: BSD-3-Clause
// The polling engine.  A Run executes a plan over any transport and device without ever blocking.  A blocking
// operation calls start(), then poll() until it returns true; a nonblocking operation only calls start(), and poll() is
// called from elsewhere.
//
// The data is cut into rows: row k holds chunk k of every block, and each row runs the whole plan on its own.  A few
// rows (the depth) are in progress at a time, each in a lane; while the frames of one row are on the wire, another row
// is coded.  This is the overlap of C-Coll's PIPE-SZx and gZCCL's streams, for every algorithm alike.  If a block has
// no numbers left for a row, an empty frame is sent to keep the message pattern of the plan: ranks that forward it
// need not know its count.
//
// This cannot deadlock.  Within a row every rank follows its plan's order, which the audit shows to be free of
// deadlock, and receives are posted in that order.  A row starts only after the row `depth` rows earlier has ended, so
// the lowest unfinished row is in progress on every rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "device/device.hpp"
#include "engine/coding_job.hpp"
#include "engine/frame_pool.hpp"
#include "engine/message_pool.hpp"
#include "engine/plan.hpp"
#include "transport/transport.hpp"

namespace laconic {

// The caller's memory of a block.  A rank that has the block reads its input; a rank that wants the block writes its
// output.  input and output may be equal, but must not overlap otherwise, nor overlap those of other blocks.
struct Region {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t count = 0;  // numbers; unused if the rank neither has nor wants the block; then both pointers are null
};

// One operation.  Pointers stay valid until it has finished.
struct Work {
  const Plan* plan = nullptr;
  const Codec* codec = nullptr;
  Coding coding;                    // for the encodes counted by Terms::intermediate
  double last_allowance = 0;        // for the encodes counted by Terms::final
  std::span<const Region> regions;  // in the order of Plan::blocks
  std::size_t largest = 0;          // numbers in the largest block on any rank; the same on all ranks
  std::size_t chunk = 0;            // numbers per frame, >= 1
  int depth = 1;                    // rows in progress at a time, >= 1
  std::uint64_t sequence = 0;       // number of this operation on the transport, the same on all ranks
  bool checksum = false;            // frames are sealed, on all ranks
  std::uint64_t salt = 0;           // in seals: tells this operation from those of other transports
  // This rank encodes its numbers without rounding them, whatever the coding of the other ranks: they lie where they
  // must not be written (data movement only).
  bool keeps_input = false;
  bool reduce_on_host = false;  // on a device: merges are done by the host, as the papers' "host-centric" designs do
};

// Statistics of an operation on this rank.  Coding seconds are summed over the threads that code.
struct Account {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_uncompressed = 0;  // uncompressed size of the frames sent
  double error = 0;                      // largest worst-case error of the results, before they are divided
  double error_sent = 0;                 // largest worst-case error of the frames sent
  std::uint64_t most_rows = 0;           // most rows in progress at a time
  double seconds_encode = 0;
  double seconds_decode = 0;
  double seconds_reduce = 0;
  double seconds_copy = 0;
  double seconds_wait = 0;
  double seconds_wait_reducing = 0;  // the part of seconds_wait before the last message to be reduced
  double seconds_distribute = 0;     // from that message to the end, all phases
};

class Run {
 public:
  Run(Transport& transport, Device& device);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Leases all the memory that the work can need (its sequence, regions and allowance do not matter), so that start()
  // and poll() of the same work allocate nothing and cannot run out of memory.
  Status reserve(const Work& work);

  // Starts an operation.  The previous one, if any, must have finished.  After a transport failure every later
  // operation ends at once with the same error.
  void start(const Work& work);

  // Advances the operation as far as possible without waiting; returns true once it has finished.
  bool poll();

  // Waits for a message, for callers that have nothing else to do after a poll() that found waiting().
  void wait();

  // True if the last poll() made progress.
  bool moved() const { return moved_; }

  // True if the last poll() found that only other ranks can advance the operation.
  bool waiting() const { return waiting_; }

  // The status of a finished operation.  If it is not ok, the output is unusable; the other ranks finish as well, and
  // those that needed numbers from this rank also report an error.
  const Status& status() const { return status_; }
  const Account& account() const { return account_; }

  // The bytes of memory leased for frames and messages, and the most of it that was ever in use.
  std::size_t footprint() const { return pool_.footprint() + messages_.footprint(); }
  std::size_t most_used() const { return pool_.most_used() + messages_.most_used(); }

  // The current action of every row in progress, for a watchdog's report.
  std::string describe() const;

 private:
  // The most decodes of a row, on a discrete device, that the next actions of the row do not wait for.  Each keeps a
  // frame in memory.
  static constexpr std::size_t most_decodes_ahead = 3;

  class Lane;
  struct Block;

  struct Slice {
    std::size_t offset;
    std::size_t count;
  };
  Slice slice(std::int32_t block, std::uint64_t row) const;

  bool passing(std::int32_t block) const;
  bool has_result(std::int32_t block) const;
  void learn_count(Block& block);
  void complete(const Completion& completion);
  bool advance(Lane& lane);
  void finish_job(Lane& lane);
  bool begin_encodes(Lane& lane);
  void finish_encodes(Lane& lane);
  bool begin_decode(Lane& lane, const Action& action);
  bool finish_decodes(Lane& lane);
  void note_status(CodingJob& job, std::int32_t block);
  bool begin_action(Lane& lane, const Action& action);
  bool begin_send(Lane& lane, const Action& action);
  bool pack(Lane& lane, const Action& action, const Frame& frame);
  bool send(Lane& lane, const Action& action, std::span<const std::byte> bytes, std::uint64_t cookie);
  bool begin_job(Lane& lane, const Action& action);
  bool hold_arrival(Lane& lane, const Action& action);
  void set_up(CodingJob& job, Lane& lane, const Action& action, int out);
  FrameSlot* slot(int number);
  Sealing sealing_of(const Lane& lane, const Action& action) const;
  static double error_in(const FrameSlot* frame);
  bool will_be_sent(const Action& made) const;
  int take_arrival(Lane& lane, const Action& action, Status& problem);
  int unpack(Lane& lane, const Action& action);
  std::byte* location(Lane& lane, const Action& action, Location where);
  void take_error(Lane& lane, const Action& action);
  void account_seconds(const CodingJob& job);
  bool post_receives(Lane& lane);
  bool post_receive(Lane& lane, const Action& action);
  int acquire();
  int acquire_message();
  void release(int& slot);
  void retire_and_admit();
  bool reducing() const;
  bool coding() const;  // a worker thread or a device still accesses the numbers of this operation
  void pass_time(bool moved);
  void fail(Status status);
  void break_off(Status status);

  Transport& transport_;
  Device& device_;
  std::unique_ptr<Channel> channel_;
  FramePool pool_;
  MessagePool messages_;  // those of several frames
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Completion> completions_;
  Work work_;
  Codings codings_;
  Account account_;
  Status status_;
  std::uint64_t rows_ = 0;
  std::uint64_t first_row_ = 0;  // the lowest row that has not ended
  std::uint64_t next_row_ = 0;   // the lowest row that has not started
  std::uint64_t depth_ = 1;
  std::size_t decodes_ahead_ = 0;      // of a row
  std::size_t encodes_together_ = 1;   // the most encodes of a row in one launch
  std::size_t arrivals_together_ = 1;  // the most arrived frames that are combined in one launch
  bool broken_ = false;                // the transport failed: this Run cannot be used any more
  bool moved_ = false;
  bool waiting_ = false;
  bool ran_job_ = false;  // a job ran in this thread since the network was last polled
  double last_poll_ = 0;
};

}  // namespace laconic
