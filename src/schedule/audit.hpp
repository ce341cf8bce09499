// Runs a schedule symbolically on all ranks at once, without data, MPI or threads, and proves what can be proved:
// it ends (with the limits on running ahead that schedule.hpp states), nothing is left unread, messages match, every
// contribution is in every result exactly once, all ranks hold the same expression.  Counts the errors that a
// re-encoding codec would make.
#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace laconic {

struct Audit {
  bool ok = false;
  std::string problem;                     // what is wrong, and on which rank, when not ok
  int reencoded_terms = 0;                 // most errors of one encode in any result, when every reduce re-encodes
  int most_messages = 0;                   // most messages between any ordered pair of ranks
  std::size_t bytes_factor_numerator = 0;  // blocks sent by the busiest rank; over `blocks` it is the share of the data
  int blocks = 0;
};

Audit audit(const Algorithm& algorithm, int size);

}  // namespace laconic
