// SPDX-License-Identifier: BSD-3-Clause
// The model of the engine on hosts: messages wait for their receives, and ranks for their messages.
#include <gtest/gtest.h>

#include <string>

#include "tune/hops.hpp"
#include "tune/walk.hpp"

namespace laconic::test {
namespace {

Coder free_coder() {
  Coder nothing;
  for (const Kernel kernel : all_kernels) nothing[kernel] = Curve::modelled(0, 1e300, "");
  return nothing;
}

// Bytes in units of the data, so that a row of one of n blocks has 1 / n.
double seconds(Collective collective, const std::string& name, int size, const Path& path, int rows = 1) {
  Journey journey{1, size, 0, Travel::homomorphic, 1, rows};
  journey.in_order = true;
  return time_of(*find_algorithm(collective, name), journey, free_coder(), path)->seconds;
}

Path with(double latency, double rate, double eager_bytes) {
  Path path{latency, rate, 0};
  path.eager_bytes = eager_bytes;
  return path;
}

// The root sends each block to its owner, and all of them along the ring.  An owner posts the receive of its block when
// most of those before have come along the ring, so the root waits for a whole round again and again, unless MPI takes
// its messages at once.
TEST(HostWalk, OnlyLargeMessagesWaitForTheirReceives) {
  for (const int size : {4, 8, 16, 32}) {
    EXPECT_NEAR(seconds(Collective::bcast, "ring", size, with(1, 1e300, 1)), size - 1, 1e-9);
    EXPECT_GT(seconds(Collective::bcast, "ring", size, with(1, 1e300, 0)), size * size / 6.0);
  }
  // The limit is the size of a message.
  const Path just = with(1, 1e300, 0.125), less = with(1, 1e300, 0.124);
  EXPECT_LT(seconds(Collective::bcast, "ring", 8, just), seconds(Collective::bcast, "ring", 8, less));
}

// Two messages of a rank may be under way: the root of a scatter sends the third when one of the first has arrived.
TEST(HostWalk, ARankGoesOnWhenFewMessagesAreUnderWay) {
  for (int size = 2; size < 9; ++size) {
    const int pairs = (size - 1 + 1) / 2;
    EXPECT_NEAR(seconds(Collective::scatter, "direct", size, with(1, 1e300, 0)), pairs, 1e-9) << size;
    EXPECT_NEAR(seconds(Collective::scatter, "direct", size, with(1, 1e300, 1)), 1, 1e-9) << size;
  }
}

// Few rows fit into the time in which the others of the ring wait.
TEST(HostWalk, ManyRowsTakeAtLeastTheTimeOfTheirBytes) {
  for (const int rows : {100, 1000, 10000})
    EXPECT_GE(seconds(Collective::bcast, "ring", 16, with(1e-5, 1, 0), rows), 1.0) << rows;
}

}  // namespace
}  // namespace laconic::test
