// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm where nothing is measured: by the model of candidates.hpp, with an assumed codec and network.
// It may depend only on facts that are the same on every rank: ranks that choose differently wait for each other
// forever.
#pragma once

#include <cstddef>

#include "schedule/schedule.hpp"
#include "tune/candidates.hpp"

namespace laconic {

// The size to pass if the ranks do not know the size of the call when they choose.
inline constexpr std::size_t unknown_bytes = static_cast<std::size_t>(-1);

// The call as the model sees it: sizes are rounded up to a power of two.  bytes: the size of all the data of the call,
// before compression.
CallModel model_of(Collective collective, std::size_t bytes, int size, Travel travel = Travel::homomorphic);

// An algorithm for so many ranks, without a walk along plans: for what hardly depends on the algorithm.
const Algorithm& any_algorithm(Collective collective, int size);

// The first of the candidates with assumed_cost() and path_between_nodes().  Where ranks are too many for a quick
// walk, that of fewer ranks.  The choices are remembered for the process.  Thread-safe.
const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size,
                                  Travel travel = Travel::homomorphic);

}  // namespace laconic
