// SPDX-License-Identifier: BSD-3-Clause
// The numbers per frame, and the rows under way at a time, where the user asks for none.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"

namespace laconic {

inline constexpr int default_depth = 4;

// The numbers per frame, for blocks of at most `largest` numbers.  It is the same on every rank that has the same
// arguments.
std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth);

}  // namespace laconic
