// SPDX-License-Identifier: BSD-3-Clause
// Scaled frames whose bound is a share of the range of each block: block:R.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "codec/quant/scaled.hpp"
#include "codec/range.hpp"
#include "scaled_variants.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::scaled::values;

template <class T>
Coding by_range(double relative, std::uint32_t terms = 1) {
  Coding coding = coding_for<T>(0, terms);
  coding.relative = relative;
  coding.scale = BlockScale::range;
  return coding;
}

// By the definition: leaves every number out in turn, and those that are not finite.  The rule for fill values is that
// of range.hpp.
template <class T>
long double range_of(const T* x, std::size_t n) {
  std::vector<T> finite;
  std::copy_if(x, x + n, std::back_inserter(finite), [](T v) { return std::isfinite(exactly(v)); });
  std::vector<long double> sorted(finite.size());
  std::transform(finite.begin(), finite.end(), sorted.begin(), [](T v) { return exactly(v); });
  std::sort(sorted.begin(), sorted.end());
  n = sorted.size();
  if (n < 2) return 0;
  const Range others = range_without_fills(finite.data(), n, dtype_of<T>);
  long double least = static_cast<long double>(others.greatest) - static_cast<long double>(others.least);
  for (std::size_t out = 0; out < n; ++out) {
    const long double greatest = sorted[out == n - 1 ? n - 2 : n - 1];
    least = std::min(least, greatest - sorted[out == 0 ? 1 : 0]);
  }
  return std::max(least, 0.0L);
}

class ByRange : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Codec& codec() const { return *scaled_variants()[GetParam()].codec; }
  const Codec& reference() const { return *scaled_variants()[GetParam()].reference; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, ByRange, ::testing::Range(std::size_t{0}, scaled_variants().size()),
                         [](const auto& i) { return scaled_variants()[i.param].name; });

// Numbers far from zero, whose points would be too large with the step of their range, are coded exactly if they have
// few digits.
template <class T>
void far_with_few_digits(const Codec& codec, const Codec& reference) {
  Random random(base_seed());
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const int digits = std::numeric_limits<T>::digits;
    const int lowest = static_cast<int>(random.below(40)) - 20;
    const std::uint64_t far = std::uint64_t{1} << (std::min(digits, 28) - 1);
    std::vector<T> x;
    for (std::size_t i = 0; i < 1300; ++i)
      x.push_back(static_cast<T>(std::ldexp(static_cast<double>(far + random.below(16)), lowest)));
    const std::uint32_t terms = 1 + static_cast<std::uint32_t>(random.below(3));
    const Coding coding = by_range<T>(1e-9, terms);
    const Bytes frame = encode(codec, x, coding);
    ASSERT_EQ(frame, encode(reference, x, coding));
    ASSERT_EQ(header_of(frame).error, 0);
    ASSERT_LT(3 * frame.size(), x.size() * sizeof(T));
    const auto back = decode<T>(codec, frame, x.size(), coding);
    ASSERT_EQ(std::memcmp(back.data(), x.data(), x.size() * sizeof(T)), 0);
    // Their sums are exact, too.
    const Bytes sum = fold(codec, frame, x, coding);
    ASSERT_EQ(sum, fold(reference, frame, x, coding));
    const auto twice = decode<T>(codec, sum, x.size(), coding);
    for (std::size_t i = 0; i < x.size() && terms > 1; ++i) ASSERT_EQ(twice[i], 2 * x[i]);
  }
}
TEST_P(ByRange, NumbersWithFewDigitsFarFromZeroAreExactFloat) { far_with_few_digits<float>(codec(), reference()); }
TEST_P(ByRange, NumbersWithFewDigitsFarFromZeroAreExactDouble) { far_with_few_digits<double>(codec(), reference()); }

// The rounding of the type is within the bound: steps are powers of two, so numbers that are closer than a step are on
// the lattice themselves.
template <class T>
void bound_holds(const Codec& codec, const std::vector<T>& x, double relative) {
  const Coding coding = by_range<T>(relative);
  const Bytes frame = encode(codec, x, coding);
  const std::vector<T> back = decode<T>(codec, frame, x.size(), coding);
  long double most = 0;
  for (std::size_t i = 0; i < x.size(); i += values) {
    const std::size_t n = std::min(values, x.size() - i);
    const long double allowed = relative * range_of(x.data() + i, n);
    for (std::size_t k = i; k < i + n; ++k) {
      if ((allowed == 0 && exactly(x[k]) != 0) || !std::isfinite(exactly(x[k]))) {
        ASSERT_EQ(bits_of(x[k]), bits_of(back[k])) << "number " << k;
        continue;
      }
      const long double off = std::fabs(exactly(x[k]) - exactly(back[k]));
      ASSERT_LE(off, allowed) << "number " << k << ": " << exactly(x[k]) << ", relative " << relative;
      most = std::max(most, off);
    }
  }
  EXPECT_LE(most, header_of(frame).error);
}

template <class T>
void bounds_hold(const Codec& codec) {
  std::uint64_t seed = base_seed();
  for (const double relative : {1e-12, 1e-9, 1e-5, 0.01, 0.1, 1.0})
    for (const NamedKind& k : all_kinds) {
      ++seed;
      SCOPED_TRACE(std::string(k.name) + ", " + seed_note());
      bound_holds(codec, make_field<T>(k.kind, 1 + seed % 1700, seed), relative);
      if (::testing::Test::HasFailure()) return;
    }
}
TEST_P(ByRange, BoundsHoldFloat) { bounds_hold<float>(codec()); }
TEST_P(ByRange, BoundsHoldDouble) { bounds_hold<double>(codec()); }
TEST_P(ByRange, BoundsHoldFloat16) { bounds_hold<Float16>(codec()); }
TEST_P(ByRange, BoundsHoldBfloat16) { bounds_hold<Bfloat16>(codec()); }

// One number of another magnitude, or fill values, anywhere in a message.
TEST_P(ByRange, LargeNumbersDoNotSpoilOthers) {
  Random random(base_seed());
  for (const double large : {1e9, -1e9, 1e5, 9.96921e36, -1e300})
    for (const std::size_t at : {0, 100, 511, 512, 4999})
      for (const double relative : {1e-3, 1e-9}) {
        SCOPED_TRACE(seed_note());
        std::vector<double> x(5000);
        for (double& v : x) v = 1 + random.unit();
        x[at] = large;
        const bool fills = std::fabs(large) > 1e30;
        if (fills) x[(at + 7) % x.size()] = x[(at + 30) % x.size()] = large;
        const Coding coding = by_range<double>(relative);
        const auto back = decode<double>(codec(), encode(codec(), x, coding), x.size(), coding);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (x[i] == large)
            ASSERT_LE(std::fabs(back[i] - large), relative) << i;
          else
            ASSERT_LE(std::fabs(back[i] - x[i]), relative)
                << "number " << i << " beside " << large;  // their range is below 1
        }
      }
}

TEST_P(ByRange, BlocksOfDifferentMagnitudesHaveBoundsOfTheirOwn) {
  Random random(base_seed());
  std::vector<double> x(8 * values);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = random.normal() * std::pow(10.0, 3.0 * static_cast<double>(i / values) - 12);
  bound_holds(codec(), x, 1e-4);
  const Bytes frame = encode(codec(), x, by_range<double>(1e-4));
  EXPECT_LT(frame.size() * 3, x.size() * sizeof(double));
}

// -0 may become 0; numbers that are equal have no range, and keep their bits.
TEST_P(ByRange, BlocksWithoutARangeAreKept) {
  for (const double value : {0.0, 1.0, -3e-300}) {
    std::vector<double> x(1000, value);
    const Coding coding = by_range<double>(0.1);
    const Bytes frame = encode(codec(), x, coding);
    EXPECT_EQ(decode<double>(codec(), frame, x.size(), coding), x);
    EXPECT_LT(frame.size(), 100u);
    EXPECT_EQ(header_of(frame).error, 0);
    x[3] = 5;  // all others are still equal
    EXPECT_EQ(decode<double>(codec(), encode(codec(), x, coding), x.size(), coding), x);
  }
}

TEST_P(ByRange, AllKernelsWriteTheSameBytes) {
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {0, 1, 2, 15, 512, 513, 3333})
      for (const double relative : {1e-9, 1e-3, 0.1}) {
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
        const auto x = make_field<float>(k.kind, count, ++seed);
        const auto y = make_field<double>(k.kind, count, seed);
        ASSERT_EQ(encode(codec(), x, by_range<float>(relative)), encode(reference(), x, by_range<float>(relative)));
        ASSERT_EQ(encode(codec(), y, by_range<double>(relative)), encode(reference(), y, by_range<double>(relative)));
      }
}

// Sums add the points of all contributions, and the bounds of their blocks.
TEST_P(ByRange, SumsHaveTheErrorsOfTheirContributions) {
  const std::size_t count = 1500;
  const Coding coding = by_range<double>(1e-4, 3);
  std::vector<std::vector<double>> x;
  for (std::uint64_t k = 0; k < 3; ++k) x.push_back(make_field<double>(Kind::normal, count, base_seed(), k));
  const Bytes two = fold(codec(), encode(codec(), x[0], coding), x[1], coding);
  const auto back =
      decode<double>(codec(), add(codec(), two, encode(codec(), x[2], coding), count, coding), count, coding);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i / values * values;
    long double sum = 0;
    long double allowed = 0;
    for (const auto& part : x) {
      sum += exactly(part[i]);
      allowed += coding.relative * range_of(part.data() + begin, std::min(values, count - begin));
    }
    ASSERT_LE(std::fabs(sum - exactly(back[i])), allowed * (1 + 1e-12L)) << i;
  }
}

}  // namespace
}  // namespace laconic::test
