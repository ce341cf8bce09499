// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule symbolically on all ranks at once, without data, MPI or threads, and proves these properties:
//
//   the schedule ends under the limits on running ahead in schedule.hpp; no message is left unread; messages match, and
//   both ends put the same blocks into them; no rank sends a block before it has it; every block that a rank wants
//   holds the contribution of each rank that has it exactly once, and no other; if frames are forwarded, all ranks that
//   want a block hold the same expression.
//
// The audit also measures the errors, which an algorithm declares itself, and the cost.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace laconic {

// The cost of an algorithm in the usual model (Thakur, Rabenseifner and Gropp, 2005): the time of an operation is about
// hops * latency + share * bytes / bandwidth, where `bytes` is the size of all blocks (for an alltoall, of the blocks
// that one rank sends).
struct Cost {
  // Successive messages on the longest path to a result, along data dependencies: a rank that sends to many peers is
  // taken to send to all at once.  A message leaves when all its blocks are there.
  double hops = 0;
  double share = 0;  // fraction of the bytes that the busiest rank sends or receives, whichever is more
  int messages = 0;  // that the busiest rank sends or receives, whichever is more
};

struct Audit {
  bool ok = false;
  std::string problem;  // what is wrong, and on which rank, when not ok

  int blocks = 0;
  int most_messages = 0;  // most messages from any one rank to another
  Terms homomorphic;      // most single-encode errors in any result, of each kind
  Terms reencoding;
  Terms per_hop;
  Cost cost;
};

// topology: the neighborhoods of all ranks, for neighborhood collectives; empty: assumed_neighborhood().
// most: the most blocks in a message (join()).
Audit audit(const Algorithm& algorithm, Ranks ranks, int root = 0, std::span<const Neighborhood> topology = {},
            std::uint32_t most = 1);

}  // namespace laconic
