// SPDX-License-Identifier: BSD-3-Clause
#include "tune/chunk.hpp"

#include <algorithm>

namespace laconic {
namespace {

// Bytes of numbers in a frame.  A few chunks of this size fit in a core's second-level cache while they are coded.
constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t smallest_chunk = 4096;

}  // namespace

std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth) {
  // Enough rows that one is always on the wire while another is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  return std::clamp(largest / rows + 1, smallest_chunk, chunk_bytes / size_of(dtype));
}

}  // namespace laconic
