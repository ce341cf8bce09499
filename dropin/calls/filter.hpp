// SPDX-License-Identifier: BSD-3-Clause
// The decision whether a call may be compressed. All ranks of a call must decide alike: either they all know the same
// facts, or they agree on a result by communication.
#pragma once

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

struct Decision {
  Reason reason = Reason::touched;
  Communicator* communicator = nullptr;  // null if the decision was made without looking it up
  bool agree = false;                    // the ranks' results may differ, so they must agree
  std::uint64_t bytes = 0;               // size of the largest buffer of the call, if every rank knows it
};

// The larger buffer of a call, as known to this rank, and its number of items. Not for neighborhood collectives.
struct Largest {
  const Side* side;
  MPI_Count items;
};
Largest largest_of(const Call& call, int rank, int ranks);

// Whether numbers of this kind may be compressed on a communicator, apart from the rules.
Reason fits(const Communicator& communicator, Kind kind);

// Whether any communicator compresses buffers of this size. A cheap test, to be made first.
Reason by_size(std::uint64_t bytes);

// The decision from facts that all ranks know alike. Cheap tests come first.
Decision filter(const Call& call);

// The decision from facts of this rank alone: layouts, memory, and rules that test names. Sets up the sides and copies
// this rank's contribution to where Laconic reads it.
Reason filter_alone(const Call& call, const Decision& decision, NumberSides& numbers);

// Reduces the ranks' results to one for all. Collective over the communicator; for blocking calls only.
Reason agree(const Call& call, Communicator& communicator, Reason mine, const NumberSides& numbers);

}  // namespace laconic::dropin
