// SPDX-License-Identifier: BSD-3-Clause
// Sums that are rounded once more because they are results: Coding::coarser.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

class RoundedResults : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }
};

std::vector<std::size_t> subjects_that_round() {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < all_subjects().size(); ++i)
    if (all_subjects()[i].codec->rounds_results()) all.push_back(i);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Codecs, RoundedResults, ::testing::ValuesIn(subjects_that_round()),
                         [](const auto& i) { return all_subjects()[i.param].name; });

Coding completing(Coding coding) {
  coding.complete = true;
  return coding;
}

// A sum that is rounded has the points of the sum that is not, divided by 2^k and rounded with ties to even.  Blocks
// off the lattice are not rounded.
template <class T>
void rounded_sums(const Subject& subject) {
  const Codec& codec = *subject.codec;
  const Codec& reference = reference_of(codec);
  std::uint64_t seed = base_seed();
  for (const NamedKind& kind : all_kinds)
    for (const std::size_t count : {0, 1, 1023, 1025, 5000})
      for (const double allowance : {1e-6, 1e-2, 1e4})
        for (const std::uint32_t coarser : {1u, 2u, 7u, 16u}) {
          if (++seed % subject.stride != 0) continue;
          SCOPED_TRACE(std::string(kind.name) + ", count " + std::to_string(count) + ", allowance " +
                       std::to_string(allowance) + ", 2^" + std::to_string(coarser) + ", " + seed_note());
          const auto x = make_field<T>(kind.kind, count, seed, 0);
          const auto y = make_field<T>(seed % 3 == 0 ? Kind::zero : kind.kind, count, seed, 1);
          Coding coding = coding_for<T>(allowance, 2);
          coding.coarser = coarser;
          const Bytes fx = encode(codec, x, coding);
          const Bytes fy = encode(codec, y, coding);
          const Bytes sum = add(codec, fx, fy, count, coding);
          const Bytes rounded = add(codec, fx, fy, count, completing(coding));
          ASSERT_EQ(rounded, add(codec, fy, fx, count, completing(coding))) << "a + b and b + a differ";
          ASSERT_EQ(rounded, add(reference, fx, fy, count, completing(coding)));
          const Bytes folded = fold(codec, fx, y, completing(coding));
          ASSERT_EQ(folded, fold(reference, fx, y, completing(coding)));
          if (all_on_lattice(fx, count, coding.dtype) && all_on_lattice(fy, count, coding.dtype)) {
            ASSERT_EQ(folded, rounded);
          }
          const double step = header_of(sum).step;
          const double unit = std::ldexp(1.0, static_cast<int>(coarser));
          ASSERT_EQ(header_of(rounded).step, unit * step);
          ASSERT_EQ(header_of(rounded).error, header_of(sum).error + unit * step / 2);

          const auto before = lattice_blocks(sum, count, coding.dtype);
          const auto after = lattice_blocks(rounded, count, coding.dtype);
          const auto numbers = decode<T>(codec, sum, count, coding);
          const auto results = decode<T>(codec, rounded, count, completing(coding));
          for (std::size_t i = 0; i < count; ++i) {
            const LatticeBlock& block = before[i / quant::block_values];
            T expected = numbers[i];
            if (block.has_point(i % quant::block_values)) {
              const double point = std::nearbyint(block.points[i % quant::block_values] / unit) + 0.0;  // not -0
              ASSERT_EQ(after[i / quant::block_values].points[i % quant::block_values], point) << "number " << i;
              expected = static_cast<T>(point * unit * step);
            }
            ASSERT_EQ(bits_of(results[i]), bits_of(expected)) << "number " << i;
          }
        }
}
TEST_P(RoundedResults, Float) { rounded_sums<float>(subject()); }
TEST_P(RoundedResults, Double) { rounded_sums<double>(subject()); }
TEST_P(RoundedResults, Float16) { rounded_sums<Float16>(subject()); }
TEST_P(RoundedResults, Bfloat16) { rounded_sums<Bfloat16>(subject()); }

// The steps tell a result from a partial sum: one is never taken for the other.
TEST_P(RoundedResults, AreNotPartialSums) {
  const auto x = make_field<float>(Kind::walk, 3000, base_seed());
  Coding coding = coding_for<float>(1e-3, 8);
  coding.coarser = 3;
  const Coding result = completing(coding);
  const Bytes partial = encode(codec(), x, coding);
  const Bytes sum = fold(codec(), partial, x, result);
  std::vector<float> numbers(x.size());
  Bytes out(codec().capacity(x.size(), Dtype::f32));
  EXPECT_EQ(codec().decode(sum, numbers.data(), x.size(), coding).code(), Code::frame);
  EXPECT_EQ(codec().decode(partial, numbers.data(), x.size(), result).code(), Code::frame);
  EXPECT_EQ(codec().fold(sum, x.data(), x.size(), coding, out).status.code(), Code::frame);
  EXPECT_EQ(codec().fold(sum, x.data(), x.size(), result, out).status.code(), Code::frame);
  EXPECT_EQ(codec().add(partial, sum, x.size(), result, out).status.code(), Code::frame);
  EXPECT_TRUE(codec().decode(sum, numbers.data(), x.size(), result).ok());
}

// Contributions of the largest magnitude that is on the lattice: rounding their sum does not wrap around.
TEST_P(RoundedResults, DoNotOverflow) {
  for (const std::uint32_t terms : {2u, 3u, 127u})
    for (const std::uint32_t coarser : {1u, 7u, 24u}) {
      Coding coding = coding_for<double>(0.5, terms);
      coding.coarser = coarser;
      const auto lattice = quant::Lattice::make(0.5, terms, Dtype::f64, 0, coarser);
      const double largest = lattice.largest * lattice.step;
      const std::vector<double> x{largest, -largest, std::nextafter(largest, 0.0), -largest / 2, 1, 0};
      Bytes frame = encode(codec(), x, coding);
      ASSERT_TRUE(all_on_lattice(frame, x.size(), Dtype::f64));
      for (std::uint32_t t = 1; t < terms; ++t)
        frame = fold(codec(), frame, x, t + 1 == terms ? completing(coding) : coding);
      const auto got = decode<double>(codec(), frame, x.size(), completing(coding));
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(got[i], x[i] * terms, 0.5 * (terms + std::ldexp(1.0, static_cast<int>(coarser))))
            << "terms " << terms << ", 2^" << coarser;
    }
}

TEST(RoundingOfResults, IsRefusedWhereItDoesNotExist) {
  for (const Codec* codec : all_codecs()) {
    const std::vector<float> x(10, 1.0f);
    Bytes out(codec->capacity(x.size(), Dtype::f32));
    Coding coding = coding_for<float>(1e-3);
    coding.coarser = 1;
    EXPECT_EQ(codec->encode(x.data(), x.size(), coding, out).status.ok(), codec->rounds_results()) << codec->name();
    coding.coarser = largest_coarser + 1;
    EXPECT_EQ(codec->encode(x.data(), x.size(), coding, out).status.code(), Code::argument) << codec->name();
    if (!codec->relative()) continue;
    coding = coding_for<float>(0);
    coding.relative = 0.1;
    coding.coarser = 1;
    EXPECT_EQ(codec->encode(x.data(), x.size(), coding, out).status.code(), Code::argument) << codec->name();
  }
}

}  // namespace
}  // namespace laconic::test
