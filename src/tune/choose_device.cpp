// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choose_device.hpp"

#include <utility>

#include "tune/choose.hpp"
#include "tune/chunk.hpp"

namespace laconic {

std::optional<DeviceChoice> best_rows(const Algorithm& algorithm, Journey journey, const Coder& coder,
                                      const Path& path) {
  std::optional<DeviceChoice> best;
  const auto find = [&] {
    return Hops::find(algorithm, {journey.size, journey.nodes}, journey.root, journey.travel, true,
                      journey.blocks_per_message);
  };
  auto hops = find();
  for (const int rows : device_row_counts) {
    if (!hops) break;
    journey.rows = rows;
    const double block = journey.bytes / num_parts(algorithm.collective, hops->plan(0).cut, journey.size);
    const std::uint32_t most = blocks_per_message(static_cast<std::size_t>(block / size_of(Dtype::f32) / rows));
    if (std::exchange(journey.blocks_per_message, most) != most) hops = find();
    if (!hops) break;
    const auto timing = time_of(algorithm.collective, *hops, journey, coder, path);
    if (timing && (!best || timing->seconds < best->timing->seconds)) best = {&algorithm, rows, timing};
  }
  return best;
}

DeviceChoice choose_on_device(Collective collective, const Journey& journey, const Coder& coder, const Path& path) {
  std::optional<DeviceChoice> best;
  for (const Algorithm& a : all_algorithms()) {
    if (a.collective != collective || !a.fits(journey.size)) continue;
    const auto choice = best_rows(a, journey, coder, path);
    if (choice && (!best || choice->timing->seconds < best->timing->seconds)) best = choice;
  }
  if (best) return *best;
  return {&choose_algorithm(collective, static_cast<std::size_t>(journey.bytes), journey.size, journey.travel), 1, {}};
}

}  // namespace laconic
