// SPDX-License-Identifier: BSD-3-Clause
// Kernels at the edges of their fast paths: points that float32 can and cannot represent, and steps at its limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/lattice.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

class Edges : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Codec& codec() const { return *quant_variants()[GetParam()]; }
  const Codec& reference() const { return *quant_variants()[0]; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, Edges, ::testing::Range(std::size_t{0}, quant::available_kernels().size()),
                         [](const auto& i) { return std::string(quant::available_kernels()[i.param]->name); });

// The greatest point of all may be unreachable: the product with 1 / step can round to a value beyond it.
constexpr std::array<std::int64_t, 10> edges{1 << 15, 32000,   1 << 16, 1 << 22, 1 << 23,
                                             1 << 24, 1 << 25, 1 << 26, 1 << 30, 2147483646};

// Points up to an edge: those close to it, among others anywhere below.
std::vector<std::int32_t> points_up_to(std::int64_t edge, std::size_t count, Random& random) {
  std::vector<std::int32_t> q(count);
  for (std::int32_t& v : q) {
    const std::int64_t off = static_cast<std::int64_t>(random.below(9)) - 4;
    const auto any = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(edge)));
    const std::int64_t point = std::min<std::int64_t>(random.below(2) == 0 ? edge + off : any, 2147483646);
    v = static_cast<std::int32_t>(random.below(2) == 0 ? -point : point);
  }
  return q;
}

// Steps of 21 significant bits, as encoders make them: some near the smallest normal float32, others elsewhere.
std::vector<double> some_steps(Random& random) {
  std::vector<double> steps;
  for (const int exponent : {-150, -149, -128, -127, -126, -125, -30, -7, 0, 64, 100, 125, 126, 127, 128})
    for (const double significand :
         {1.0, 1 + 0x1p-20, 2 - 0x1p-20, 1 + static_cast<double>(random.below(1 << 20)) * 0x1p-20})
      steps.push_back(significand * detail::power_of_two(exponent));
  return steps;
}

// Every point decodes to q * step, rounded once. This test catches a table that multiplies in float32 although a point
// has more bits than float32.
TEST_P(Edges, PointsDecodeToTheirProductWithTheStepRoundedOnce) {
  Random random(base_seed());
  for (const double step : some_steps(random)) {
    const double allowance = allowance_of_step(reference(), step);
    ASSERT_GT(allowance, 0) << "no allowance gives the step " << step;
    for (const std::int64_t edge : edges)
      for (const std::size_t count : {1, 15, 64, 1000, 1024, 2051}) {
        SCOPED_TRACE("step " + std::to_string(std::log2(step)) + ", points to " + std::to_string(edge) + ", count " +
                     std::to_string(count) + ", " + seed_note());
        const std::vector<std::int32_t> q = points_up_to(edge, count, random);
        std::vector<double> numbers(count);
        for (std::size_t i = 0; i < count; ++i) numbers[i] = q[i] * step;
        const Bytes wide = encode(codec(), numbers, coding_for<double>(allowance));
        ASSERT_EQ(wide, encode(reference(), numbers, coding_for<double>(allowance)));
        const Bytes narrow = as_type(wide, Dtype::f32);
        for (const double divisor : {1.0, 3.0}) {
          const auto doubles = decode<double>(codec(), wide, count, coding_for<double>(0, 1, Op::sum, divisor));
          const auto floats = decode<float>(codec(), narrow, count, coding_for<float>(0, 1, Op::sum, divisor));
          for (std::size_t i = 0; i < count; ++i) {
            const double exact = divisor == 1 ? numbers[i] : numbers[i] / divisor;
            ASSERT_EQ(bits_of(doubles[i]), bits_of(exact + 0.0)) << "point " << q[i] << ", divisor " << divisor;
            ASSERT_EQ(bits_of(floats[i]), bits_of(static_cast<float>(exact + 0.0)))
                << "point " << q[i] << ", divisor " << divisor;
          }
        }
      }
  }
}

// Numbers near lattice points and half-way between them, near every edge: checks the bytes of the reference, and the
// bound.
template <class T>
void rounds(const Codec& codec, const Codec& reference) {
  Random random(base_seed());
  for (const double step : some_steps(random))
    for (const std::int64_t edge : edges) {
      const std::vector<std::int32_t> q = points_up_to(edge, 300, random);
      const double allowance = step / 2 * (1 + 0x1p-6);  // gives a step close to the requested one
      for (const std::uint32_t terms : {1u, 2u, 65536u}) {
        SCOPED_TRACE("step " + std::to_string(std::log2(step)) + ", points to " + std::to_string(edge) + ", terms " +
                     std::to_string(terms) + ", " + seed_note());
        Coding coding = coding_for<T>(allowance, terms);
        std::vector<T> x;
        for (std::size_t i = 0; i < q.size(); ++i) {
          const double about = (static_cast<double>(q[i]) + (i % 3 == 0 ? 0.5 : 0)) * step;
          if (std::fabs(about) > std::numeric_limits<T>::max()) continue;
          const auto v = static_cast<T>(about);
          x.push_back(i % 4 == 0 ? std::nextafter(v, T(0)) : v);
        }
        double largest = 0;
        for (const T v : x) largest = std::max(largest, std::fabs(static_cast<double>(v)));
        for (const bool tell : {false, true}) {
          const bool told = tell && tell_greatest(coding, largest);
          const Bytes frame = encode(codec, x, coding);
          ASSERT_EQ(frame, encode(reference, x, coding));
          const auto back = decode<T>(codec, frame, x.size(), coding);
          for (std::size_t i = 0; i < x.size(); ++i) {
            const long double off = std::fabs(static_cast<long double>(x[i]) - static_cast<long double>(back[i]));
            const long double rounding = sizeof(T) == 4 && !told ? half_ulp(back[i]) : 0;
            ASSERT_LE(off, static_cast<long double>(allowance) + rounding) << "number " << x[i];
          }
        }
      }
    }
}
TEST_P(Edges, NumbersAboutPointsRoundLikeTheReferenceFloat) { rounds<float>(codec(), reference()); }
TEST_P(Edges, NumbersAboutPointsRoundLikeTheReferenceDouble) { rounds<double>(codec(), reference()); }

}  // namespace
}  // namespace laconic::test
