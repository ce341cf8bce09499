// SPDX-License-Identifier: BSD-3-Clause
// What one rank does to one chunk of every block: a schedule after lowering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace laconic {

// A block has at most one current frame, and numbers in at most one place.
enum class Act : std::uint8_t {
  encode,  // frame = numbers
  send,    // the frame goes to the peer; it stays current
  take,    // frame = what the peer sent
  fold,    // frame = what the peer sent op numbers
  add,     // frame = what the peer sent op frame
  merge,   // numbers = what the peer sent op (numbers, or the frame if there is one, which is not needed any more)
  unpack,  // numbers = frame, which is not needed any more
  drop,    // the frame is not needed any more
  forget,  // the numbers in spare memory are not needed any more
  decode,  // result = frame, which is not needed any more
  copy,    // result = numbers
};

std::string_view name_of(Act act);

constexpr bool waits_for_message(Act act) {
  return act == Act::take || act == Act::fold || act == Act::add || act == Act::merge;
}

// Where the numbers of a block are.
enum class Location : std::uint8_t {
  none,
  input,  // the rank's own, as the caller gave them
  output,
  spare,  // of the engine
};

struct Action {
  Act act;
  std::int32_t block;              // by its place in Plan::blocks
  std::int32_t peer = -1;          // send, take, fold, add, merge
  std::uint32_t message = 0;       // its number among the messages of a chunk between the two ranks, in its direction
  std::uint32_t messages = 0;      // how many those are
  Location from = Location::none;  // the numbers that encode, fold, merge and copy read; merge: none for the frame
  Location to = Location::none;    // where merge and unpack put numbers
  bool last = false;               // encode: of a value that is a result (Terms)
  bool complete = false;           // take: of a value that nothing is added to any more
};

struct Plan {
  Travel travel = Travel::adding;
  std::int32_t cut = 1;              // how many blocks there are among all ranks
  std::uint32_t whole = 1;           // contributions that a result holds
  std::vector<std::int32_t> blocks;  // names, as the schedule knows them, of the blocks that this rank deals with
  std::vector<bool> passing;         // of each, that the rank only forwards it, and does not know its count
  std::vector<Action> actions;
  std::vector<std::size_t> receives;  // indices of the actions that wait for a message, in order
  std::size_t reduced = 0;            // how many actions there are up to the last fold, add or merge
  std::uint32_t most_messages = 1;    // largest Action::messages
  std::size_t most_held = 0;          // current frames and spare numbers of a row at any time
  // Frames, and numbers in spare memory, that the engine may have at a time for one row: what the row holds, frames
  // that are being sent, room for what arrives, and the job's: what it reads besides, what it writes, and its scratch.
  std::size_t slots = 0;
};

// Turns the three verbs into actions, by the rules of Travel.  A frame that is still valid is forwarded, never made
// again; results are decoded as soon as nothing else waits for the frame.  What a rank keeps of what it sends is what
// the receivers decode, so that all hold the same bits; only Travel::per_hop keeps the numbers.
Plan lower(const Schedule& schedule, Collective collective, Place at, Travel travel);

}  // namespace laconic
