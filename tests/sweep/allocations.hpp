// SPDX-License-Identifier: BSD-3-Clause
// Counts what a call takes from the heap.
#pragma once

namespace laconic::sweep {

// From now on, or no longer, every allocation of this process counts; returns how many there have been so far.
long count_allocations(bool on);

// False where something else has taken the place of malloc, as sanitizers do: then nothing is ever counted.
bool allocations_are_seen();

}  // namespace laconic::sweep
