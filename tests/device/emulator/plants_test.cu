// SPDX-License-Identifier: BSD-3-Clause
// Known faults planted in a kernel must be found; a correct kernel must pass with every seed.
#include <functional>
#include <string>

#include "device/look_back.cuh"
#include "emulator/control.hpp"

namespace laconic {
namespace {

constexpr unsigned seeds = 200;
constexpr unsigned count = 70 * scan_threads - 5;  // more tiles than are ever resident at once

struct Verdict {
  unsigned wrong = 0;       // seeds with wrong sums, or with a kernel that hangs
  unsigned first_seed = 0;  // the first such seed
};

template <Plant plant>
Verdict try_seeds(unsigned most) {
  Verdict verdict;
  emulator::set_patience(1 << 18);
  for (unsigned seed = 1; seed <= seeds && verdict.wrong < most; ++seed) {
    emulator::set_seed(seed);
    const bool right = scans_are_right<plant>(seed, count, 2);
    const std::string fault = emulator::take_fault();
    if (right && fault.empty()) continue;
    if (++verdict.wrong == 1) verdict.first_seed = seed;
  }
  emulator::set_patience(emulator::patience_at_start);
  return verdict;
}

TEST(Plants, NothingIsWrongWithTheKernelThatIsRight) {
  const Verdict verdict = try_seeds<Plant::nothing>(1);
  EXPECT_EQ(verdict.wrong, 0u) << "seed " << verdict.first_seed;
}

TEST(Plants, MissingBarrierBeforeTotalsIsFound) { EXPECT_GT(try_seeds<Plant::no_barrier_before_totals>(1).wrong, 0u); }
TEST(Plants, MissingBarrierAfterTicketIsFound) { EXPECT_GT(try_seeds<Plant::no_barrier_after_ticket>(1).wrong, 0u); }
TEST(Plants, ShortWindowIsFound) { EXPECT_GT(try_seeds<Plant::short_window>(1).wrong, 0u); }
TEST(Plants, WindowWithoutItsLastIsFound) { EXPECT_GT(try_seeds<Plant::last_of_window>(1).wrong, 0u); }
TEST(Plants, IgnoredEpochIsFound) { EXPECT_GT(try_seeds<Plant::any_epoch>(1).wrong, 0u); }
TEST(Plants, TrustInTheOrderOfBlocksIsFound) { EXPECT_GT(try_seeds<Plant::block_for_ticket>(1).wrong, 0u); }

}  // namespace
}  // namespace laconic
