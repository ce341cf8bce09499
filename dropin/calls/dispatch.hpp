// SPDX-License-Identifier: BSD-3-Clause
// A call handed to Laconic.
#pragma once

#include <laconic/laconic.h>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"

namespace laconic::dropin {

// Errors that Laconic finds meanwhile in this thread are returned, and not told to the communicator's handler.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  static bool here();

 private:
  bool before_;
};

// The options of a call on a communicator: its hints, and what an unmodified program needs. The rest Laconic takes from
// the environment, too.
laconic_options options_of(const Communicator& communicator, const Call& call, const NumberSides& numbers,
                           laconic_stats* stats);

// Calls Laconic's function of the call's form; `request` is for those that are not blocking.
int dispatch(const Call& call, NumberSides& numbers, const laconic_options& options, laconic_request* request);

// True for errors that all ranks have found before anything was sent: the call can still be left to MPI.
bool nothing_happened(int code);

// The message of an error of Laconic's in this thread.
std::string message_of(int code);

}  // namespace laconic::dropin
