// SPDX-License-Identifier: BSD-3-Clause
// After warm-up, an operation allocates nothing.
#include <gtest/gtest.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include "support/bench.hpp"
#include "support/counted_new.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"

namespace laconic::test {
namespace {

void repeat(World& world, std::vector<Work>& works) {
  const std::uint64_t sequence = world.next_sequence();
  for (Work& work : works) work.sequence = sequence;
  world.drive_in_turns(works);
}

class Allocation : public ::testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Loopback, Allocation, ::testing::Range(std::size_t{0}, all_algorithms().size()),
                         [](const auto& i) { return plain_name(all_algorithms()[i.param]); });

TEST_P(Allocation, NothingIsAllocatedOnceWarm) {
  const Algorithm& algorithm = all_algorithms()[GetParam()];
  for (const Codec* codec : all_codecs())
    for (const bool per_hop : {false, true})
      for (const int size : {1, 2, 3, 4, 8}) {
        if (!algorithm.fits(ranks_of(size))) continue;
        World world(size, 1, base_seed(), std::chrono::microseconds(0));
        Operation o;
        o.algorithm = &algorithm;
        o.codec = codec;
        o.per_hop = per_hop;
        o.root = size / 2;
        o.bound = 1e-2;
        o.count = cuts_equally(o.collective()) ? 4500 : 700;
        o.chunk = 150;
        o.depth = 3;
        o.most = size == 3 ? 2 : size == 4 ? 1 : all_blocks;
        SCOPED_TRACE(to_text(o, size));
        Bench<float> bench(o, size, Kind::special, 1);
        auto works = bench.works(0);
        o.count = 100;
        Bench<float> smaller(o, size, Kind::special, 1);
        auto smaller_works = smaller.works(0);
        for (int warm = 0; warm < 2; ++warm) repeat(world, works);
        const std::size_t leased = world.footprint();
        const long allocations = counted_new::during([&] {
          for (int k = 0; k < 3; ++k) repeat(world, works);
          repeat(world, smaller_works);
          repeat(world, works);
        });
        EXPECT_EQ(allocations, 0);
        EXPECT_EQ(world.footprint(), leased);
        bench.check(world);
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace laconic::test

#endif
