// The ledger and the pool of frames.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "device/host/host_device.hpp"
#include "engine/frame_pool.hpp"
#include "engine/ledger.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

// A codec whose sums are made by decoding and coding again; only its exact_sums() matters here.
class Reencoding final : public Codec {
 public:
  std::string_view name() const override { return "reencoding"; }
  std::uint8_t id() const override { return 200; }
  bool exact_sums() const override { return false; }
  std::size_t capacity(std::size_t, Dtype) const override { return 0; }
  Coded encode(const void*, std::size_t, const Coding&, Blob) const override { return {}; }
  Coded fold(Frame, const void*, std::size_t, const Coding&, Blob) const override { return {}; }
  Coded add(Frame, Frame, std::size_t, const Coding&, Blob) const override { return {}; }
  Status decode(Frame, void*, std::size_t, const Coding&) const override { return {}; }
};

// Exactly: with long double's 64 bits the product of a double and a small integer is not rounded.
long double added_up(double allowance, int terms) { return static_cast<long double>(allowance) * terms; }

TEST(Ledger, KeepsTheBoundOnTheResult) {
  const Reencoding reencoding;
  Random random(base_seed());
  for (const Algorithm& algorithm : all_algorithms())
    for (int size = 1; size <= 65; ++size)
      for (int k = 0; k < 20; ++k) {
        const double bound = (1 + random.unit()) * detail::power_of_two(static_cast<int>(random.below(1800)) - 900);
        for (const Codec* codec : {find_codec("quant"), find_codec("raw"), static_cast<const Codec*>(&reencoding)}) {
          const int terms = codec->exact_sums() ? size : std::max(1, algorithm.reencoded_terms(size));
          SCOPED_TRACE(std::string(algorithm.name) + " of " + std::to_string(size) + ", " + std::string(codec->name()));
          const Budget sum = divide_bound(bound, false, Op::sum, false, algorithm, size, *codec);
          ASSERT_EQ(sum.terms, static_cast<std::uint32_t>(terms));
          ASSERT_LE(added_up(sum.allowance, terms), bound);
          ASSERT_GE(added_up(sum.allowance, terms), bound * (1 - 1e-9)) << "some of the bound is given away";
          ASSERT_EQ(sum.worst_case, bound);

          const Budget mean = divide_bound(bound, false, Op::sum, true, algorithm, size, *codec);
          ASSERT_LE(added_up(mean.allowance, terms) / size, bound);
          ASSERT_GE(added_up(mean.allowance, terms) / size, bound * (1 - 1e-9));

          for (const Op op : {Op::max, Op::min}) {
            const Budget most = divide_bound(bound, false, op, false, algorithm, size, *codec);
            ASSERT_LE(added_up(most.allowance, codec->exact_sums() ? 1 : terms), bound);
            ASSERT_GE(added_up(most.allowance, codec->exact_sums() ? 1 : terms), bound * (1 - 1e-9));
          }
        }
      }
}

TEST(Ledger, GivesEveryInputTheWholeBoundWhenAsked) {
  const Codec& codec = *find_codec("quant");
  for (const Algorithm& algorithm : all_algorithms())
    for (const int size : {1, 2, 7, 64}) {
      EXPECT_EQ(divide_bound(0.1, true, Op::sum, false, algorithm, size, codec).allowance, 0.1);
      EXPECT_DOUBLE_EQ(divide_bound(0.1, true, Op::sum, false, algorithm, size, codec).worst_case, 0.1 * size);
      EXPECT_DOUBLE_EQ(divide_bound(0.1, true, Op::sum, true, algorithm, size, codec).worst_case, 0.1);
      EXPECT_DOUBLE_EQ(divide_bound(0.1, true, Op::max, false, algorithm, size, codec).worst_case, 0.1);
    }
}

TEST(Ledger, WithoutABoundAllowsNothing) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool mean : {false, true}) {
      const Budget b = divide_bound(0, false, Op::sum, mean, algorithm, 5, *find_codec("quant"));
      EXPECT_EQ(b.allowance, 0);
      EXPECT_EQ(b.worst_case, 0);
    }
}

// At the edges of the exponent range nothing becomes infinite, negative or more than asked for.
TEST(Ledger, ExtremeBounds) {
  for (const double bound : {std::numeric_limits<double>::denorm_min(), 1e-320, std::numeric_limits<double>::min(),
                             std::numeric_limits<double>::max()})
    for (const int size : {2, 3, 65}) {
      const Budget b = divide_bound(bound, false, Op::sum, false, all_algorithms()[0], size, *find_codec("quant"));
      EXPECT_GE(b.allowance, 0);
      EXPECT_LE(b.allowance, bound);
      EXPECT_EQ(b.worst_case, bound);
    }
}

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
    EXPECT_TRUE(places.insert(pool.room(slot).data()).second);
    EXPECT_EQ(pool.room(slot).size(), 100u);
    EXPECT_TRUE(pool.frame(slot).empty()) << "a new slot holds a frame";
    std::fill(pool.room(slot).begin(), pool.room(slot).end(), std::byte{1});
  }
  EXPECT_EQ(pool.footprint(), 5000u);
}

TEST(FramePool, ReusesASlotOnlyWhenNobodyHoldsIt) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(64, 0));
  const int a = pool.acquire();
  pool.set_bytes(a, 10);
  EXPECT_EQ(pool.frame(a).size(), 10u);
  pool.hold(a);
  pool.release(a);
  const int b = pool.acquire();
  EXPECT_NE(a, b);
  pool.release(a);
  EXPECT_EQ(pool.acquire(), a);
  EXPECT_EQ(pool.frame(a).size(), 0u) << "the frame of the previous holder is still there";
  EXPECT_EQ(pool.footprint(), 128u);
}

TEST(FramePool, GrowsWhenItMustAndNeverShrinks) {
  HostDevice device(1);
  FramePool pool(device);
  ASSERT_TRUE(pool.prepare(64, 0));
  const int a = pool.acquire();
  pool.release(a);
  ASSERT_TRUE(pool.prepare(32, 0));
  EXPECT_EQ(pool.room(pool.acquire()).size(), 64u);
  EXPECT_EQ(pool.footprint(), 64u);
  pool.release(a);
  ASSERT_TRUE(pool.prepare(1000, 0));
  EXPECT_EQ(pool.footprint(), 0u);
  EXPECT_EQ(pool.room(pool.acquire()).size(), 1000u);
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
