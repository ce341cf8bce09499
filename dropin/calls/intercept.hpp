// SPDX-License-Identifier: BSD-3-Clause
// Handles a watched call: decides whether it is compressed, then passes it to Laconic or to MPI.
#pragma once

#include "calls/call.hpp"

namespace laconic::dropin {

// Returns the error code for the program's call.
int intercept(const Call& call, Plain plain);

}  // namespace laconic::dropin
