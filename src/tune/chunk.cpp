// SPDX-License-Identifier: BSD-3-Clause
#include "tune/chunk.hpp"

#include <algorithm>
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

std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth) {
  // Enough rows that one is always on the wire while another is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  const std::size_t width = size_of(dtype);
  return std::clamp(largest / rows + 1, usual_least_bytes / width, usual_bytes / width);
}

}  // namespace laconic
