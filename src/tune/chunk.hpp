// SPDX-License-Identifier: BSD-3-Clause
// The numbers per frame, and the rows under way at a time, where the user asks for none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/dtype.hpp"

namespace laconic {

inline constexpr int default_depth = 4;

// The numbers per frame that cut blocks of at most `largest` numbers into `rows` rows.
constexpr std::size_t chunk_of(std::size_t largest, int rows) {
  const auto n = static_cast<std::size_t>(rows);
  return largest < n ? 1 : (largest + n - 1) / n;
}

// The same for numbers on hosts.  There are more rows where chunks would be so large that they do not fit in the caches
// while they are coded.
std::size_t host_chunk_of(std::size_t largest, int rows, Dtype dtype);

// The numbers of rows among which the model chooses for blocks of so many bytes: the fewest that host_chunk_of() makes,
// and 2, 4, 8, ... times as many, as long as chunks are large enough to be worth a message of their own.
std::vector<int> row_counts(double block_bytes);

// The most blocks whose frames share a message, for frames of at most `chunk` numbers (join()): a power of two, so that
// there are few plans.  It does not depend on the type of the numbers, which may differ between ranks.
std::uint32_t blocks_per_message(std::size_t chunk);

// The numbers per frame where neither the user nor the model has chosen, for blocks of at most `largest` numbers.  It
// is the same on every rank that has the same arguments.
std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth);

}  // namespace laconic
