// SPDX-License-Identifier: BSD-3-Clause
// Exact frames of dense: every bit of every type comes back with every instruction set, cuts of numbers lose nothing,
// and noise and rows are found.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "codec/dense/exact_numbers.hpp"
#include "codec/dense/exact_segment.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/same_frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using dense::exact::Cut;

const Codec& dense_of_table() { return *find_codec("dense"); }

template <class T>
class Exact : public ::testing::Test {};
using AllOfThem = ::testing::Types<float, double, Float16, Bfloat16, std::int8_t, std::uint8_t, std::int16_t,
                                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Exact, AllOfThem);

TYPED_TEST(Exact, EveryInstructionSetKeepsAllBits) {
  using T = TypeParam;
  const Coding coding = coding_for<T>(0);
  std::uint64_t turn = sizeof(T);
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {1, 7, 1000, 1024, 4097, 70001}) {
      if (++turn % one_in != 0) continue;
      SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
      const auto x = make_field<T>(k.kind, count, base_seed() + count);
      const auto y = make_field<T>(k.kind, count, base_seed() + count + 1);
      for (const auto& codec : dense_variants()) {
        ASSERT_NO_FATAL_FAILURE(expect_same_frames(*codec, *dense_variants()[0], x, y, coding));
        const auto back = decode<T>(*codec, encode(*codec, x, coding), count, coding);
        ASSERT_EQ(std::memcmp(back.data(), x.data(), count * sizeof(T)), 0);
      }
    }
}

// Sums are those of lossless, to the bit.
TYPED_TEST(Exact, CombinesAsLosslessDoes) {
  using T = TypeParam;
  const Codec& lossless = *find_codec("lossless");
  for (const NamedKind& k : all_kinds)
    for (const Op op : {Op::sum, Op::max, Op::min}) {
      SCOPED_TRACE(std::string(k.name) + ", " + seed_note());
      const std::size_t count = 3000;
      const auto x = make_field<T>(k.kind, count, base_seed(), 0);
      const auto y = make_field<T>(k.kind, count, base_seed(), 1);
      const Coding coding = coding_for<T>(0, 3, op, 3);
      const auto result = [&](const Codec& codec) {
        const Bytes folded = fold(codec, encode(codec, x, coding), y, coding);
        return decode<T>(codec, add(codec, folded, encode(codec, x, coding), count, coding), count, coding);
      };
      const auto got = result(dense_of_table());
      const auto expected = result(lossless);
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(T)), 0);
    }
}

// Both ways of cutting a number give its bits back, for any shift that its low bits allow.
TYPED_TEST(Exact, CutsLoseNothing) {
  using W = dense::exact::Words<TypeParam>;
  using Word = typename W::Word;
  Random random(base_seed());
  for (int round = 0; round < 20000; ++round) {
    Cut cut;
    cut.shift = static_cast<unsigned>(random.below(W::bits - 1));
    cut.rest = W::wide ? static_cast<unsigned>(random.below(dense::most_rest + 1)) : 0;
    auto x = static_cast<Word>(random.bits());
    const auto sign = static_cast<Word>(Word{1} << (W::bits - 1));
    x = static_cast<Word>(static_cast<Word>(W::magnitude(x) >> cut.shift << cut.shift) | static_cast<Word>(x & sign));
    const auto v = W::integer(x, cut);
    if (W::wide) cut.base = static_cast<std::uint64_t>(v) - (random.bits() >> (32 - 8 * cut.rest) >> 1);
    const auto difference = static_cast<Word>(v - static_cast<Word>(cut.base));
    const auto rest = static_cast<Word>(difference & dense::exact::low_bytes<Word>(cut.rest));
    ASSERT_EQ(W::word(W::point(x, cut), rest, cut), x) << seed_note();
    ASSERT_EQ(W::unrotated(W::rotated(x, cut), cut), x) << seed_note();
  }
}

template <class T>
double ratio(const Codec& codec, const std::vector<T>& x) {
  return static_cast<double>(x.size() * sizeof(T)) / static_cast<double>(encode(codec, x, coding_for<T>(0)).size());
}
template <class T>
double gain(const std::vector<T>& x) {
  return ratio(dense_of_table(), x) / ratio(*find_codec("lossless"), x);
}

TYPED_TEST(Exact, NoiseStaysRaw) {
  using T = TypeParam;
  const std::size_t count = 66000;
  const Bytes frame = encode(dense_of_table(), make_field<T>(Kind::random_bits, count, base_seed()), coding_for<T>(0));
  EXPECT_LT(static_cast<double>(frame.size()), 1.02 * static_cast<double>(count * sizeof(T)) + 200);
}

// Noise around 0, as in gradients: all that can be saved is in the exponents.
TEST(ExactFrames, CodeTheExponentsOfNoise) {
  EXPECT_GT(gain(make_field<float>(Kind::normal, 65536, base_seed())), 1.03);
  EXPECT_GT(gain(make_field<double>(Kind::normal, 65536, base_seed())), 1.0);
  EXPECT_GT(gain(make_field<Bfloat16>(Kind::normal, 65536, base_seed())), 1.1);
}

// A smooth surface: rows resemble the rows above.
TEST(ExactFrames, PredictFromAbove) {
  std::vector<float> x;
  std::vector<double> wide;
  for (int row = 0; row < 200; ++row)
    for (int column = 0; column < 300; ++column) {
      wide.push_back(300 + (row * row % 97) * 0.5 + column * (300 - column) * 1e-3);
      x.push_back(static_cast<float>(wide.back()));
    }
  EXPECT_GT(gain(x), 1.2);
  EXPECT_GT(gain(wide), 1.1);
}

// float64 numbers that were float32 once, and clocks: what 64 bits have more than needed costs nothing.
TEST(ExactFrames, NarrowWideNumbers) {
  const auto narrow = make_field<float>(Kind::walk, 65536, base_seed());
  const std::vector<double> wide(narrow.begin(), narrow.end());
  EXPECT_GT(ratio(dense_of_table(), wide), 1.8 * ratio(dense_of_table(), narrow));
  std::vector<std::int64_t> ticks;
  Random random(base_seed());
  for (std::int64_t i = 0; i < 65536; ++i)
    ticks.push_back(1700000000000000000 + i * 1024000 + static_cast<std::int64_t>(random.below(1024)) * 1024);
  EXPECT_GT(ratio(dense_of_table(), ticks), 5.0);
}

TEST(ExactFrames, SegmentsAreIndependent) {
  const auto x = make_field<float>(Kind::walk, 2 * dense::segment_values + 500, base_seed());
  const Coding coding = coding_for<float>(0);
  const Bytes whole = encode(dense_of_table(), x, coding);
  Bytes parts;
  for (std::size_t i = 0; i < x.size(); i += dense::segment_values) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = x.begin() + static_cast<std::ptrdiff_t>(std::min(x.size(), i + dense::segment_values));
    const Bytes part = encode(dense_of_table(), std::vector<float>(first, last), coding);
    parts.insert(parts.end(), part.begin() + wire::header_bytes, part.end());
  }
  EXPECT_EQ(Bytes(whole.begin() + wire::header_bytes, whole.end()), parts);
}

// An allowance that is too small for a lattice, and integers with any allowance, give exact frames.
TEST(ExactFrames, WhereNothingIsRounded) {
  const auto x = make_field<double>(Kind::normal, 3000, base_seed());
  const Bytes exact = encode(dense_of_table(), x, coding_for<double>(0));
  EXPECT_EQ(encode(dense_of_table(), x, coding_for<double>(std::numeric_limits<double>::denorm_min())), exact);
  const auto counts = make_field<std::int32_t>(Kind::walk, 3000, base_seed());
  EXPECT_EQ(encode(dense_of_table(), counts, coding_for<std::int32_t>(10)),
            encode(dense_of_table(), counts, coding_for<std::int32_t>(0)));
}

}  // namespace
}  // namespace laconic::test
