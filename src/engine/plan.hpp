// SPDX-License-Identifier: BSD-3-Clause
// The actions of one rank on one chunk of every block: a schedule after lowering.
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
  send,    // the frame is sent to the peer, or put into a message, which is sent with its last part; it stays current
  take,    // frame = arrived frame
  fold,    // frame = arrived frame op numbers
  add,     // frame = arrived frame op frame
  merge,   // numbers = arrived frame op (numbers, or the current frame if there is one, which is then released)
  unpack,  // numbers = frame; the frame is then released
  drop,    // the frame is released
  forget,  // the numbers in spare memory are released
  decode,  // result = frame; the frame is then released
  copy,    // result = numbers
};

std::string_view name_of(Act act);

// Whether the action takes a frame that arrives.
constexpr bool waits_for_message(Act act) {
  return act == Act::take || act == Act::fold || act == Act::add || act == Act::merge;
}

// The place of the numbers of a block.
enum class Location : std::uint8_t {
  none,
  input,  // the caller's input
  output,
  spare,  // memory of the engine
};

struct Action {
  Act act;
  std::int32_t block;              // index in Plan::blocks
  std::int32_t peer = -1;          // send, take, fold, add, merge
  std::uint32_t message = 0;       // its index among the messages of a chunk from the sender to the receiver
  std::uint32_t messages = 0;      // the number of those messages
  std::uint32_t part = 0;          // the frame's place among the frames of its message
  std::uint32_t parts = 1;         // the number of frames in that message
  Location from = Location::none;  // the numbers that encode, fold, merge and copy read; none: merge reads the frame
  Location to = Location::none;    // where merge and unpack put numbers
  bool last = false;               // encode: the value is a final result (Terms).  fold, add: it is, and is sent on
  bool complete = false;           // take: the arrived value is final
  bool more = false;               // fold, add: its frame is only made for the next action of the block, an add
};

struct Plan {
  Travel travel = Travel::homomorphic;
  bool adds = false;                  // frames may hold sums: the collective reduces
  bool forwards = true;               // frames may arrive from a rank that did not make them
  std::int32_t cut = 1;               // number of blocks among all ranks
  std::uint32_t whole = 1;            // contributions that a result holds
  std::vector<std::int32_t> blocks;   // indices in the schedule of the blocks that this rank handles
  std::vector<std::uint32_t> labels;  // per block: its name on all ranks (label_of())
  std::vector<bool> passing;          // per block: the rank only forwards it and does not know its count
  std::vector<Action> actions;
  std::vector<std::size_t> receives;  // indices of the actions that wait for a message (its first part), in order
  std::vector<std::size_t> encodes_of_input;  // indices of the actions that encode numbers of the caller's, in order
  std::size_t decodes = 0;                    // number of decodes
  std::size_t reduced = 0;                    // number of actions up to and including the last fold, add or merge
  std::uint32_t most_messages = 1;            // largest Action::messages
  std::uint32_t most_parts = 1;               // largest Action::parts
  std::size_t most_arrivals = 1;  // the most actions in a row of one block, all but the last with Action::more
  std::size_t most_held = 0;      // most current frames and spare numbers of a row at any time
  // The most slots that one row may need at a time: the current frames and spare numbers, frames being sent, slots for
  // posted receives, and the slots of the job: its arrived frame, its output and its scratch.
  std::size_t slots = 0;
};

// Turns the three verbs into actions, by the rules of Travel.  A frame that is still valid is forwarded and never
// encoded again; results are decoded as soon as nothing else waits for the frame.  A sender keeps the value that the
// receivers decode from its frame, so that all ranks hold the same bits; only Travel::per_hop keeps the numbers.
// Blocks share messages where join() has put them together.
Plan lower(const Schedule& schedule, Collective collective, Place at, Travel travel);

// The plan of one end of a message: it moves the frames of block 0 from rank 0 to rank 1 and does nothing else. Callers
// replace the peer.
Plan plan_of_message(bool sending);

}  // namespace laconic
