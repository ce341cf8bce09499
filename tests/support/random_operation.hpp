// SPDX-License-Identifier: BSD-3-Clause
// Random operations: realistic ones, and some that no user would ask for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "support/operation.hpp"
#include "support/seed.hpp"

namespace laconic::test {

// Chooses everything but the algorithm, the codec and the way to travel.
inline void choose(Operation& o, int size, Random& random) {
  const auto p = static_cast<std::size_t>(size);
  const Schedule schedule = o.algorithm->build(place_at(0, size));
  const auto blocks = static_cast<std::size_t>(schedule.blocks);
  // The count of all numbers, or of all blocks together.
  const std::array<std::size_t, 10> counts{0, 1, p - 1, p, p + 1, 17, 300, blocks * 1025, 700, 4099};
  constexpr std::array<std::size_t, 6> chunks{1, 7, 64, 500, 1024, 100000};
  constexpr std::array<int, 5> depths{1, 2, 3, 8, 1000};
  constexpr std::array<double, 6> bounds{1e-2, 1e-1, 1e-4, 0, 1e-41, 10};
  o.root = static_cast<int>(random.below(p));
  o.op = static_cast<Op>(random.below(3));
  o.mean = has_mean(o) && o.op == Op::sum && random.below(2) == 0;
  if (!o.reduction()) o.op = Op::sum;
  o.count = std::min<std::size_t>(counts[random.below(counts.size())], 20000);
  if (!cuts_equally(o.collective())) {
    o.count = o.count / (blocks > 40 ? blocks / 4 : 1) % 3000;
    if (random.below(2) == 0) o.counts = uneven_counts(blocks, o.count, random);
  }
  o.chunk = chunks[random.below(chunks.size())];
  // Rows take the most test time.
  const std::size_t largest = cuts_equally(o.collective()) ? o.count / blocks : 2 * o.count;
  o.chunk = std::max(o.chunk, largest / (slow_build ? 10 : 40));
  o.depth = depths[random.below(depths.size())];
  o.bound = bounds[random.below(bounds.size())];
  if (random.below(4) == 0) o.target = random.below(2) == 0 ? BoundTarget::input : BoundTarget::likely;
  o.most = any_most(random);
  o.in_place = random.below(3) == 0;
}

}  // namespace laconic::test
