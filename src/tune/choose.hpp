// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm, chunk and depth.  It may depend only on facts that are the same on every rank: ranks that
// choose differently wait for each other forever.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// The size to pass if the ranks do not know the size of the call when they choose.
inline constexpr std::size_t unknown_bytes = static_cast<std::size_t>(-1);

// The assumed cost of a hop and of a byte (schedule.hpp, Cost), typical of a cluster network at typical compression
// ratios.  A hop costs a message's latency and, because the pipeline has to be filled, a chunk's time on the wire.
struct Link {
  double seconds_per_hop = 50e-6;
  double seconds_per_byte = 1e-9;
};

double predicted_seconds(const Algorithm& algorithm, double bytes, int size, const Link& link = {});

// Whether the algorithm choice `auto` considers this algorithm.
bool is_candidate(const Algorithm& algorithm, int size);

// bytes: the size of all the data of the call, before compression.
const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size);

inline constexpr int default_depth = 4;

// The numbers per frame, for blocks of at most `largest` numbers.
std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth);

}  // namespace laconic
