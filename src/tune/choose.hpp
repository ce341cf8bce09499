// Which algorithm, chunk and depth.  Only facts that are the same on every rank may enter: ranks that decide
// differently wait for each other for ever.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"
#include "schedule/schedule.hpp"

namespace laconic {

// Where the ranks do not know how large a call is when they choose.
inline constexpr std::size_t unknown_bytes = static_cast<std::size_t>(-1);

// bytes: of the whole data of the call, before compression.
const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size);

inline constexpr int default_depth = 4;

// Numbers per frame, for blocks of at most `largest`.
std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth);

}  // namespace laconic
