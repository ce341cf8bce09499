// SPDX-License-Identifier: BSD-3-Clause
// Promises of lossless beyond those of every codec: its blocks decode alone, its capacity is tight, and it finds
// structure that numbers have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "codec/lossless/format.hpp"
#include "codec/lossless/planes.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

const Codec& lossless_of_table() { return *find_codec("lossless"); }

template <class T>
class Lossless : public ::testing::Test {};
using AllOfThem = ::testing::Types<float, double, Float16, Bfloat16, std::int8_t, std::uint8_t, std::int16_t,
                                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Lossless, AllOfThem);

std::uint16_t entry(const Bytes& frame, std::size_t block) {
  std::uint16_t e;
  std::memcpy(&e, frame.data() + wire::header_bytes + lossless::index_bytes * block, sizeof e);
  return e;
}

// The body that the index points at is placed behind a one-block index and decoded.
TYPED_TEST(Lossless, AnyBlockDecodesAlone) {
  using T = TypeParam;
  const Coding coding = coding_for<T>(0);
  for (const NamedKind& k : all_kinds) {
    SCOPED_TRACE(k.name);
    const auto x = make_field<T>(k.kind, 3500, base_seed());
    const Bytes frame = encode(lossless_of_table(), x, coding);
    const std::size_t blocks = lossless::blocks_of(x.size());
    std::size_t at = wire::header_bytes + lossless::index_bytes * blocks;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = b * lossless::block_values;
      const std::size_t n = std::min(lossless::block_values, x.size() - begin);
      const std::uint16_t e = entry(frame, b);
      const std::size_t body = lossless::body_of(e);
      Bytes alone(wire::header_bytes + lossless::index_bytes + body);
      wire::Header header = header_of(frame);
      header.count = static_cast<std::uint32_t>(n);
      header.payload = static_cast<std::uint32_t>(lossless::index_bytes + body);
      wire::write_header(header, alone);
      std::memcpy(alone.data() + wire::header_bytes, &e, sizeof e);
      if (body > 0) std::memcpy(alone.data() + wire::header_bytes + sizeof e, frame.data() + at, body);
      const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                x.begin() + static_cast<std::ptrdiff_t>(begin + n));
      ASSERT_EQ(encode(lossless_of_table(), part, coding), alone) << "block " << b;
      const std::vector<T> back = decode<T>(lossless_of_table(), alone, n, coding);
      ASSERT_EQ(std::memcmp(back.data(), part.data(), n * sizeof(T)), 0) << "block " << b;
      at += body;
    }
    ASSERT_EQ(at, frame.size());
  }
}

// No frame is larger than its numbers plus the index, and noise reaches that size.
TYPED_TEST(Lossless, CapacityIsTight) {
  using T = TypeParam;
  const Coding coding = coding_for<T>(0);
  std::size_t most_left = 0;
  for (const std::size_t count : {1, 5, 16, 100, 1023, 1024, 1025, 3000})
    for (const NamedKind& k : all_kinds) {
      const Bytes frame = encode(lossless_of_table(), make_field<T>(k.kind, count, base_seed()), coding);
      const std::size_t capacity = lossless_of_table().capacity(count, coding.dtype) - lossless::store_slack;
      ASSERT_LE(frame.size(), capacity) << k.name << ", count " << count;
      if (k.kind == Kind::random_bits) most_left = std::max(most_left, capacity - frame.size());
    }
  // Chance may make a few numbers compressible.
  EXPECT_LE(most_left, sizeof(T) == 1 ? 8u : 0u);
}

template <class T>
std::size_t size_of_block(const std::vector<T>& x) {
  return lossless::body_of(entry(encode(lossless_of_table(), x, coding_for<T>(0)), 0));
}

TEST(LosslessBlock, SeesWhatNumbersHaveInCommon) {
  std::vector<float> quarters(1024);
  std::vector<float> gradients(1024);
  std::vector<std::int64_t> ticks(1024);
  std::vector<std::uint8_t> picture(1024);
  Random random(base_seed());
  for (std::size_t i = 0; i < 1024; ++i) {
    quarters[i] = 200 + static_cast<float>(random.below(64)) * 0.25F;
    const float size = 1 + static_cast<float>(random.unit());
    gradients[i] = random.below(5) == 0 ? 0 : (random.below(2) != 0 ? -size : size) * 0x1p-10F;
    ticks[i] = 1700000000000000000 + static_cast<std::int64_t>(i) * 1000000 * 1024;
    picture[i] = static_cast<std::uint8_t>(100 + i / 32 + random.below(4));
  }
  EXPECT_LT(size_of_block(quarters), 1024u * 8 / 8) << "low bits that are 0 in all";
  EXPECT_LT(size_of_block(gradients), 1024u * 26 / 8) << "one exponent, any sign, and zeros";
  EXPECT_LT(size_of_block(ticks), 1024u * 25 / 8) << "differences";
  EXPECT_LT(size_of_block(picture), 1024u * 5 / 8) << "differences of few bits";
}

TEST(LosslessBlock, KindsOfSpecialBlocks) {
  const auto kind = [](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::value_type;
    return lossless::kind_of(entry(encode(lossless_of_table(), x, coding_for<T>(0)), 0));
  };
  EXPECT_EQ(kind(std::vector<float>(100, 0.0F)), lossless::Kind::zero);
  EXPECT_EQ(kind(std::vector<float>(100, -0.0F)), lossless::Kind::fill);
  EXPECT_EQ(kind(std::vector<float>(1, 3.0F)), lossless::Kind::fill);
  EXPECT_EQ(kind(std::vector<double>(1024, std::numeric_limits<double>::quiet_NaN())), lossless::Kind::fill);
  EXPECT_EQ(kind(make_field<std::uint32_t>(Kind::random_bits, 1024, 3)), lossless::Kind::raw);
}

// Signs and orders: the map to integers keeps the order of the numbers and loses nothing.
TEST(LosslessBlock, OrderedIntegers) {
  const auto ordered = [](std::uint16_t bits) {
    return static_cast<std::int16_t>(lossless::to_ordered<true>(bits, 0));
  };
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    ASSERT_EQ(lossless::from_ordered<true>(lossless::to_ordered<true>(bits, 0), 0), bits);
    ASSERT_EQ(lossless::unzigzag(lossless::zigzag(bits)), bits);
    if ((i & 0x7fff) <= Float16::infinity_bits && (i & 0x7fff) > 0) {
      const auto before = static_cast<std::uint16_t>(i - 1);
      const bool larger = static_cast<float>(Float16::of_bits(bits)) > static_cast<float>(Float16::of_bits(before));
      ASSERT_EQ(ordered(bits) > ordered(before), larger);
    }
  }
  EXPECT_EQ(ordered(0x8000), -1);
  EXPECT_EQ(ordered(0x0000), 0);
}

TEST(LosslessPlanes, AreTheTransposedWords) {
  Random random(base_seed());
  for (int round = 0; round < 1000; ++round) {
    std::uint16_t rows[2][16];
    std::uint16_t planes[2][16];
    for (auto& lane : rows)
      for (auto& row : lane) row = static_cast<std::uint16_t>(random.bits());
    lossless::Pair m[4];
    lossless::load(rows[0], rows[1], m);
    lossless::transpose(m);
    for (int lane = 0; lane < 2; ++lane) {
      lossless::store(m, lane, planes[lane]);
      for (int k = 0; k < 16; ++k)
        for (int i = 0; i < 16; ++i) ASSERT_EQ(planes[lane][k] >> i & 1, rows[lane][i] >> k & 1);
    }
  }
}

}  // namespace
}  // namespace laconic::test
