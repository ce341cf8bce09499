// SPDX-License-Identifier: BSD-3-Clause
// Which blocks of a schedule travel in one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "schedule/schedule.hpp"

namespace laconic {

inline constexpr std::uint32_t all_blocks = std::numeric_limits<std::uint32_t>::max();

// Puts the blocks that a rank sends to one peer, or takes from one, on the same hop into common messages of at most
// `most` blocks, in their order.  Sender and receiver find the same messages, because both see the same blocks in the
// same order.
//
// The sends of a message become consecutive steps: at the first of them, or as soon as the last block that this rank
// takes before it sends it is there.  (In an exchange, steps alternate between sending and taking.  If sends stayed
// where they are, each rank would wait for the other's message before it completed its own.)  With most = 1 nothing
// changes.
Schedule join(Schedule schedule, std::uint32_t most);

}  // namespace laconic
