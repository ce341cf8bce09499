// SPDX-License-Identifier: BSD-3-Clause
// The sum of many errors: they cancel where no rounding is biased.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/lattice.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

constexpr std::uint32_t terms = 256;
constexpr std::size_t elements = 250000;

// Contribution number t. All numbers have one sign, so that a bias towards or away from zero adds up.
std::vector<float> uniform(std::uint32_t t) {
  Random random(base_seed() + t);
  std::vector<float> x(elements);
  for (float& v : x) v = static_cast<float>(1 + random.unit());
  return x;
}

// A field of positive numbers, scaled so that no two contributions are rounded alike.
std::vector<float> scaled(std::size_t which, std::uint32_t t) {
  const std::vector<float>& field = detail::real_field(which);
  std::vector<float> x(elements);
  for (std::size_t i = 0; i < elements; ++i)
    x[i] = field[(i + t * 7919) % field.size()] * static_cast<float>(1 + t * 0x1p-9);
  return x;
}
std::vector<float> vorticities(std::uint32_t t) { return scaled(0, t); }
std::vector<float> temperatures(std::uint32_t t) { return scaled(1, t); }

// The mean error of a sum of 256 terms, as a share of the bound of one term.
template <class Make>
double mean_error(const Codec& codec, double allowance, Make&& make) {
  Coding coding = coding_for<float>(allowance, terms);
  std::vector<double> exact(elements);
  Bytes frame;
  for (std::uint32_t t = 0; t < terms; ++t) {
    const std::vector<float> x = make(t);
    for (std::size_t i = 0; i < elements; ++i) exact[i] += static_cast<double>(x[i]);
    if (t == 0) {
      frame = encode(codec, x, coding);
    } else {
      frame =
          t % 2 == 0 ? fold(codec, frame, x, coding) : add(codec, frame, encode(codec, x, coding), elements, coding);
    }
  }
  const auto sum = decode<float>(codec, frame, elements, coding);
  double total = 0;
  for (std::size_t i = 0; i < elements; ++i) total += static_cast<double>(sum[i]) - exact[i];
  return total / static_cast<double>(elements) / allowance;
}

// The mean of 250000 sums of 256 errors that are uniform in the bound deviates by 0.018 of it; a rounding that is
// biased by a hundredth of the bound shows as 2.56.
TEST(Statistics, SumsOfQuantAreUnbiased) {
  const Codec& codec = *find_codec("quant");
  EXPECT_LT(std::fabs(mean_error(codec, 1e-3, uniform)), 0.1) << seed_note();
  if (!have_real_fields()) GTEST_SKIP() << "no fields in " << detail::data_folder();
  EXPECT_LT(std::fabs(mean_error(codec, 1e-2, vorticities)), 0.1);
  // Numbers of many steps and of similar magnitude would all be biased alike by a 1 / step rounded to float32.
  for (const double allowance : {1e-2, 1.1e-2, 1.3e-2, 1.7e-2, 2e-2}) {
    if (sanitized && allowance != 1.3e-2) continue;
    EXPECT_LT(std::fabs(mean_error(codec, allowance, temperatures)), 0.1) << allowance;
  }
}

// Prints the table for docs/error-model.md: test_conformance --gtest_also_run_disabled_tests
// --gtest_filter='*BiasOfAllCodecs'
TEST(Statistics, DISABLED_BiasOfAllCodecs) {
  for (const Codec* codec : all_codecs())
    std::printf("%s: mean error %.3f (uniform), %.3f (vorticities), %.3f (temperatures) of one term's bound\n",
                std::string(codec->name()).c_str(), mean_error(*codec, 1e-3, uniform),
                mean_error(*codec, 1e-2, vorticities), mean_error(*codec, 1e-2, temperatures));
}

// Far from 0, a lattice point needs more bits than the data varies by: differences must remove the offset.
TEST(Statistics, DataWithALargeOffsetIsCompressedWithinItsBound) {
  Random random(base_seed());
  std::vector<float> x(100000);
  double largest = 0;
  for (float& v : x) {
    v = static_cast<float>(1000 + random.normal());
    largest = std::max(largest, std::fabs(static_cast<double>(v)));
  }
  const double allowance = 1e-4;
  for (const Subject& subject : all_subjects()) {
    if (subject.codec->name() != "quant") continue;
    for (const bool tell : {false, true}) {
      Coding coding = coding_for<float>(allowance, 4);
      const bool told = tell && tell_greatest(coding, largest);
      const Bytes frame = encode(*subject.codec, x, coding);
      EXPECT_LT(frame.size() * 3, x.size() * sizeof(float) * 2) << subject.name << ": a ratio of 1.5 or less";
      const auto back = decode<float>(*subject.codec, frame, x.size(), coding);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(std::fabs(static_cast<double>(x[i]) - static_cast<double>(back[i])),
                  allowance + (told ? 0 : static_cast<double>(half_ulp(back[i]))))
            << subject.name << ", number " << i << " is " << x[i];
    }
  }
}

}  // namespace
}  // namespace laconic::test
