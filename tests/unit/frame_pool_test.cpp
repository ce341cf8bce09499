// The pool of frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "device/host/host_device.hpp"
#include "engine/frame_pool.hpp"

namespace laconic::test {
namespace {

TEST(FramePool, HandsOutEachSlotToOneHolder) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(100, 0));
  std::set<int> slots;
  std::set<std::byte*> places;
  for (int k = 0; k < 50; ++k) {
    const int slot = pool.acquire();
    ASSERT_NE(slot, FramePool::none);
    EXPECT_TRUE(slots.insert(slot).second);
    EXPECT_TRUE(places.insert(pool.at(slot).wire.data()).second);
    EXPECT_EQ(pool.at(slot).wire.size(), 100u);
    EXPECT_TRUE(pool.at(slot).frame().empty()) << "a new slot holds a frame";
    std::fill(pool.at(slot).wire.begin(), pool.at(slot).wire.end(), std::byte{1});
  }
  EXPECT_EQ(pool.footprint(), 5000u);
}

TEST(FramePool, ReusesASlotOnlyWhenNobodyHoldsIt) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(64, 0));
  const int a = pool.acquire();
  pool.arrived(a, 10);
  EXPECT_EQ(pool.at(a).frame().size(), 10u);
  pool.hold(a);
  pool.release(a);
  const int b = pool.acquire();
  EXPECT_NE(a, b);
  pool.release(a);
  EXPECT_EQ(pool.acquire(), a);
  EXPECT_EQ(pool.at(a).frame().size(), 0u) << "the frame of the previous holder is still there";
  EXPECT_EQ(pool.footprint(), 128u);
}

TEST(FramePool, GrowsWhenItMustAndNeverShrinks) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(64, 0));
  const int a = pool.acquire();
  pool.release(a);
  ASSERT_TRUE(pool.prepare(32, 0));
  EXPECT_EQ(pool.at(pool.acquire()).wire.size(), 64u);
  EXPECT_EQ(pool.footprint(), 64u);
  pool.release(a);
  ASSERT_TRUE(pool.prepare(1000, 0));
  EXPECT_EQ(pool.footprint(), 0u);
  EXPECT_EQ(pool.at(pool.acquire()).wire.size(), 1000u);
}

TEST(FramePool, LeasesInAdvance) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(64, 5));
  EXPECT_EQ(pool.footprint(), 5 * 64u);
  for (int k = 0; k < 5; ++k) pool.acquire();
  EXPECT_EQ(pool.footprint(), 5 * 64u);
}

TEST(FramePool, WithoutMemoryHandsOutNone) {
  HostDevice device(1);
  FramePool pool(device);
  EXPECT_FALSE(pool.prepare(std::size_t{1} << 60, 1));
  EXPECT_EQ(pool.acquire(), FramePool::none);
  EXPECT_EQ(pool.footprint(), 0u);
}

}  // namespace
}  // namespace laconic::test
