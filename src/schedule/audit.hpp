// SPDX-License-Identifier: BSD-3-Clause
// Runs a schedule symbolically on all ranks at once, without data, MPI or threads, and proves what can be proved:
//
//   it ends, with the limits on running ahead that schedule.hpp states; nothing is left unread; messages match;
//   nobody sends what it does not have; every block that a rank wants holds the contribution of each rank that has it
//   exactly once, and no other; where frames are forwarded, all ranks that want a block hold the same expression.
//
// It also measures what an algorithm says of itself: errors and cost.
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace laconic {

struct Audit {
  bool ok = false;
  std::string problem;  // what is wrong, and on which rank, when not ok

  int blocks = 0;
  int most_messages = 0;  // most messages between any ordered pair of ranks
  Terms adding;           // errors of one encode: the most in any result, of each kind
  Terms reencoding;
  Terms per_hop;
  // Hops are counted along what depends on what: a rank that sends to many peers does so at once.
  Cost cost;
};

Audit audit(const Algorithm& algorithm, int size, int root = 0);

}  // namespace laconic
