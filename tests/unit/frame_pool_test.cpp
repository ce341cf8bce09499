// SPDX-License-Identifier: BSD-3-Clause
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
  ASSERT_TRUE(pool.prepare(1024, 50));
  std::set<int> slots;
  std::set<std::byte*> places;
  for (int k = 0; k < 50; ++k) {
    const int slot = pool.acquire();
    ASSERT_NE(slot, FramePool::none);
    EXPECT_TRUE(slots.insert(slot).second);
    EXPECT_TRUE(places.insert(pool.at(slot).wire.data()).second);
    EXPECT_EQ(pool.at(slot).wire.size(), 1024u);
    EXPECT_TRUE(pool.at(slot).frame().empty()) << "a new slot holds a frame";
    std::fill(pool.at(slot).wire.begin(), pool.at(slot).wire.end(), static_cast<std::byte>(slot));
  }
  for (const int slot : slots)
    EXPECT_EQ(std::count(pool.at(slot).wire.begin(), pool.at(slot).wire.end(), static_cast<std::byte>(slot)), 1024)
        << "two slots share memory";
  EXPECT_EQ(pool.acquire(), FramePool::none) << "more than were prepared";
  EXPECT_EQ(pool.footprint(), 50 * 1024u);
}

TEST(FramePool, ReusesASlotOnlyWhenNobodyHoldsIt) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(256, 2));
  const int a = pool.acquire();
  pool.arrived(a, 10, false);
  EXPECT_EQ(pool.at(a).frame().size(), 10u);
  pool.hold(a);
  pool.release(a);
  const int b = pool.acquire();
  EXPECT_NE(a, b);
  pool.release(a);
  EXPECT_EQ(pool.acquire(), a);
  EXPECT_EQ(pool.at(a).frame().size(), 0u) << "the frame of the previous holder is still there";
}

// Alternating between few large frames and many small ones takes no more memory than the larger of both.
TEST(FramePool, CutsOnePieceOfMemoryForEachShape) {
  HostDevice device(1);
  FramePool pool(device);
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(pool.prepare(4096, 2));
    EXPECT_EQ(pool.footprint(), 8192u);
    EXPECT_EQ(pool.at(1).wire.size(), 4096u);
    ASSERT_TRUE(pool.prepare(1000, 8));
    EXPECT_EQ(pool.footprint(), 8192u);
    EXPECT_EQ(pool.at(7).wire.size(), 1024u);
  }
  ASSERT_TRUE(pool.prepare(4096, 4));
  EXPECT_EQ(pool.footprint(), 16384u);
  ASSERT_TRUE(pool.prepare(1024, 1));
  EXPECT_EQ(pool.footprint(), 16384u) << "memory that is there is kept";
}

TEST(FramePool, CountsWhatWasInUse) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(4096, 4));
  EXPECT_EQ(pool.most_used(), 0u);
  for (const std::size_t bytes : {100, 50, 200}) {
    const int slot = pool.acquire();
    pool.arrived(slot, bytes, false);
    pool.release(slot);
  }
  EXPECT_EQ(pool.most_used(), 200u) << "one slot, again and again";
  const int a = pool.acquire();
  const int b = pool.acquire();
  pool.use(b, 1000);
  pool.release(a);
  pool.release(b);
  EXPECT_EQ(pool.most_used(), 1200u);
  ASSERT_TRUE(pool.prepare(1024, 4));
  EXPECT_EQ(pool.most_used(), 1200u);
}

// A discrete device, as far as memory goes.
class Apart final : public Device {
 public:
  bool on_host() const override { return false; }
  std::span<std::byte> lease(std::size_t bytes) override { return count(own, inner_.lease(bytes)); }
  void give_back(std::span<std::byte> memory) override { --own, inner_.give_back(memory); }
  std::span<std::byte> lease_shared(std::size_t bytes) override {
    return shared == most_shared ? std::span<std::byte>{} : count(shared, inner_.lease(bytes));
  }
  void give_back_shared(std::span<std::byte> memory) override { --shared, inner_.give_back(memory); }
  bool prepare(std::size_t) override { return true; }
  void submit(Job&) override {}
  bool runs_inline() const override { return false; }
  void progress() override {}
  Status follow(void*) override { return {}; }
  Status copy(void*, const void*, std::size_t) override { return {}; }

  int own = 0;
  int shared = 0;
  int most_shared = 1000;

 private:
  static std::span<std::byte> count(int& leases, std::span<std::byte> memory) {
    ++leases;
    return memory;
  }
  HostDevice inner_{1};
};

TEST(FramePool, OnTheHostAllFacesOfAFrameAreTheSame) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(100, 1, true));
  const FrameSlot& slot = pool.at(pool.acquire());
  EXPECT_EQ(slot.blob.data(), slot.wire.data());
  EXPECT_EQ(slot.blob.data(), slot.header);
}

TEST(FramePool, OnADeviceFramesHaveAFaceOnTheHost) {
  Apart device;
  {
    FramePool pool(device);
    ASSERT_TRUE(pool.prepare(100, 3, true));
    EXPECT_EQ(device.own, 1);
    EXPECT_EQ(device.shared, 1);
    int at = pool.acquire();
    EXPECT_TRUE(pool.at(at).staged());
    EXPECT_EQ(pool.at(at).header, pool.at(at).wire.data());
    EXPECT_GE(pool.at(at).wire.size(), 100u);
    pool.arrived(at, 50, false);
    EXPECT_FALSE(pool.at(at).loaded) << "it is on the host only";
    pool.release(at);

    // The transport accepts device memory: only the header of each frame is on the host.
    ASSERT_TRUE(pool.prepare(100, 3, false));
    EXPECT_EQ(device.own, 1);
    EXPECT_EQ(device.shared, 1);
    at = pool.acquire();
    EXPECT_FALSE(pool.at(at).staged());
    EXPECT_NE(pool.at(at).header, pool.at(at).blob.data());
    pool.arrived(at, 50, false);
    EXPECT_TRUE(pool.at(at).loaded);
    pool.release(at);
  }
  EXPECT_EQ(device.own, 0);
  EXPECT_EQ(device.shared, 0);
}

TEST(FramePool, WithoutMemoryOfTheHostHandsOutNone) {
  Apart device;
  device.most_shared = 0;
  {
    FramePool pool(device);
    for (const bool staged : {true, false}) {
      EXPECT_FALSE(pool.prepare(100, 2, staged));
      EXPECT_EQ(device.own, 0);
    }
  }
  EXPECT_EQ(device.own, 0);
  EXPECT_EQ(device.shared, 0);
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
