// SPDX-License-Identifier: BSD-3-Clause
// Seals of the frames of one row and block.  A seal is written when a frame is made and checked when it is used.
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
  std::uint32_t rank = 0;   // this rank
  std::uint32_t whole = 1;  // contributions that a result holds
  bool forwards = true;     // a complete frame may come from a rank that did not make it

  // Writes FrameSlot::seal behind a frame.  The first form computes the payload's checksum on the host; the second
  // takes a checksum computed elsewhere.
  void seal(FrameSlot& slot) const;
  void seal(FrameSlot& slot, std::uint64_t payload_sum) const;

  // Checks whether an arrived frame may be used: its seal is right, the expected rank made it, and it is not a failed
  // frame.
  Status check(FrameSlot& slot) const;
  Status check(FrameSlot& slot, std::uint64_t payload_sum) const;

  // Checks whether a value can hold this number of contributions; a result must hold all of them.
  Status check_contributions(std::uint32_t contributions, bool result) const;

 private:
  static std::uint64_t payload_sum(const FrameSlot& slot);
};

// Adds the rank that sent the frame to a status about that frame.
Status about_frame(Status status, const FrameSlot* slot);

}  // namespace laconic
