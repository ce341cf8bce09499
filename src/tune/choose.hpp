// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm, chunk and depth.  Only facts that are the same on every rank may enter: ranks that decide
// differently wait for each other for ever.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// Where the ranks do not know how large a call is when they choose.
inline constexpr std::size_t unknown_bytes = static_cast<std::size_t>(-1);

// What a hop and a byte are taken to cost (schedule.hpp, Cost): those of a usual cluster network at usual ratios of
// compression.  A hop costs a message's latency and, as the pipeline has to be filled, a chunk's time on the wire.
struct Link {
  double seconds_per_hop = 50e-6;
  double seconds_per_byte = 1e-9;
};

double predicted_seconds(const Algorithm& algorithm, double bytes, int size, const Link& link = {});

// Whether `auto` takes it into account.
bool is_candidate(const Algorithm& algorithm, int size);

// bytes: of the whole data of the call, before compression.
const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size);

inline constexpr int default_depth = 4;

// Numbers per frame, for blocks of at most `largest`.
std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth);

}  // namespace laconic
