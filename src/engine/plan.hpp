// What one rank does to one chunk of every block: a schedule after lowering.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace laconic {

// Each block has the rank's own numbers, and at most one current frame.
enum class Act : std::uint8_t {
  encode,  // frame = own numbers
  send,    // the frame goes to the peer; it stays current
  take,    // frame = what the peer sent
  fold,    // frame = what the peer sent op own numbers
  add,     // frame = what the peer sent op frame
  drop,    // the frame is not needed any more
  decode,  // result = frame; the frame is not needed any more
  copy,    // result = own numbers
};

std::string_view name_of(Act act);

struct Action {
  Act act;
  std::int32_t block;
  std::int32_t peer = -1;      // send, take, fold, add
  std::uint32_t message = 0;   // its number among the messages of a chunk between the two ranks, in its direction
  std::uint32_t messages = 0;  // how many those are
};

struct Plan {
  std::int32_t blocks = 1;
  std::vector<Action> actions;
  std::vector<std::size_t> receives;  // indices of the actions that wait for a message, in order
  std::uint32_t most_messages = 1;    // largest Action::messages
  std::size_t most_frames = 0;        // current frames of a row at any time
};

// Turns the three verbs into actions.  A frame that is still valid is forwarded, never made again; a rank that has
// not coded its numbers yet folds them into the frame that arrives; results are decoded as soon as nothing else
// waits for the frame.
Plan lower(const Schedule& schedule, int size);

}  // namespace laconic
