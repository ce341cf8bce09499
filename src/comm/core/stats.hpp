// SPDX-License-Identifier: BSD-3-Clause
// Statistics of one call, and their sums over the calls on a communicator.
#pragma once

#include "laconic/laconic.h"

namespace laconic {

laconic_stats empty_stats();

// Adds one call to a total.
void accumulate(laconic_stats& total, const laconic_stats& call);

}  // namespace laconic
