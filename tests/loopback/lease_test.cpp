// SPDX-License-Identifier: BSD-3-Clause
// Memory for frames.  On a device what is leased is real, and pinned on the host, so it must not be more than what a
// call can use.
#include <gtest/gtest.h>

#include "device/devices.hpp"
#include "support/bench.hpp"
#include "support/seed.hpp"
#include "support/world.hpp"
#include "tune/chunk.hpp"
#include "tune/chunk_counts.hpp"

namespace laconic::test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr double little_more = 1.1;

// A message as MessageOperation makes it, with automatic chunks.
Operation message_of(std::size_t bytes, const Codec& codec) {
  Operation o;
  o.algorithm = find_algorithm(Collective::gather, "direct");
  o.codec = &codec;
  o.root = 1;
  o.counts = {bytes / sizeof(float), 0};
  o.chunk = ChunkCounts().next(0, bytes / sizeof(float), sizeof(float)).chunk;
  o.depth = default_depth;
  return o;
}

TEST(Lease, OfAMessageIsUsedByNumbersThatDoNotCompress) {
  for (const char* codec : {"quant", "raw"})
    for (const std::size_t bytes : {1 * mib, 16 * mib}) {
      const Operation o = message_of(bytes, *find_codec(codec));
      SCOPED_TRACE(to_text(o, 2));
      World world(2, 1, base_seed(), std::chrono::microseconds(0));
      Bench<float> bench(o, 2, Kind::random_bits, 1, &world);
      world.drive_in_turns(bench.works(world.next_sequence()));
      bench.check(world);
      // The sender may have sent a frame before it makes the next one; the receiver has room for all rows from the
      // start.
      const auto used = static_cast<double>(world.run(1).most_used());
      EXPECT_GE(used, static_cast<double>(bytes));
      for (const int rank : {0, 1})
        EXPECT_LE(static_cast<double>(world.run(rank).footprint()), little_more * used) << "rank " << rank;
    }
}

// Only sums can take more than the numbers do.
TEST(Lease, OfNumbersThatAreMovedIsTheirSize) {
  Status status;
  const bool device = open_device(0, status) != nullptr;
  for (const Site site : {Site::host, Site::staged, Site::direct}) {
    if (site != Site::host && !device) continue;
    for (const Algorithm& algorithm : all_algorithms())
      for (const int size : {2, 8}) {
        if (reduces(algorithm.collective) || !algorithm.fits(ranks_of(size))) continue;
        std::size_t leased[2];
        for (const bool compressed : {false, true}) {
          Operation o;
          o.algorithm = &algorithm;
          o.codec = find_codec(compressed ? "quant" : "raw");
          o.bound = 1e-3;
          o.count = (cuts_equally(o.collective()) ? 2 * mib : mib / 4) / sizeof(float);
          o.chunk = mib / 16 / sizeof(float);
          o.depth = default_depth;
          SCOPED_TRACE(to_text(o, size));
          World world(size, 1, base_seed(), std::chrono::microseconds(0), {}, site);
          Bench<float> bench(o, size, Kind::zero, 1);
          for (int r = 0; r < size; ++r) ASSERT_TRUE(world.run(r).reserve(bench.work(r, 0)).ok());
          leased[compressed] = world.footprint();
        }
        EXPECT_LE(static_cast<double>(leased[1]), little_more * static_cast<double>(leased[0]))
            << plain_name(algorithm) << " of " << size << ", " << name_of(site);
      }
  }
}

}  // namespace
}  // namespace laconic::test
