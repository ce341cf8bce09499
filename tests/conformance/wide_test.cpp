// SPDX-License-Identifier: BSD-3-Clause
// What format 1.1 added: exceptions and points of 64 bits in scaled frames, cuts and exact segments in those of dense,
// and float64 numbers whose bound is far below their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "scaled_variants.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

class WideFrames : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Codec& codec() const { return *scaled_variants()[GetParam()].codec; }
  const Codec& reference() const { return *scaled_variants()[GetParam()].reference; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, WideFrames, ::testing::Range(std::size_t{0}, scaled_variants().size()),
                         [](const auto& i) { return scaled_variants()[i.param].name; });

template <class T>
Coding by_range(double relative, std::uint32_t terms, Op op = Op::sum) {
  Coding coding = coding_for<T>(0, terms, op);
  coding.relative = relative;
  coding.scale = BlockScale::range;
  return coding;
}

// All instruction sets write the same sums, in either order, and dense holds the numbers of quant.
template <class T>
void sums_by_range(const Codec& codec, const Codec& reference) {
  const Codec& quant = *find_codec("quant");
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const double relative : {1e-3, 1e-9, 1e-13})
      for (const Op op : {Op::sum, Op::max}) {
        const std::size_t count = 1 + ++seed % 2600;
        SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + std::to_string(relative) + ", " +
                     seed_note());
        const Coding coding = by_range<T>(relative, 3, op);
        const auto x = make_field<T>(k.kind, count, seed, 0);
        const auto y = make_field<T>(Kind::land, count, seed, 1);
        const auto z = make_field<T>(k.kind, count, seed, 2);
        const Bytes fx = encode(codec, x, coding);
        const Bytes fz = encode(codec, z, coding);
        const Bytes xy = fold(codec, fx, y, coding);
        ASSERT_EQ(fx, encode(reference, x, coding));
        ASSERT_EQ(xy, fold(reference, fx, y, coding));
        const Bytes sum = add(codec, xy, fz, count, coding);
        ASSERT_EQ(sum, add(reference, xy, fz, count, coding));
        ASSERT_EQ(sum, add(codec, fz, xy, count, coding)) << "a + b and b + a differ";
        const auto got = decode<T>(codec, sum, count, coding);
        const auto theirs = decode<T>(
            quant,
            add(quant, fold(quant, encode(quant, x, coding), y, coding), encode(quant, z, coding), count, coding),
            count, coding);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits_of(got[i]), bits_of(theirs[i])) << "number " << i;
      }
}
TEST_P(WideFrames, SumsByRangeFloat) { sums_by_range<float>(codec(), reference()); }
TEST_P(WideFrames, SumsByRangeDouble) { sums_by_range<double>(codec(), reference()); }
TEST_P(WideFrames, SumsByRangeBfloat16) { sums_by_range<Bfloat16>(codec(), reference()); }

// One NaN, infinity or fill value costs its block about its own bits.
TEST_P(WideFrames, ExceptionsLeaveTheirBlocksCompressed) {
  std::vector<float> x = make_field<float>(Kind::walk, 8192, base_seed());
  const Coding coding = by_range<float>(1e-3, 1);
  const std::size_t without = encode(codec(), x, coding).size();
  for (std::size_t i = 100; i < x.size(); i += 512) x[i] = i % 1024 < 512 ? std::nanf("") : 1e20F;
  const Bytes frame = encode(codec(), x, coding);
  EXPECT_LT(frame.size(), without + 16 * 40);
  const auto back = decode<float>(codec(), frame, x.size(), coding);
  for (std::size_t i = 100; i < x.size(); i += 512) ASSERT_EQ(bits_of(x[i]), bits_of(back[i])) << i;
}

// A payload of NaN, or a denormal number, keeps all numbers of its block where it must.
TEST_P(WideFrames, IntegersKeepTheirBlocks) {
  std::vector<double> x = make_field<double>(Kind::walk, 2048, base_seed());
  x[700] = std::bit_cast<double>(std::uint64_t{0x7ff8000000001234});
  x[1600] = 3e-320;
  Coding coding = by_range<double>(1e-3, 1);
  coding.exact_denormals = true;
  const auto back = decode<double>(codec(), encode(codec(), x, coding), x.size(), coding);
  EXPECT_EQ(std::memcmp(back.data() + 512, x.data() + 512, 512 * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(back.data() + 1536, x.data() + 1536, 512 * sizeof(double)), 0);
  EXPECT_NE(std::memcmp(back.data(), x.data(), 512 * sizeof(double)), 0);
}

// Sums of numbers a trillion bounds from zero have the bits of the exact sum of their points, whatever the order, and
// keep the bound of all contributions.
TEST_P(WideFrames, SumsFarFromZeroAreExact) {
  using Exact = __float128;
  Random random(base_seed());
  const std::size_t count = 1500;
  for (const std::uint32_t ranks : {2u, 3u, 17u, 64u}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + seed_note());
    const double bound = 1e-12;
    Coding coding = coding_for<double>(bound, ranks);
    coding.greatest = 2;
    std::vector<std::vector<double>> x(ranks, std::vector<double>(count));
    std::vector<Exact> exact(count, 0);
    for (auto& own : x)
      for (std::size_t i = 0; i < count; ++i) {
        own[i] = 1.5 + std::sin(0.01 * static_cast<double>(i)) / 2 * random.unit();
        exact[i] += static_cast<Exact>(own[i]);
      }
    Bytes forwards = encode(codec(), x[0], coding);
    for (std::uint32_t r = 1; r < ranks; ++r) forwards = fold(codec(), forwards, x[r], coding);
    std::vector<Bytes> tree;
    for (const auto& own : x) tree.push_back(encode(codec(), own, coding));
    while (tree.size() > 1) {
      for (std::size_t i = 0; i + 1 < tree.size(); i += 2)
        tree[i / 2] = add(codec(), tree[i + 1], tree[i], count, coding);
      if (tree.size() % 2 != 0) tree[tree.size() / 2] = tree.back();
      tree.resize((tree.size() + 1) / 2);
    }
    const auto a = decode<double>(codec(), forwards, count, coding);
    const auto b = decode<double>(codec(), tree[0], count, coding);
    ASSERT_EQ(std::memcmp(a.data(), b.data(), count * sizeof(double)), 0) << "the order shows";
    for (std::size_t i = 0; i < count; ++i) {
      const auto off = static_cast<double>(exact[i] - static_cast<Exact>(a[i]));
      ASSERT_LE(std::fabs(off), ranks * bound + static_cast<double>(half_ulp(a[i]))) << "number " << i;
    }
    EXPECT_LT(forwards.size(), count * sizeof(double));
  }
}

// Contributions that fit 32 bits, but whose sum does not.
TEST_P(WideFrames, SumsBeyond32BitsAreExact) {
  Random random(base_seed());
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const auto ranks = static_cast<std::uint32_t>(2 + random.below(9));
    const Coding coding = coding_for<double>(0.5, ranks);
    std::vector<double> exact(40, 0);
    Bytes sum;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      std::vector<double> x(exact.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::round(0x1.8p31 * (2 * random.unit() - 1) * (random.below(4) == 0 ? 1.0 / ranks : 1));
        exact[i] += x[i];
      }
      sum = r == 0           ? encode(codec(), x, coding)
            : round % 2 == 0 ? fold(codec(), sum, x, coding)
                             : add(codec(), sum, encode(codec(), x, coding), x.size(), coding);
    }
    const auto got = decode<double>(codec(), sum, exact.size(), coding);
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_LE(std::fabs(got[i] - exact[i]), 0.5 * ranks) << i;
  }
}

// Where numbers only move, the bound covers the rounding of float64, also where the greatest of them is not known.
TEST_P(WideFrames, SingleNumbersFarFromZeroKeepTheBound) {
  Random random(base_seed());
  for (int round = 0; round < 60; ++round) {
    const double centre = std::ldexp(1 + random.unit(), static_cast<int>(random.below(60)) - 20);
    const double bound = std::ldexp(centre, -static_cast<int>(random.below(56)));
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    std::vector<double> x(1100);
    for (double& v : x) v = (random.below(2) == 0 ? -1 : 1) * centre * (1 + random.unit() / 64);
    Coding coding = coding_for<double>(bound);
    if (round % 2 == 0) coding.greatest = 2 * centre;
    const Bytes frame = encode(codec(), x, coding);
    ASSERT_EQ(frame, encode(reference(), x, coding));
    const auto back = decode<double>(codec(), frame, x.size(), coding);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::fabs(static_cast<long double>(x[i]) - static_cast<long double>(back[i])), bound) << i;
  }
}

// A frame of numbers that only move is not larger than an exact one, but for the heads of its blocks.
template <class T>
void never_larger_than_exact(const std::vector<T>& x) {
  const Codec& dense = *find_codec("dense");
  const std::size_t exact = encode(dense, x, coding_for<T>(0)).size();
  for (const double bound : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15})
    for (const bool scaled : {false, true}) {
      Coding coding = scaled ? by_range<T>(bound, 1) : coding_for<T>(bound);
      const Bytes frame = encode(dense, x, coding);
      EXPECT_LE(static_cast<double>(frame.size()), static_cast<double>(exact) * 1.01 + 64) << bound << ", " << scaled;
      const auto back = decode<T>(dense, frame, x.size(), coding);
      ASSERT_EQ(decode<T>(dense, fold(dense, frame, x, coding), x.size(), coding).size(), x.size());
      if (frame.size() == exact) {
        ASSERT_EQ(std::memcmp(back.data(), x.data(), x.size() * sizeof(T)), 0);
      }
    }
}
TEST(WideDense, FramesAreNotLargerThanExactOnes) {
  for (const NamedKind& k : all_kinds) {
    SCOPED_TRACE(std::string(k.name) + ", " + seed_note());
    never_larger_than_exact(make_field<float>(k.kind, 2 * dense::segment_values, base_seed()));
    never_larger_than_exact(make_field<double>(k.kind, dense::segment_values, base_seed()));
  }
}

// Decimals come back with their bits, beside numbers that are none.
TEST(WideDense, DecimalsKeepTheirBits) {
  Random random(base_seed());
  for (unsigned digits = 0; digits <= 9; ++digits)
    for (const std::size_t count : {1, 1024, 5000, 70000}) {
      SCOPED_TRACE(std::to_string(digits) + " digits, count " + std::to_string(count) + ", " + seed_note());
      std::vector<double> x(count);
      std::int64_t k = 0;
      for (double& v : x) {
        k += static_cast<std::int64_t>(random.below(2001)) - 1000;
        v = static_cast<double>(k) / std::pow(10.0, digits);
      }
      const std::size_t alone = encode(*find_codec("dense"), x, coding_for<double>(0)).size();
      if (count > 1024) {
        EXPECT_GT(x.size() * sizeof(double), 4 * alone);
      }
      for (std::size_t i = count / 2; i < std::min(count, count / 2 + 20); ++i)
        x[i] = std::sqrt(2.0 + static_cast<double>(i));
      if (count > 9) x[7] = -0.0, x[8] = std::nan(""), x[9] = 1e300;
      for (const auto& variant : dense_variants()) {
        const auto back =
            decode<double>(*variant, encode(*variant, x, coding_for<double>(0)), count, coding_for<double>(0));
        ASSERT_EQ(std::memcmp(back.data(), x.data(), count * sizeof(double)), 0);
      }
    }
}

}  // namespace
}  // namespace laconic::test
