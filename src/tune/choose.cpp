// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choose.hpp"

#include <algorithm>
#include <limits>

namespace laconic {
namespace {

// The assumed size of a call whose size is not known.  It is large, because compressing a small call would not pay.
constexpr double assumed_bytes = 64e6;

// Bytes of numbers in a frame.  A few chunks of this size fit in a core's second-level cache while they are coded.
constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t smallest_chunk = 4096;

// Whether all ranks send to all ranks at once.  This causes congestion, which the model does not cover.  Scatter and
// gather are exempt: the root has its own link to itself.  So are exchanges with neighbors, which are few.
bool congests(const Algorithm& a) {
  const CollectiveTraits& t = traits_of(a.collective);
  const bool only_root_sends_or_receives = !t.reduces && t.rooted() && !t.one_buffer();
  return a.id == AlgorithmName::direct && !only_root_sends_or_receives && !t.neighborhood();
}

}  // namespace

double predicted_seconds(const Algorithm& algorithm, double bytes, int size, const Link& link) {
  const Cost cost = algorithm.cost(size);
  return cost.hops * link.seconds_per_hop + cost.share * bytes * link.seconds_per_byte;
}

bool is_candidate(const Algorithm& algorithm, int size) { return algorithm.fits(size) && !congests(algorithm); }

const Algorithm& choose_algorithm(Collective collective, std::size_t bytes, int size) {
  const Algorithm* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm& a : all_algorithms()) {
    if (a.collective != collective || !is_candidate(a, size)) continue;
    const double data = bytes == unknown_bytes ? assumed_bytes : static_cast<double>(bytes);
    const double seconds = predicted_seconds(a, data, size);
    if (seconds >= least) continue;
    least = seconds;
    best = &a;
  }
  return *best;
}

std::size_t choose_chunk(std::size_t largest, Dtype dtype, int depth) {
  // Enough rows that one is always on the wire while another is coded.
  const std::size_t rows = 2 * static_cast<std::size_t>(depth);
  return std::clamp(largest / rows + 1, smallest_chunk, chunk_bytes / size_of(dtype));
}

}  // namespace laconic
