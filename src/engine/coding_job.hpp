// SPDX-License-Identifier: BSD-3-Clause
// One coding step of a row, as the device runs it.
#pragma once

#include <cstddef>

#include "base/status.hpp"
#include "codec/codec.hpp"
#include "codec/device_codec.hpp"
#include "device/device.hpp"
#include "engine/frame_pool.hpp"
#include "engine/plan.hpp"
#include "engine/sealing.hpp"

namespace laconic {

// How numbers and frames are coded in one operation.
struct Codings {
  Coding earlier;  // encodes, folds and adds on the way to a result
  Coding last;     // encodes of results
  Coding between;  // decodes on the way
  Coding result;   // decodes results
};

constexpr bool makes_frame(Act act) { return act == Act::encode || act == Act::fold || act == Act::add; }

class CodingJob final : public Job {
 public:
  Act act = Act::encode;
  Location from = Location::none;  // merge: whether there are numbers; they may be at nullptr where count is 0
  bool last = false;               // encode
  bool travels = true;             // encode, fold, add: the new frame will be sent
  bool reduce_on_host = false;     // merge, on a device: with the arithmetic of the host, for comparison
  const Codec* codec = nullptr;
  const Codings* codings = nullptr;
  FrameSlot* arrived = nullptr;        // fold, add, merge
  FrameSlot* current = nullptr;        // add, merge without numbers, unpack, decode
  const std::byte* numbers = nullptr;  // encode, fold, merge, copy
  std::byte* result = nullptr;         // merge, unpack, decode, copy
  std::size_t count = 0;
  double error_before = 0;       // encode: that the numbers come with
  FrameSlot* out = nullptr;      // encode, fold, add: the new frame
  FrameSlot* scratch = nullptr;  // merge: room for numbers
  Sealing sealing;
  std::uint32_t contributions = 1;  // of the numbers; afterwards of those that merge and unpack leave
  Status problem;                   // there is nothing to work on, and why

  // How it went.  In place of a frame that could not be made `out` holds a failed one, so that nobody waits for ever or
  // takes old bytes for new.
  Status status;
  double seconds = 0;           // all
  double seconds_combined = 0;  // of these, merge's arithmetic

  void run() noexcept override;
  bool step(Queue& queue) noexcept override;

 private:
  enum class Stage {
    fresh,
    decoding,   // merge: the frame that the other is added to
    coding,     // the kernel
    combining,  // merge with reduce_on_host: numbers come to the host
    moving,     // what was made goes to where it is needed
  };

  // On the host.
  Status check_frames();
  Status check_contributions();
  Coded code();
  Status merge();
  void copy() const;

  // On a device.
  // Sums of payloads on the queue, by place.
  enum Summed : unsigned { of_arrived, of_current, of_out };
  Status sum_payload(const FrameSlot& slot, Summed place, Queue& queue) const;
  Status check_summed(Queue& queue);
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
  bool finish_step(Status outcome);

  bool reads_current() const;
  const FrameSlot* read_frame() const { return arrived != nullptr ? arrived : current; }
  bool seals() const { return sealing.on && travels; }
  void finish_frame(std::size_t bytes);
  Dtype dtype() const { return codings->earlier.dtype; }
  const Coding& coding() const;
  std::size_t bytes_of_numbers() const { return count * size_of(dtype()); }

  Stage stage_ = Stage::fresh;
  double began_ = 0;
  double began_combining_ = 0;
  bool unchecked_arrived_ = false;  // its sum is on the queue
  bool unchecked_current_ = false;
  bool altered_ = false;  // the header on the host is not the one that the device has
};

// The header of a frame that came to memory which the host does not reach.
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
