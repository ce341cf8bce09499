// SPDX-License-Identifier: BSD-3-Clause
// The way of a call that may be touched: judged, then handed to Laconic or to MPI.
#pragma once

#include "calls/call.hpp"

namespace laconic::dropin {

// Returns what the program's call returns.
int intercept(const Call& call, Plain plain);

}  // namespace laconic::dropin
