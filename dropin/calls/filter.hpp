// SPDX-License-Identifier: BSD-3-Clause
// The decision whether a call may be compressed. All ranks of a call must decide alike: either they all know the same
// facts, or they agree on a result by communication.
#pragma once

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"
#include "core/rules.hpp"
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

// Whether a call with this bound may be compressed, by its bound and by the rules. Sets facts.rounded.
Reason by_rules(Facts facts, const CallBound& bound);

// Whether calls on a communicator may be compressed by its algorithm and variant.
Reason by_algorithm(const Communicator& communicator);

// The reason why a profile leaves a call plain; Reason::no_bound if settings would include it. Sets facts.kind if a
// rule may test it.
Reason reason_in_profile(Facts facts, MPI_Datatype type, const Communicator& communicator);
Reason reason_in_profile(const Call& call, const Communicator& communicator);

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
