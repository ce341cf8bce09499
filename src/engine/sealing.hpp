// SPDX-License-Identifier: BSD-3-Clause
// Seals of the frames of one row and block: made where a frame is made, checked where it is used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "engine/frame_pool.hpp"
#include "wire/seal.hpp"

namespace laconic {

struct Sealing {
  bool on = false;
  wire::SealPlace place;
  std::uint32_t rank = 0;   // this one
  std::uint32_t whole = 1;  // contributions that a result holds
  bool per_hop = false;     // Travel::per_hop: every rank sends frames of its own making only

  // Writes FrameSlot::seal behind a frame on the host, and one whose payload has been summed up elsewhere.
  void seal(FrameSlot& slot) const;
  void seal(FrameSlot& slot, std::uint64_t payload_sum) const;

  // Whether a frame that came may be used: its seal is right, it is from who should have made it, and it is not one
  // that says that there are no numbers.
  Status check(FrameSlot& slot) const;
  Status check(FrameSlot& slot, std::uint64_t payload_sum) const;

  // Whether a value can hold so many contributions; a result holds all.
  Status check_contributions(std::uint32_t contributions, bool result) const;

 private:
  static std::uint64_t payload_sum(const FrameSlot& slot);
};

// A status about a frame, with the rank that the frame came from.
Status about_frame(Status status, const FrameSlot* slot);

}  // namespace laconic
