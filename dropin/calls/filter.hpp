// SPDX-License-Identifier: BSD-3-Clause
// Whether a call may be touched. What is found out here comes out the same on all ranks of the call, or is agreed on.
#pragma once

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

struct Decision {
  Reason reason = Reason::touched;
  Communicator* communicator = nullptr;  // where it was found
  bool agree = false;                    // this rank's answer may not be that of the others
  std::uint64_t bytes = 0;               // of the largest buffer of the call, where every rank knows it
};

// Whether such numbers may be touched on a communicator at all, whatever the rules say.
Reason fits(const Communicator& communicator, Kind kind);

// Whether any communicator compresses buffers of this size.  To be asked before anything that takes time.
Reason by_size(std::uint64_t bytes);

// From what every rank knows alike, looking no further than it must.
Decision filter(const Call& call);

// What this rank finds: layouts, memory, rules by name. Sets the sides and takes what it contributes.
Reason filter_alone(const Call& call, const Decision& decision, NumberSides& numbers);

// The ranks come to one answer: collective over the communicator of a blocking call.
Reason agree(const Call& call, Communicator& communicator, Reason mine, const NumberSides& numbers);

}  // namespace laconic::dropin
