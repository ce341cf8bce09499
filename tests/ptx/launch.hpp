// SPDX-License-Identifier: BSD-3-Clause
// Runs the blocks of a launch: some at a time, in random order, a few instructions of one warp after those of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/warp.hpp"

namespace laconic::ptx {

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 1;
  std::uint64_t seed = 0;
  std::uint64_t patience = 0;  // most instructions in a row that read words of other blocks, without a write
  // One block after the other, in the order of their numbers, and no warp is interrupted: what is executed does not
  // depend on the seed.
  bool calm = false;
};

// Returns a fault, or nothing, and adds to `executed` what all warps have executed.
std::string run(const Kernel& kernel, const std::vector<std::byte>& parameters, const Grid& grid, Accesses& accesses,
                std::uint64_t& executed);

}  // namespace laconic::ptx
