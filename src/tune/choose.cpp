#include "tune/choose.hpp"

#include <algorithm>

namespace laconic {
namespace {

// Below this many bytes per block the ring's 2 (size-1) steps cost more than the bytes that it saves against
// recursive doubling.
constexpr std::size_t ring_block_bytes = 32 * 1024;

// Bytes of numbers in a frame: a few of these are in a core's second-level cache while they are coded.
constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t smallest_chunk = 4096;

}  // namespace

const Algorithm& choose_allreduce(const Facts& facts) {
  static const Algorithm& ring = *find_algorithm("ring");
  static const Algorithm& doubling = *find_algorithm("recursive-doubling");
  const std::size_t bytes = facts.count * size_of(facts.dtype);
  return bytes / static_cast<std::size_t>(std::max(facts.size, 1)) >= ring_block_bytes ? ring : doubling;
}

std::size_t choose_chunk(const Facts& facts, std::int32_t blocks, int depth) {
  const std::size_t block = facts.count / static_cast<std::size_t>(blocks) + 1;
  // Enough rows that something is always on the wire while something else is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  return std::clamp(block / rows + 1, smallest_chunk, chunk_bytes / size_of(facts.dtype));
}

}  // namespace laconic
