// SPDX-License-Identifier: BSD-3-Clause
// One coding step of a row, as the device runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/device_codec.hpp"
#include "device/device.hpp"
#include "engine/frame_pool.hpp"
#include "engine/plan.hpp"
#include "engine/sealing.hpp"

namespace laconic {

// The codec parameters of the encodes and decodes in one operation.
struct Codings {
  Coding intermediate;  // for encodes, folds and adds of partial results
  Coding completing;    // for folds and adds that complete a result that is sent on
  Coding final;         // for encodes of final results
  Coding between;       // for decodes of partial results
  Coding result;        // for decodes of final results
};

constexpr bool makes_frame(Act act) { return act == Act::encode || act == Act::fold || act == Act::add; }

class CodingJob final : public Job {
 public:
  Act act = Act::encode;
  Location from = Location::none;  // merge: whether there are numbers; their address may be nullptr if count is 0
  bool last = false;               // encode, fold, add
  bool travels = true;             // encode, fold, add: the new frame will be sent
  bool reduce_on_host = false;     // merge, on a device: the host does the arithmetic, for comparison
  const Codec* codec = nullptr;
  const Codings* codings = nullptr;
  FrameSlot* arrived = nullptr;         // fold, add, merge
  std::span<FrameSlot* const> earlier;  // fold, add, on a device: frames that arrived before it and are combined, too
  FrameSlot* current = nullptr;         // add, merge without numbers, unpack, decode
  const std::byte* numbers = nullptr;   // encode, fold, merge, copy
  std::byte* result = nullptr;          // merge, unpack, decode, copy
  std::size_t count = 0;
  double error_before = 0;       // encode: the error that the numbers already have
  FrameSlot* out = nullptr;      // encode, fold, add: the new frame
  FrameSlot* scratch = nullptr;  // merge: memory for decoded numbers
  Sealing sealing;
  std::uint32_t contributions = 1;  // in the numbers; after the job, in the numbers that merge or unpack produced
  Status problem;                   // not ok if the operands are missing; says why

  // The outcome.  If the frame could not be made, `out` holds a failed frame instead, so that the receiver neither
  // waits forever nor mistakes old bytes for new ones.
  Status status;
  double seconds = 0;           // whole job
  double seconds_combined = 0;  // the part of `seconds` spent on the arithmetic of merge

  void run() noexcept override;
  bool step(Queue& queue) noexcept override;

 private:
  friend class EncodeGroup;

  enum class Stage {
    fresh,
    decoding,   // merge: decoding the current frame, to which the arrived one is added
    coding,     // running the kernel
    combining,  // merge with reduce_on_host: copying numbers to the host
    moving,     // copying the product to its destination
  };

  // Steps on the host.
  Status check_frames();
  Status check_contributions();
  Coded code();
  Status merge();
  void copy() const;

  // Steps on a discrete device.
  static Status sum_payload(const FrameSlot& slot, unsigned place, Queue& queue);
  Status check_summed(Queue& queue);
  void open(Queue& queue);
  Status begin(Queue& queue);
  Status begin_merge(Queue& queue);
  Status enqueue(Queue& queue);
  Status enqueue_copy(Queue& queue) const;
  Status give_up(Queue& queue);
  Status conclude(Queue& queue, bool& more);
  Status bring_to_host(Queue& queue);
  Status combine_on_host(Queue& queue);
  Status hand_over(Queue& queue, bool& more);
  Status load(FrameSlot& slot, DeviceFrame& frame, Queue& queue);
  Status combine_many(const DeviceFrame& arrived_frame, Queue& queue);
  Status about(Status problem) const;
  bool finish_step(Status outcome);

  bool reads_current() const;
  const FrameSlot* read_frame() const { return arrived != nullptr ? arrived : current; }
  bool seals() const { return sealing.on && travels; }
  void finish_frame(std::size_t bytes);
  Dtype dtype() const { return codings->intermediate.dtype; }
  const Coding& coding() const;
  std::size_t bytes_of_numbers() const { return count * size_of(dtype()); }

  Stage stage_ = Stage::fresh;
  unsigned report_ = 0;                           // its index on the queue
  unsigned of_out_ = DeviceCodec::most_combined;  // the same of the checksum of the new frame
  double began_ = 0;
  double began_combining_ = 0;
  // Frames whose checksums are still being computed on the queue, at these indices.
  std::array<FrameSlot*, DeviceCodec::most_combined> unchecked_{};
  unsigned unchecked_count_ = 0;
  const FrameSlot* blamed_ = nullptr;  // the frame that `status` is about, if it is known
  bool altered_ = false;               // the header on the host differs from the device's copy
};

// Encodes of one row in one launch on a discrete device: the blocks that the root of a scatter or an owner in an
// alltoall sends are small, and a launch each would leave most of the device idle (the multi-stream compression of
// gZCCL).
class EncodeGroup final : public Job {
 public:
  static constexpr std::size_t most = std::min(Queue::reports, Queue::sums);

  // Makes room for so many jobs.
  void reserve(std::size_t jobs);

  // The jobs, all of Act::encode, with one codec and one coding.  They are filled in as for the device, and have their
  // outcome once the group is done.
  void clear() { count_ = 0; }
  CodingJob& add() { return *jobs_[count_++]; }
  std::size_t size() const { return count_; }
  CodingJob& operator[](std::size_t index) { return *jobs_[index]; }

  void run() noexcept override {}
  bool step(Queue& queue) noexcept override;

 private:
  enum class Stage { fresh, coding, moving };

  Status begin(Queue& queue);
  Status encode(Queue& queue);
  bool finish_step(const Status& outcome);

  std::vector<std::unique_ptr<CodingJob>> jobs_;
  std::vector<Piece> pieces_;
  std::size_t count_ = 0;
  Stage stage_ = Stage::fresh;
};

// Copies the header and seal of an arrived frame to the host.  Used if the frame arrived in memory that the host cannot
// access.
class LandingJob final : public Job {
 public:
  FrameSlot* slot = nullptr;
  Status status;

  void run() noexcept override {}
  bool step(Queue& queue) noexcept override;

 private:
  bool under_way_ = false;
};

}  // namespace laconic
