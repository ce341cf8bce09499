// SPDX-License-Identifier: BSD-3-Clause
// The scan of tests/device, as nvcc compiles it: right with every seed, and each of its known faults is found.
#include <string>

#include "device/look_back.cuh"
#include "ptx/control.hpp"

namespace laconic {
namespace {

constexpr unsigned count = 70 * scan_threads - 5;  // more tiles than are ever resident at once
constexpr unsigned seeds = 50;

// The first seed with wrong sums or a fault, or 0.
template <Plant plant>
unsigned first_wrong() {
  unsigned found = 0;
  ptx::set_patience(1 << 20);
  for (unsigned seed = 1; seed <= seeds && found == 0; ++seed) {
    ptx::set_seed(seed);
    const bool right = scans_are_right<plant>(seed, count, 2);
    if (!ptx::take_fault().empty() || !right) found = seed;
  }
  ptx::set_patience(0);
  return found;
}

TEST(PtxScan, NothingIsWrongWithTheKernelThatIsRight) { EXPECT_EQ(first_wrong<Plant::nothing>(), 0u) << "seed"; }
TEST(PtxScan, MissingBarrierBeforeTotalsIsFound) { EXPECT_NE(first_wrong<Plant::no_barrier_before_totals>(), 0u); }
TEST(PtxScan, MissingBarrierAfterTicketIsFound) { EXPECT_NE(first_wrong<Plant::no_barrier_after_ticket>(), 0u); }
TEST(PtxScan, ShortWindowIsFound) { EXPECT_NE(first_wrong<Plant::short_window>(), 0u); }
TEST(PtxScan, WindowWithoutItsLastIsFound) { EXPECT_NE(first_wrong<Plant::last_of_window>(), 0u); }
TEST(PtxScan, IgnoredEpochIsFound) { EXPECT_NE(first_wrong<Plant::any_epoch>(), 0u); }
TEST(PtxScan, TrustInTheOrderOfBlocksIsFound) { EXPECT_NE(first_wrong<Plant::block_for_ticket>(), 0u); }

}  // namespace
}  // namespace laconic
