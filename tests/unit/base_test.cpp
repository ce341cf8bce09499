// SPDX-License-Identifier: BSD-3-Clause
// combine(), dtype, numbers as text, status.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/dtype.hpp"
#include "base/number.hpp"
#include "base/op.hpp"
#include "base/status.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::array<Op, 3> all_ops{Op::sum, Op::max, Op::min};

template <class T>
class Combine : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Combine, Types);

TYPED_TEST(Combine, IsCommutativeToTheBit) {
  using T = TypeParam;
  const auto a = make_field<T>(Kind::random_bits, 200000, base_seed(), 0);
  const auto b = make_field<T>(Kind::random_bits, 200000, base_seed(), 1);
  for (const Op op : all_ops)
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(bits_of(combine(op, a[i], b[i])), bits_of(combine(op, b[i], a[i]))) << a[i] << " and " << b[i];
}

TYPED_TEST(Combine, IsCommutativeOnAllPairsOfSpecialNumbers) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  const std::array<T, 16> special{T(0),
                                  -T(0),
                                  T(1),
                                  -T(1),
                                  L::max(),
                                  L::lowest(),
                                  L::infinity(),
                                  -L::infinity(),
                                  L::quiet_NaN(),
                                  -L::quiet_NaN(),
                                  L::signaling_NaN(),
                                  L::denorm_min(),
                                  -L::denorm_min(),
                                  L::min(),
                                  -L::min(),
                                  L::epsilon()};
  for (const Op op : all_ops)
    for (const T a : special)
      for (const T b : special) {
        const T ab = combine(op, a, b);
        EXPECT_EQ(bits_of(ab), bits_of(combine(op, b, a))) << a << " and " << b;
        if (ab != ab) {
          EXPECT_EQ(bits_of(ab), bits_of(L::quiet_NaN())) << "a NaN that is not the canonical one";
        }
        if (a != a || b != b) {
          EXPECT_TRUE(std::isnan(ab)) << "a NaN was lost";
        }
      }
}

TYPED_TEST(Combine, MeansWhatItSays) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  EXPECT_EQ(combine(Op::sum, T(1), T(2)), T(3));
  EXPECT_EQ(combine(Op::max, T(1), T(2)), T(2));
  EXPECT_EQ(combine(Op::min, T(1), T(2)), T(1));
  EXPECT_EQ(combine(Op::max, -inf, T(2)), T(2));
  EXPECT_EQ(combine(Op::min, -inf, T(2)), -inf);
  EXPECT_EQ(combine(Op::sum, inf, T(2)), inf);
  EXPECT_TRUE(std::isnan(combine(Op::sum, inf, -inf)));
  EXPECT_EQ(combine(Op::max, inf, -inf), inf);
  EXPECT_EQ(bits_of(combine(Op::max, T(0), -T(0))), bits_of(T(0)));
  EXPECT_EQ(bits_of(combine(Op::min, T(0), -T(0))), bits_of(-T(0)));
  EXPECT_EQ(bits_of(combine(Op::sum, -T(0), -T(0))), bits_of(-T(0)));
  EXPECT_EQ(bits_of(combine(Op::sum, T(0), -T(0))), bits_of(T(0)));
}

// The results for random numbers, including maxima and minima, are those of fmax, fmin and plain addition.
TYPED_TEST(Combine, PicksOneOfTheTwo) {
  using T = TypeParam;
  const auto a = make_field<T>(Kind::huge_range, 10000, base_seed(), 0);
  const auto b = make_field<T>(Kind::huge_range, 10000, base_seed(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(combine(Op::max, a[i], b[i]), std::fmax(a[i], b[i]));
    ASSERT_EQ(combine(Op::min, a[i], b[i]), std::fmin(a[i], b[i]));
    ASSERT_EQ(combine(Op::sum, a[i], b[i]), a[i] + b[i]);
  }
}

TEST(DtypeTest, DispatchGivesTheType) {
  EXPECT_EQ(size_of(Dtype::f32), 4u);
  EXPECT_EQ(size_of(Dtype::f64), 8u);
  EXPECT_EQ(dispatch(Dtype::f32, [](auto zero) { return sizeof zero; }), 4u);
  EXPECT_EQ(dispatch(Dtype::f64, [](auto zero) { return sizeof zero; }), 8u);
  for (const Dtype dtype : all_dtypes) {
    EXPECT_EQ(dispatch(AllTypes{}, dtype, [](auto zero) { return dtype_of<decltype(zero)>; }), dtype);
    EXPECT_EQ(dispatch(AllTypes{}, dtype, [](auto zero) { return sizeof zero; }), size_of(dtype));
    EXPECT_EQ(dispatch(AllTypes{}, dtype, [](auto zero) { return std::is_integral_v<decltype(zero)>; }),
              is_integer(dtype));
  }
}

TEST(DtypeTest, NamesAndValuesAreThoseOfTheWireFormat) {
  constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16", "i8",  "u8",
                                        "i16", "u16", "i32", "u32",  "i64", "u64"};
  ASSERT_EQ(std::size(all_dtypes), std::size(names));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    EXPECT_EQ(name_of(all_dtypes[i]), names[i]);
    EXPECT_EQ(static_cast<std::size_t>(all_dtypes[i]), i + 1);
    EXPECT_EQ(known(all_dtypes[i]), true);
  }
  EXPECT_FALSE(known(Dtype{}));
  EXPECT_FALSE(known(static_cast<Dtype>(13)));
}

template <class T>
class CombineIntegers : public ::testing::Test {};
using Integers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(CombineIntegers, Integers);

TYPED_TEST(CombineIntegers, AddsModuloAndComparesAsTheTypeDoes) {
  using T = TypeParam;
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T greatest = std::numeric_limits<T>::max();
  EXPECT_EQ(combine(Op::sum, greatest, T(1)), least);
  EXPECT_EQ(combine(Op::sum, least, static_cast<T>(-1)), greatest);
  EXPECT_EQ(combine(Op::max, least, greatest), greatest);
  EXPECT_EQ(combine(Op::min, least, greatest), least);
  EXPECT_EQ(combine(Op::max, static_cast<T>(-1), T(0)), std::is_signed_v<T> ? T(0) : greatest);
  Random random(base_seed());
  for (int k = 0; k < 10000; ++k) {
    const auto a = static_cast<T>(random.bits());
    const auto b = static_cast<T>(random.bits());
    ASSERT_EQ(combine(Op::sum, a, b), static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)));
    ASSERT_EQ(combine(Op::max, a, b), std::max(a, b));
    ASSERT_EQ(combine(Op::min, a, b), std::min(a, b));
  }
}

TEST(Number, IsAllOfTheText) {
  int i = 7;
  EXPECT_TRUE(parse_number("42", i));
  EXPECT_EQ(i, 42);
  EXPECT_TRUE(parse_number("-3", i));
  for (const char* bad : {"", " 1", "1 ", "1x", "x", "+1", "99999999999", "1.5", "0x10", "-"})
    EXPECT_FALSE(parse_number(bad, i)) << "'" << bad << "'";
  unsigned u = 0;
  EXPECT_FALSE(parse_number("-1", u));
  std::int64_t big = 0;
  EXPECT_TRUE(parse_number("9223372036854775807", big));
  EXPECT_FALSE(parse_number("9223372036854775808", big));
}

TEST(Number, FormatsSoThatItReadsBack) {
  Random random(base_seed());
  for (int k = 0; k < 10000; ++k) {
    const double x = std::bit_cast<double>(random.bits());
    if (!std::isfinite(x)) continue;
    double back = 0;
    ASSERT_TRUE(parse_number(format_number(x), back)) << format_number(x);
    ASSERT_EQ(bits_of(back), bits_of(x));
  }
}

TEST(StatusTest, IsOkUntilItIsNot) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status().message().empty());
  const Status s(Code::frame, "why");
  EXPECT_FALSE(s.ok());
  EXPECT_FALSE(s);
  EXPECT_EQ(s.code(), Code::frame);
  EXPECT_EQ(s.message(), "why");
}

}  // namespace
}  // namespace laconic::test
