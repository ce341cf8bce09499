// SPDX-License-Identifier: BSD-3-Clause
// Counts the heap allocations of a call.
#pragma once

namespace laconic::sweep {

// Starts or stops counting every allocation of this process; returns the count so far.
long count_allocations(bool on);

// False where something else has replaced malloc, as sanitizers do: nothing is counted then.
bool allocations_are_seen();

}  // namespace laconic::sweep
