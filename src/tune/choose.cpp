#include "tune/choose.hpp"

#include <algorithm>
#include <limits>

namespace laconic {
namespace {

// Of the model in schedule.hpp (Cost), for a usual cluster network and usual ratios of compression.  A hop costs a
// message's latency and, as the pipeline has to be filled, a chunk's time on the wire.
constexpr double seconds_per_hop = 50e-6;
constexpr double seconds_per_byte = 1e-9;

// Bytes of a call whose size is not known: large, or compressing it would not pay.
constexpr double assumed_bytes = 64e6;

// Bytes of numbers in a frame: a few of these are in a core's second-level cache while they are coded.
constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t smallest_chunk = 4096;

// Everyone sends to everyone at once: the model knows no congestion, which is what that meets.  A root that sends to or
// gets from everyone has its own cable to itself.
bool congests(const Algorithm& a) {
  return a.name == "direct" && a.collective != Collective::scatter && a.collective != Collective::gather;
}

}  // namespace

const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size) {
  const Algorithm* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm& a : all_algorithms()) {
    if (a.collective != collective || !a.fits(size) || congests(a)) continue;
    const Cost cost = a.cost(size);
    const double data = bytes == unknown_bytes ? assumed_bytes : static_cast<double>(bytes);
    const double seconds = cost.hops * seconds_per_hop + cost.share * data * seconds_per_byte;
    if (seconds >= least) continue;
    least = seconds;
    best = &a;
  }
  return *best;
}

std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth) {
  // Enough rows that something is always on the wire while something else is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  return std::clamp(largest / rows + 1, smallest_chunk, chunk_bytes / size_of(dtype));
}

}  // namespace laconic
