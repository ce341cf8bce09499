// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "engine/plan.hpp"
#include "schedule/audit.hpp"
#include "support/seed.hpp"
#include "tune/choose.hpp"
#include "tune/chunk.hpp"

namespace laconic::test {
namespace {

constexpr std::array<std::size_t, 7> amounts{
    0, 1, 4000, std::size_t{1} << 22, std::size_t{1} << 26, 1ull << 35, unknown_bytes};

TEST(Choice, OfAlgorithmServesTheCollectiveAndTheSize) {
  for (const Collective c : all_collectives)
    for (const int size : {1, 2, 3, 4, 7, 8, 9, 31, 64, 65, 130, 1 << 20}) {
      if (test::sanitized && size > 31) break;  // they take a minute
      for (const std::size_t bytes : amounts) {
        const Algorithm& algorithm = choose_algorithm(c, bytes, size);
        ASSERT_EQ(algorithm.collective, c);
        ASSERT_TRUE(algorithm.fits(size)) << algorithm.name() << " of " << size;
        ASSERT_EQ(&algorithm, find_algorithm(c, algorithm.name()));
        ASSERT_EQ(&algorithm, &choose_algorithm(c, bytes, size)) << "ranks would disagree";
      }
    }
}

Cost cost_of(const Algorithm& algorithm, int size) { return audit(algorithm, size).cost; }

TEST(Choice, OfAlgorithmDependsOnTheBytes) {
  EXPECT_EQ(choose_algorithm(Collective::allreduce, 4000, 64).name(), "recursive-doubling");
  EXPECT_EQ(choose_algorithm(Collective::reduce, 4000, 64).name(), "binomial");
  EXPECT_EQ(choose_algorithm(Collective::bcast, 4000, 64).name(), "binomial");
  for (const Collective c : {Collective::allreduce, Collective::reduce, Collective::bcast}) {
    const Cost small = cost_of(choose_algorithm(c, 4000, 64), 64);
    const Cost large = cost_of(choose_algorithm(c, std::size_t{1} << 28, 64), 64);
    EXPECT_LT(small.hops, large.hops) << name_of(c);
    EXPECT_GT(small.share, large.share) << name_of(c);
    EXPECT_EQ(&choose_algorithm(c, unknown_bytes, 64), &choose_algorithm(c, 64000000, 64)) << name_of(c);
  }
}

// On a slow network, with more bytes the fastest never moves from an algorithm that sends less to one that sends more.
TEST(Candidates, SendLessTheMoreThereIs) {
  Path slow = path_between_nodes();
  slow.bytes_per_second = 1e7;
  slow.congestion = 0;
  for (const Collective c : all_collectives)
    for (const int size : {2, 3, 7, 8, 33, 64}) {
      if (test::sanitized && size > 7) break;
      double share = 1e300;
      for (std::size_t bytes = 1; bytes < std::size_t{1} << 40; bytes *= 16) {
        const auto all = candidates(model_of(c, bytes, size), assumed_cost(), slow);
        ASSERT_FALSE(all.empty());
        const double next = cost_of(*all[0].algorithm, size).share;
        EXPECT_LE(next, share + 1e-9) << name_of(c) << " of " << size << ", " << bytes << " bytes";
        share = next;
      }
    }
}

// The chunk is never empty, never so large that little overlaps, and never so large that its size overflows.
TEST(Choice, OfChunkIsReasonable) {
  for (const Dtype dtype : all_dtypes)
    for (const std::size_t largest : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20,
                                      std::size_t{1} << 30, std::size_t{1} << 40})
      for (const int depth : {1, default_depth, 64, 1000}) {
        const std::size_t chunk = choose_chunk(largest, dtype, depth);
        EXPECT_GE(chunk, 1024u);
        EXPECT_LE(chunk * size_of(dtype), std::size_t{1} << 20);
        EXPECT_EQ(chunk, choose_chunk(largest, dtype, depth));
        // Large blocks are cut into enough rows to keep every lane busy.
        if (largest >= chunk * static_cast<std::size_t>(depth) * 2) {
          EXPECT_GE((largest + chunk - 1) / chunk, static_cast<std::size_t>(depth));
        }
      }
}

}  // namespace
}  // namespace laconic::test
