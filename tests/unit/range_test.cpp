// SPDX-License-Identifier: BSD-3-Clause
#include "codec/range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/range_of.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

template <class T>
Range naive(const std::vector<T>& x) {
  Range r{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const T v : x) {
    const auto wide = static_cast<double>(v);
    if (!std::isfinite(wide)) continue;
    r.least = std::min(r.least, wide);
    r.greatest = std::max(r.greatest, wide);
  }
  return r;
}

template <class T>
void expect_naive(const std::vector<T>& x) {
  const Range expected = naive(x);
  const Range got = finite_range(x.data(), x.size(), dtype_of<T>);
  ASSERT_EQ(got.least, expected.least);
  ASSERT_EQ(got.greatest, expected.greatest);
}

template <class T>
class FiniteRange : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FiniteRange, Types);

TYPED_TEST(FiniteRange, IsThatOfTheFiniteNumbers) {
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 10007}) {
      SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count));
      expect_naive(make_field<TypeParam>(k.kind, count, base_seed() + count));
    }
}

TYPED_TEST(FiniteRange, IsEmptyWhenThereIsNone) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  for (const std::vector<T>& x :
       {std::vector<T>{}, std::vector<T>(100, L::quiet_NaN()), std::vector<T>(5, L::infinity()),
        std::vector<T>{L::infinity(), -L::infinity(), L::quiet_NaN()}}) {
    const Range r = finite_range(x.data(), x.size(), dtype_of<T>);
    EXPECT_EQ(r.least, std::numeric_limits<double>::infinity());
    EXPECT_EQ(r.greatest, -std::numeric_limits<double>::infinity());
  }
}

// The extreme numbers are found at every place of an array, with hostile numbers around them.
TYPED_TEST(FiniteRange, FindsOneNumberAnywhere) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  for (std::size_t at = 0; at < 100; ++at)
    for (const T filler : {L::quiet_NaN(), L::infinity(), -L::infinity(), T(0)})
      for (const T value : {L::denorm_min(), -L::denorm_min(), L::max(), L::lowest()}) {
        std::vector<T> x(100, filler);
        x[at] = value;
        expect_naive(x);
      }
}

template <class T>
class RangeOfOthers : public ::testing::Test {};
using OtherTypes = ::testing::Types<Float16, Bfloat16, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                    std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(RangeOfOthers, OtherTypes);

TYPED_TEST(RangeOfOthers, IsThatOfTheFiniteNumbers) {
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {0, 1, 2, 33, 1000, 1025, 10007}) {
      SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count));
      expect_naive(make_field<TypeParam>(k.kind, count, base_seed() + count));
    }
}

TEST(Range, LeavesOutFillValues) {
  const auto range = [](const std::vector<float>& x) { return range_without_fills(x.data(), x.size(), Dtype::f32); };
  const auto expect = [&](const std::vector<float>& x, double least, double greatest) {
    const Range r = range(x);
    EXPECT_EQ(r.least, least);
    EXPECT_EQ(r.greatest, greatest);
  };
  const float fill = 9.96921e36f;
  expect({1, fill, 2, fill, 3}, 1, 3);
  expect({1, fill, 2}, 1, 2);  // one cell of land
  expect({1, 1e20f, -1e20f, 1e20f, -1e20f}, 1, 1);
  expect({1, 1e20f, 2e20f}, 1, static_cast<double>(2e20f));                            // nothing repeats
  expect({1e13f, fill, fill}, static_cast<double>(1e13f), static_cast<double>(fill));  // others are too large
  expect({1, 1e20f, 1e20f, 2e20f, 2e20f, 3e20f, 3e20f, 4e20f, 4e20f, 5e20f, 5e20f}, 1, static_cast<double>(5e20f));
  const Range land = range({fill, fill, fill});
  EXPECT_GT(land.least, land.greatest);
}

// Arrays of one call count as one: what is no fill value in one of them may be one among all, and the other way round.
TEST(Range, OfSeveralArraysIsThatOfAllNumbers) {
  Random random(base_seed());
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    std::vector<double> x;
    const std::uint64_t fills = random.below(6);
    for (std::uint64_t i = random.below(40); i > 0; --i) {
      const double large[] = {1e20, -9.96921e36, 1e15, std::numeric_limits<double>::quiet_NaN()};
      x.push_back(random.below(6) < fills ? large[random.below(4)]
                                          : random.normal() * (random.below(60) == 0 ? 1e13 : 1));
    }
    const Range whole = range_without_fills(x.data(), x.size(), Dtype::f64);
    RangeWithoutFills parts;
    for (std::size_t i = 0, n; i < x.size(); i += n) {
      n = std::min<std::size_t>(random.below(9), x.size() - i);
      parts.add(x.data() + i, n, Dtype::f64);
    }
    EXPECT_EQ(parts.range().least, whole.least);
    EXPECT_EQ(parts.range().greatest, whole.greatest);
    RangeOfRank expected;
    for (const double v : x) expected.take(v);
    EXPECT_EQ(whole.least, expected.range().least);
    EXPECT_EQ(whole.greatest, expected.range().greatest);
  }
}

}  // namespace
}  // namespace laconic::test
