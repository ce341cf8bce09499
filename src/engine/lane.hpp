// SPDX-License-Identifier: BSD-3-Clause
// The state of one row in progress.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/coding_job.hpp"
#include "engine/frame_pool.hpp"
#include "engine/run.hpp"
#include "wire/message.hpp"

namespace laconic {

// The state of a block in one row.
struct Run::Block {
  int frame = FramePool::none;
  int ready = FramePool::none;      // the frame of an encode that comes later in the plan
  int spare = FramePool::none;      // slot of the numbers in spare memory
  std::size_t count = 0;            // of a block that is only forwarded: the count in its frame
  double error = 0;                 // error that the numbers already have, wherever they are
  std::uint32_t contributions = 1;  // contributions that the numbers hold
  bool failed = false;              // the numbers could not be computed
};

class Run::Lane {
 public:
  // A message that is on its way or has arrived: one frame in a slot, or several in a message of the pool.
  struct Arrival {
    int slot = FramePool::none;
    int message = MessagePool::none;
    std::size_t bytes = 0;    // of that message
    wire::Unpacker unpacker;  // of that message
    bool here = false;
    LandingJob landing;  // submitted only if the host cannot access the arrived frame
  };

  // A decode that the next actions do not wait for.
  struct Decode {
    CodingJob job;
    int slot = FramePool::none;  // of its frame; none: there is no such decode
    std::int32_t block = 0;
    double error = 0;  // of the frame
  };

  std::uint64_t index = 0;
  std::uint64_t row = 0;
  std::size_t at = 0;  // next action
  std::size_t receives_posted = 0;
  std::size_t receives_taken = 0;  // messages all of whose frames have been taken
  std::size_t sends_outstanding = 0;
  int departing = MessagePool::none;  // the message that is being packed
  wire::Packer packer;
  bool active = false;
  const Job* pending = nullptr;        // `job` or `encodes`, or none
  std::size_t encodes_begun = 0;       // of Plan::encodes_of_input
  int out_slot = FramePool::none;      // the slot that the pending job writes
  int arrived_slot = FramePool::none;  // the slot that it reads besides the current frame
  int scratch_slot = FramePool::none;
  // Frames that have arrived and wait to be combined with one that is still to come, in one launch.
  std::vector<FrameSlot*> held;
  std::vector<int> held_slots;
  std::size_t held_from = 0;  // the action that took the first of them
  Status held_problem;
  double error_current = 0;  // errors of the two frames that it reads
  double error_arrived = 0;
  std::vector<Block> blocks;
  std::array<Arrival, receives_ahead> arrivals;
  CodingJob job;
  EncodeGroup encodes;
  std::array<Decode, most_decodes_ahead> decodes;

  Arrival& arrival(std::size_t receive) { return arrivals[receive % receives_ahead]; }

  // True if the message of the next receiving action has arrived.
  bool arrived() {
    const Arrival& next = arrival(receives_taken);
    return receives_taken < receives_posted && next.here && next.landing.done();
  }

  bool decoding() const {
    return std::any_of(decodes.begin(), decodes.end(), [](const Decode& d) { return d.slot != FramePool::none; });
  }

  // Whether a job of the lane is under way.
  bool coding() const {
    return (pending != nullptr && !pending->done()) || std::any_of(decodes.begin(), decodes.end(), [](const Decode& d) {
             return d.slot != FramePool::none && !d.job.done();
           });
  }

  bool landing() const {
    return std::any_of(arrivals.begin(), arrivals.end(), [](const Arrival& a) { return !a.landing.done(); });
  }

  void release_held(FramePool& pool) {
    for (const int slot : held_slots) pool.release(slot);
    held.clear();
    held_slots.clear();
  }

  void begin(std::uint64_t new_row, std::size_t block_count) {
    row = new_row;
    at = receives_posted = receives_taken = 0;
    sends_outstanding = 0;
    encodes_begun = 0;
    pending = nullptr;
    active = true;
    blocks.assign(block_count, {});
    for (Arrival& arrival : arrivals)
      arrival.slot = FramePool::none, arrival.message = MessagePool::none, arrival.here = false;
  }
};

}  // namespace laconic
