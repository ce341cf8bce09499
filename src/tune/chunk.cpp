// SPDX-License-Identifier: BSD-3-Clause
#include "tune/chunk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace laconic {
namespace {

// Bytes of numbers in a frame.  A few chunks of the usual size fit in a core's second-level cache while they are coded.
// Larger ones are faster where a message costs much.  A row costs 3 microseconds within a node and 15 between nodes
// (allreduce of 1 MiB, two ranks, 25 Gbit/s), as long as a core codes some ten KiB.
constexpr std::size_t greatest_bytes = 512 * 1024;
constexpr std::size_t usual_bytes = 256 * 1024;
constexpr std::size_t usual_least_bytes = 128 * 1024;
constexpr double least_bytes = 16 * 1024;
constexpr int most_row_counts = 4;

// Numbers of all frames in a message.  The frames of a message are coded before it leaves, and decoded after it has
// arrived, so in a larger message the wire waits for the cores, and the cores for the wire
// (docs/design/0028-messages-of-several-frames.md has measurements).
constexpr std::size_t numbers_per_message = 32 * 1024;
// However few numbers a frame has, its header and its seal take as much memory as so many.
constexpr std::size_t least_numbers = 32;

}  // namespace

std::size_t host_chunk_of(std::size_t largest, int rows, Dtype dtype) {
  return std::min(chunk_of(largest, rows), greatest_bytes / size_of(dtype));
}

std::vector<int> row_counts(double block_bytes) {
  constexpr double most_rows = 1e6;
  double rows = std::clamp(std::ceil(block_bytes / greatest_bytes), 1.0, most_rows);
  std::vector<int> counts{static_cast<int>(rows)};
  while (counts.size() < most_row_counts && (rows *= 2) * least_bytes <= block_bytes && rows <= most_rows)
    counts.push_back(static_cast<int>(rows));
  return counts;
}

std::uint32_t blocks_per_message(std::size_t chunk) {
  const std::size_t blocks = numbers_per_message / std::max(chunk, least_numbers);
  return static_cast<std::uint32_t>(std::bit_floor(std::max<std::size_t>(blocks, 1)));
}

std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth) {
  // Enough rows that one is always on the wire while another is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  const std::size_t width = size_of(dtype);
  return std::clamp(largest / rows + 1, usual_least_bytes / width, usual_bytes / width);
}

}  // namespace laconic
