// SPDX-License-Identifier: BSD-3-Clause
// The order of operations on one transport.
#include "engine/sequencer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

TEST(Sequencer, AreNumberedFromZero) {
  Sequencer turns(3);
  for (std::uint64_t k = 0; k < 10; ++k) EXPECT_EQ(turns.take(), k);
}

TEST(Sequencer, BeginInTheOrderInWhichTheyWereTaken) {
  Sequencer turns(8);
  for (int k = 0; k < 4; ++k) turns.take();
  EXPECT_TRUE(turns.reached(0));
  EXPECT_FALSE(turns.reached(1)) << "0 has not begun";
  turns.begin();
  EXPECT_FALSE(turns.reached(0)) << "it has begun already";
  EXPECT_TRUE(turns.reached(1));
  EXPECT_FALSE(turns.reached(2));
}

TEST(Sequencer, OnlySoManyAreUnderWay) {
  Sequencer turns(2);
  for (int k = 0; k < 5; ++k) turns.take();
  turns.begin();
  turns.begin();
  EXPECT_FALSE(turns.reached(2));
  turns.finish(0);
  EXPECT_TRUE(turns.reached(2));
  turns.begin();
  EXPECT_FALSE(turns.reached(3));
}

// Ranks may finish operations in different orders. Admission must not depend on that order; otherwise the oldest
// operation of one rank could wait for one that another rank has not admitted.
TEST(Sequencer, TheOldestHoldsBackThoseThatAreTooFarAhead) {
  Sequencer turns(3);
  for (int k = 0; k < 6; ++k) turns.take();
  for (int k = 0; k < 3; ++k) turns.begin();
  turns.finish(2);
  turns.finish(1);
  EXPECT_FALSE(turns.reached(3)) << "only 0 is under way, but 3 is too far ahead of it";
  turns.finish(0);
  EXPECT_TRUE(turns.reached(3));
  for (int k = 3; k < 6; ++k) {
    EXPECT_TRUE(turns.reached(static_cast<std::uint64_t>(k)));
    turns.begin();
  }
}

TEST(Sequencer, OneAtATime) {
  Sequencer turns(1);
  for (std::uint64_t k = 0; k < 5; ++k) {
    EXPECT_EQ(turns.take(), k);
    EXPECT_TRUE(turns.reached(k));
    turns.begin();
    EXPECT_FALSE(turns.reached(k + 1));
    turns.finish(k);
  }
}

// The Sequencer, compared with a model that remembers everything.
TEST(Sequencer, FinishedInAnyOrder) {
  Random random(base_seed());
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::uint64_t limit = 1 + random.below(10);
    Sequencer turns(limit);
    std::vector<std::uint64_t> taken;  // operations not begun yet
    std::vector<std::uint64_t> under_way;
    std::uint64_t next = 0;
    std::uint64_t begun = 0;
    constexpr std::uint64_t all = 200;
    while (begun < all || !under_way.empty()) {
      const std::uint64_t oldest = under_way.empty() ? begun : *std::min_element(under_way.begin(), under_way.end());
      for (std::uint64_t t = 0; t < next; ++t) ASSERT_EQ(turns.reached(t), t == begun && t < oldest + limit) << t;
      ASSERT_LE(under_way.size(), limit);
      const std::uint64_t what = random.below(3);
      if (what == 0 && next < all) {
        ASSERT_EQ(turns.take(), next);
        ++next;
      } else if (what == 1 && begun < next && turns.reached(begun)) {
        turns.begin();
        under_way.push_back(begun++);
      } else if (what == 2 && !under_way.empty()) {
        const auto which = static_cast<std::ptrdiff_t>(random.below(under_way.size()));
        turns.finish(under_way[static_cast<std::size_t>(which)]);
        under_way.erase(under_way.begin() + which);
      }
    }
  }
}

}  // namespace
}  // namespace laconic::test
