// SPDX-License-Identifier: BSD-3-Clause
// Execution of a call by the Laconic library.
#pragma once

#include <laconic/laconic.h>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"
#include "report/tally.hpp"

namespace laconic::dropin {

// While an object of this class exists, errors of Laconic in this thread are only returned; the communicator's error
// handler is not called.
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

// The options of a call on a communicator: its hints, and values that an unmodified program needs. Laconic takes all
// other options from the environment.
laconic_options options_of(const Communicator& communicator, const Call& call, const NumberSides& numbers,
                           laconic_stats* stats);

// Calls Laconic's function for the operation in the form of the call. `request` is used only by nonblocking and
// persistent forms. With a reason in `options.plain`, the buffers are those of the program.
int dispatch(const Call& call, NumberSides& numbers, const laconic_options& options, laconic_request* request);

// A reason of the drop-in as a reason of Laconic's caller, and a reason of Laconic as one of the drop-in.
laconic_plain_reason in_laconic(Reason reason);
Reason reason_of(laconic_plain_reason reason);

// True for errors that all ranks detect before anything is sent: the call can still be left to MPI.
bool nothing_happened(int code);

// The text of an error that Laconic returned in this thread.
std::string message_of(int code);

}  // namespace laconic::dropin
