// SPDX-License-Identifier: BSD-3-Clause
// Cases where the bound of quant also covers the last rounding to float32: docs/error-model.md, One number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr int rounds = slow_build ? 200 : 3000;

double power_of_two(std::int64_t exponent) { return std::ldexp(1.0, static_cast<int>(exponent)); }

// Numbers of up to this magnitude, including the greatest itself, with their neighbours; some are half-way between
// points.
std::vector<float> numbers_up_to(Random& random, float greatest, double step) {
  std::vector<float> x;
  for (int i = 0; i < 60; ++i) {
    const auto v = static_cast<float>((2 * random.unit() - 1) * greatest * (i < 20 ? power_of_two(-i) : 1));
    const auto tie = static_cast<float>((std::floor(v / step) + 0.5) * step);
    for (const float w : {v, std::nextafter(v, 0.0f), tie, std::nextafter(tie, v), std::nextafter(tie, 2 * tie - v)})
      if (std::fabs(w) <= greatest) x.push_back(w);
  }
  for (const float w : {greatest, -greatest, std::nextafter(greatest, 0.0f)}) x.push_back(w);
  return x;
}

// The numbers decoded from the frame of x; every instruction set must give the same.
std::vector<float> through(const std::vector<float>& x, const Coding& coding) {
  const auto& variants = quant_variants();
  const Bytes frame = encode(*variants.front(), x, coding);
  EXPECT_EQ(encode(*variants.back(), x, coding), frame);
  return decode<float>(*variants.back(), frame, x.size(), coding);
}

// A greatest magnitude; in half of the cases a unit in its last place is near the allowance or above.
float some_greatest(Random& random, double allowance) {
  const auto ratio = static_cast<std::int64_t>(random.below(2) ? random.below(32) : 20 + random.below(8)) - 2;
  const double g = allowance * (1 + random.unit()) * power_of_two(ratio);
  return static_cast<float>(std::min<double>(g, std::numeric_limits<float>::max()));
}

TEST(StrictBound, HoldsForAllNumbersWhenTheGreatestIsKnown) {
  Random random(base_seed());
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    Coding coding =
        coding_for<float>((1 + random.unit()) * power_of_two(static_cast<std::int64_t>(random.below(280)) - 160));
    const float greatest = some_greatest(random, coding.allowance);
    coding.greatest = greatest;
    const double step = quant::Lattice::make(coding.allowance, 1, Dtype::f32, greatest).step;
    if (greatest == 0 || step == 0) continue;
    const auto x = numbers_up_to(random, greatest, step);
    const auto back = through(x, coding);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(std::fabs(static_cast<long double>(back[i]) - x[i]), coding.allowance) << x[i];
      constexpr float infinity = std::numeric_limits<float>::infinity();
      const double gap = std::min(static_cast<double>(x[i]) - std::nextafter(x[i], -infinity),
                                  static_cast<double>(std::nextafter(x[i], infinity)) - x[i]);
      if (gap >= coding.allowance) {
        ASSERT_EQ(back[i], x[i]) << "its neighbours are further away than the allowance";
      }
    }
  }
}

TEST(StrictBound, HoldsUpTo99000StepsWhenItIsNot) {
  Random random(base_seed());
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const Coding coding =
        coding_for<float>((1 + random.unit()) * power_of_two(static_cast<std::int64_t>(random.below(220)) - 126));
    const double step = quant::Lattice::make(coding.allowance, 1, Dtype::f32).step;
    const auto x =
        numbers_up_to(random, static_cast<float>(step * (99000 - static_cast<double>(random.below(70000)))), step);
    const auto back = through(x, coding);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LE(std::fabs(static_cast<long double>(back[i]) - x[i]), coding.allowance) << x[i];
    }
  }
}

}  // namespace
}  // namespace laconic::test
