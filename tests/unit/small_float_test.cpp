// SPDX-License-Identifier: BSD-3-Clause
// The 16-bit types: every bit pattern, and every half-way point between two of them, where the rounding changes.
#include "base/small_float.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/op.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

template <class T>
class Small : public ::testing::Test {};
using SmallTypes = ::testing::Types<Float16, Bfloat16>;
TYPED_TEST_SUITE(Small, SmallTypes);

// The value by the definition of IEEE 754, in exact arithmetic.
template <class T>
double value_of(std::uint16_t bits) {
  const int magnitude = bits & 0x7fff;
  const int fraction = magnitude & ((1 << T::fraction) - 1);
  const int exponent = magnitude >> T::fraction;
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - T::bias - T::fraction)
                                    : std::ldexp(fraction + (1 << T::fraction), exponent - T::bias - T::fraction);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class T>
bool is_nan_pattern(int bits) {
  return (bits & 0x7fff) > T::infinity_bits;
}

TYPED_TEST(Small, EveryPatternIsItsNumberAndComesBack) {
  using T = TypeParam;
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const T x = T::of_bits(bits);
    const auto single = static_cast<float>(x);
    const auto wide = static_cast<double>(x);
    ASSERT_EQ(x.bits(), bits);
    if (is_nan_pattern<T>(i)) {
      ASSERT_TRUE(std::isnan(single) && std::isnan(wide)) << i;
      ASSERT_EQ(T(single).bits(), bits | T::quiet_bit) << i;
      ASSERT_EQ(T(wide).bits(), bits | T::quiet_bit) << i;
      ASSERT_FALSE(x == x);
      continue;
    }
    if ((i & 0x7fff) == T::infinity_bits) {
      ASSERT_EQ(wide, i < 0x8000 ? INFINITY : -INFINITY);
    } else {
      ASSERT_EQ(wide, value_of<T>(bits)) << i;
    }
    ASSERT_EQ(single, wide);
    ASSERT_EQ(std::signbit(wide), i >= 0x8000);
    ASSERT_EQ(T(single).bits(), bits) << i;
    ASSERT_EQ(T(wide).bits(), bits) << i;
    ASSERT_EQ((-x).bits(), bits ^ 0x8000);
  }
}

// Rounding is monotonic, so checking both sides of every half-way point checks it everywhere.
template <class T, class Wide>
void rounds_to_nearest_even() {
  for (int i = 0; i < T::infinity_bits; ++i) {
    const double low = value_of<T>(static_cast<std::uint16_t>(i));
    const double high = value_of<T>(static_cast<std::uint16_t>(i + 1));  // beyond the largest: 2^e
    const double middle = low + (high - low) / 2;
    const auto tie = static_cast<Wide>(middle);
    if (static_cast<double>(tie) != middle) continue;  // half of the smallest bfloat16 is not a float
    const int even = i + (i & 1);
    for (const int sign : {0, 0x8000}) {
      const Wide s = sign != 0 ? Wide(-1) : Wide(1);
      ASSERT_EQ(T(s * tie).bits(), even | sign) << i;
      ASSERT_EQ(T(s * std::nextafter(tie, Wide(0))).bits(), i | sign) << i;
      ASSERT_EQ(T(s * std::nextafter(tie, std::numeric_limits<Wide>::infinity())).bits(), (i + 1) | sign) << i;
      ASSERT_EQ(T(s * std::nextafter(static_cast<Wide>(high), Wide(0))).bits(), (i + 1) | sign) << i;
    }
  }
}
TYPED_TEST(Small, RoundsFloatToNearestEven) { rounds_to_nearest_even<TypeParam, float>(); }
TYPED_TEST(Small, RoundsDoubleToNearestEven) { rounds_to_nearest_even<TypeParam, double>(); }

// A double just above a tie, by less than float can represent: rounding by way of float would take it for the tie.
TYPED_TEST(Small, RoundsDoubleOnce) {
  using T = TypeParam;
  for (int i = 1 << T::fraction; i < T::infinity_bits - 1; i += 2) {
    const double low = value_of<T>(static_cast<std::uint16_t>(i));
    const double high = value_of<T>(static_cast<std::uint16_t>(i + 1));
    const double above = std::nextafter((low + high) / 2, high);
    const double below = std::nextafter((low + high) / 2, low);
    ASSERT_EQ(T(above).bits(), i + 1);
    ASSERT_EQ(T(below).bits(), i);
  }
}

TYPED_TEST(Small, ExtremesOfTheWideTypes) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  for (const double tiny : {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-60, 0.0}) {
    EXPECT_EQ(T(tiny).bits(), 0);
    EXPECT_EQ(T(-tiny).bits(), 0x8000);
  }
  for (const double large : {1e40, std::numeric_limits<double>::max(), HUGE_VAL}) {
    EXPECT_EQ(T(large).bits(), L::infinity().bits());
    EXPECT_EQ(T(-large).bits(), L::infinity().bits() | 0x8000);
  }
  EXPECT_EQ(T(std::numeric_limits<float>::max()).bits(), L::infinity().bits());
  EXPECT_EQ(T(std::numeric_limits<float>::quiet_NaN()).bits(), L::quiet_NaN().bits());
  EXPECT_EQ(T(std::numeric_limits<double>::quiet_NaN()).bits(), L::quiet_NaN().bits());
  EXPECT_EQ(static_cast<double>(L::max()), value_of<T>(T::infinity_bits - 1));
  EXPECT_EQ(static_cast<double>(L::lowest()), -value_of<T>(T::infinity_bits - 1));
  EXPECT_EQ(static_cast<double>(L::min()), std::ldexp(1.0, 1 - T::bias));
  EXPECT_EQ(static_cast<double>(L::denorm_min()), std::ldexp(1.0, 1 - T::bias - T::fraction));
  // A NaN payload that is truncated to zero must not turn the NaN into infinity.
  EXPECT_TRUE(std::isnan(static_cast<float>(T(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(static_cast<float>(T(std::bit_cast<double>(std::uint64_t{0xfff0000000000001})))));
}

// Sums in double are exact for these types, unless the exponents of two bfloat16 are far apart; the larger number is
// the sum then.
TYPED_TEST(Small, SumsAreRoundedOnce) {
  using T = TypeParam;
  Random random(base_seed());
  SCOPED_TRACE(seed_note());
  for (int k = 0; k < 300000; ++k) {
    const T a = T::of_bits(static_cast<std::uint16_t>(random.bits()));
    // Half of the pairs are close to each other, where ties occur.
    const T b =
        T::of_bits(static_cast<std::uint16_t>(random.below(2) != 0 ? a.bits() ^ random.below(0x2000) : random.bits()));
    const T sum = combine(Op::sum, a, b);
    ASSERT_EQ(sum.bits(), combine(Op::sum, b, a).bits());
    const double x = static_cast<double>(a);
    const double y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y) || std::isnan(x + y)) {
      ASSERT_EQ(sum.bits(), std::numeric_limits<T>::quiet_NaN().bits());
      continue;
    }
    const bool apart = std::min(std::fabs(x), std::fabs(y)) < std::max(std::fabs(x), std::fabs(y)) * 0x1p-40;
    ASSERT_EQ(sum.bits(), apart ? T(std::fabs(x) > std::fabs(y) ? x : y).bits() : T(x + y).bits()) << x << " + " << y;
    ASSERT_EQ(static_cast<double>(combine(Op::max, a, b)), std::max(x, y));
    ASSERT_EQ(static_cast<double>(combine(Op::min, a, b)), std::min(x, y));
  }
  const T minus_zero = T::of_bits(0x8000);
  EXPECT_EQ(combine(Op::max, minus_zero, T(0.0F)).bits(), 0);
  EXPECT_EQ(combine(Op::min, T(0.0F), minus_zero).bits(), 0x8000);
}

}  // namespace
}  // namespace laconic::test
