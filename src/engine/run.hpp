// SPDX-License-Identifier: BSD-3-Clause
// The polling engine.  A Run executes a plan over any transport and device without ever blocking; a blocking
// operation is start() and poll() until it says finished, a nonblocking one calls poll() from elsewhere.
//
// The data is cut into rows: row k holds chunk k of every block, and each row runs the whole plan on its own.  A few
// rows (the depth) are under way at a time, in lanes; while the frames of one are on the wire, another is coded.
// That is the overlap of C-Coll's PIPE-SZx and gZCCL's streams, for every algorithm alike.  Where a block has no
// numbers left for a row, an empty frame keeps the pattern of the plan: ranks that forward it need not know its count.
//
// Why this cannot deadlock: within a row every rank follows its plan's order, which the audit shows to be free of
// deadlock, and receives are posted in that order; a row starts only when one `depth` rows earlier has ended, so the
// lowest unfinished row is under way on every rank.
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
#include "engine/plan.hpp"
#include "transport/transport.hpp"

namespace laconic {

// Where the caller keeps a block.  input is read by who has the block, output written by who wants it; they may be
// equal, but must not overlap otherwise, nor with those of other blocks.
struct Region {
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::size_t count = 0;  // numbers; unused where the rank neither has nor wants the block, and both places are null
};

// One operation.  Pointers stay valid until it has finished.
struct Work {
  const Plan* plan = nullptr;
  const Codec* codec = nullptr;
  Coding coding;                    // of Terms::earlier
  double last_allowance = 0;        // of Terms::last
  std::span<const Region> regions;  // by place in Plan::blocks
  std::size_t largest = 0;          // numbers of the largest block on any rank, the same on all
  std::size_t chunk = 0;            // numbers per frame, >= 1
  int depth = 1;                    // rows under way, >= 1
  std::uint64_t sequence = 0;       // of this operation on the transport, the same on all ranks
  bool checksum = false;            // frames are sealed, on all ranks
  std::uint64_t salt = 0;           // in seals: what tells the operation from those of other transports
  bool reduce_on_host = false;  // on a device: merges are done by the host, as the papers' "host-centric" designs do
};

// What an operation did on this rank.  Seconds of coding are those of the threads that code.
struct Account {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_uncompressed = 0;  // of the numbers in the frames sent
  double error = 0;                      // largest worst-case error of the results, before they are divided
  double error_sent = 0;                 // likewise of the frames sent
  std::uint64_t most_rows = 0;           // under way at a time
  double seconds_encode = 0;
  double seconds_decode = 0;
  double seconds_reduce = 0;
  double seconds_copy = 0;
  double seconds_wait = 0;
  double seconds_wait_reducing = 0;  // of these, while a message that is added to something was still to come
  double seconds_distribute = 0;     // from the last such message to the end, all phases
};

class Run {
 public:
  Run(Transport& transport, Device& device);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Leases all the memory that the work can need (its sequence, regions and allowance do not matter), so that start()
  // and poll() of the same work allocate nothing and cannot fail for want of it.
  Status reserve(const Work& work);

  // The previous operation, if any, has finished.  After a failure of the transport every later operation ends at once
  // with the same error.
  void start(const Work& work);

  // Moves on as far as is possible without waiting; true once finished.
  bool poll();

  // True when the last poll() did anything.
  bool moved() const { return moved_; }

  // True when the last poll() found that only others can move the operation on.
  bool waiting() const { return waiting_; }

  // Of a finished operation.  When it is not ok the output is not usable; the other ranks have finished too, and
  // those that needed numbers from this one report an error as well.
  const Status& status() const { return status_; }
  const Account& account() const { return account_; }

  // Bytes of frame memory leased, and the most of it that was ever in use.
  std::size_t footprint() const { return pool_.footprint(); }
  std::size_t most_used() const { return pool_.most_used(); }

  // Where every lane stands, for a watchdog's report.
  std::string describe() const;

 private:
  class Lane;
  struct Block;

  struct Slice {
    std::size_t offset;
    std::size_t count;
  };
  Slice slice(std::int32_t block, std::uint64_t row) const;

  bool passing(std::int32_t block) const;
  void learn_count(Block& block);
  void complete(const Completion& completion);
  bool advance(Lane& lane);
  void finish_job(Lane& lane);
  bool begin_action(Lane& lane, const Action& action);
  bool begin_send(Lane& lane, const Action& action);
  bool begin_job(Lane& lane, const Action& action);
  FrameSlot* slot(int number);
  Sealing sealing_of(const Lane& lane, const Action& action) const;
  static double error_in(const FrameSlot* frame);
  bool will_be_sent(const Lane& lane) const;
  int take_arrival(Lane& lane, Status& problem);
  std::byte* location(Lane& lane, const Action& action, Location where);
  void take_error(Lane& lane, const Action& action);
  void account_seconds(const CodingJob& job);
  bool post_receives(Lane& lane);
  int acquire();
  void release(int& slot);
  void retire_and_admit();
  bool reducing() const;
  bool coding() const;  // a worker thread, or a device, is still at the numbers of this operation
  void pass_time(bool moved);
  void fail(Status status);
  void break_off(Status status);

  Transport& transport_;
  Device& device_;
  std::unique_ptr<Channel> channel_;
  FramePool pool_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Completion> completions_;
  Work work_;
  Codings codings_;
  Account account_;
  Status status_;
  std::uint64_t rows_ = 0;
  std::uint64_t first_row_ = 0;  // the lowest that has not ended
  std::uint64_t next_row_ = 0;   // the lowest that has not started
  std::uint64_t depth_ = 1;
  bool broken_ = false;  // the transport failed: this Run cannot be used any more
  bool moved_ = false;
  bool waiting_ = false;
  bool ran_job_ = false;  // a job ran in this thread since the network was last polled
  double last_poll_ = 0;
};

}  // namespace laconic
