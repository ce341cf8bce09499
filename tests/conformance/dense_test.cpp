// SPDX-License-Identifier: BSD-3-Clause
// dense: every instruction set gives the results of the reference kernels, the numbers are those of quant, and rows are
// found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/same_frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using dense::Kernels;

class DenseKernels : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Kernels& table() const { return *dense::available_kernels()[GetParam()]; }
  const Codec& codec() const { return *dense_variants()[GetParam()]; }
  const Codec& reference() const { return *dense_variants()[0]; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, DenseKernels, ::testing::Range(std::size_t{0}, dense::available_kernels().size()),
                         [](const auto& i) { return std::string(dense::available_kernels()[i.param]->name); });

TEST_P(DenseKernels, FramesFloat) { expect_same_frames<float>(codec(), reference()); }
TEST_P(DenseKernels, FramesDouble) { expect_same_frames<double>(codec(), reference()); }
TEST_P(DenseKernels, FramesFloat16) { expect_same_frames<Float16>(codec(), reference()); }
TEST_P(DenseKernels, FramesBfloat16) { expect_same_frames<Bfloat16>(codec(), reference()); }

// Rows whose length and likeness vary: `length` numbers, each near to the one above.
template <class T>
std::vector<T> make_rows(std::size_t count, std::size_t length, double noise, std::uint64_t seed) {
  const auto profile = make_field<T>(Kind::normal, length, seed);
  const auto change = make_field<T>(Kind::normal, count, seed + 1);
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<T>(static_cast<double>(profile[i % length]) + noise * static_cast<double>(change[i]));
  return x;
}

TEST_P(DenseKernels, FramesOfRowsAndSeveralSegments) {
  Random random(base_seed());
  for (const std::size_t count : {123, 130, 2000, 40000, 66000, 131072, 140001}) {
    SCOPED_TRACE("count " + std::to_string(count) + ", " + seed_note());
    const std::size_t length = 17 + random.below(std::min<std::size_t>(count / 5, 9000));
    const auto x = make_rows<float>(count, length, 0.01, random.bits());
    const auto y = make_rows<float>(count, length, 0.1, random.bits());
    for (const double allowance : {1e-6, 1e-3, 0.1})
      ASSERT_NO_FATAL_FAILURE(expect_same_frames(codec(), reference(), x, y, coding_for<float>(allowance, 2)));
  }
}

// Residuals of every width, wild and calm, as no lattice of real numbers gives them.
void fill(Random& random, dense::Residuals& r) {
  const std::uint64_t shape = random.below(4);
  std::uint64_t width = random.below(33);
  for (std::size_t i = 0; i < dense::block_values; ++i) {
    if (i % dense::sub_values == 0) {
      if (shape == 1) width = random.below(33);
      if (shape == 2) width = std::min<std::uint64_t>(32, width + random.below(3)) - (width > 0 ? random.below(2) : 0);
      if (shape == 3) width = random.below(20) == 0 ? random.below(33) : 0;
    }
    r.z[i] = width == 0 ? 0 : static_cast<std::uint32_t>(random.bits() >> 32) >> (32 - width);
  }
}

TEST_P(DenseKernels, CodeLikeTheReference) {
  Random random(base_seed());
  const Kernels& reference = dense::reference_kernels();
  const auto symbols = std::make_unique<dense::Symbols[]>(6);
  const auto expected_symbols = std::make_unique<dense::Symbols[]>(6);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t blocks = 1 + random.below(6);
    std::vector<dense::Residuals> residuals(blocks);
    std::vector<dense::CodedBlock> coded(blocks);
    std::vector<dense::CodedBlock> expected_coded(blocks);
    Guarded verbatim(blocks * dense::largest_verbatim + dense::slack);
    Guarded expected_verbatim(blocks * dense::largest_verbatim + dense::slack);
    std::byte* at = verbatim.bytes().data();
    std::byte* expected_at = expected_verbatim.bytes().data();
    for (std::size_t b = 0; b < blocks; ++b) {
      fill(random, residuals[b]);
      at = table().split(residuals[b], symbols[b], coded[b].table, at);
      expected_at = reference.split(residuals[b], expected_symbols[b], expected_coded[b].table, expected_at);
      coded[b].symbols = &symbols[b];
      expected_coded[b].symbols = &expected_symbols[b];
      ASSERT_EQ(coded[b].table, expected_coded[b].table);
    }
    const auto verbatim_bytes = static_cast<std::size_t>(at - verbatim.bytes().data());
    ASSERT_EQ(verbatim_bytes, static_cast<std::size_t>(expected_at - expected_verbatim.bytes().data()));
    ASSERT_EQ(std::memcmp(verbatim.bytes().data(), expected_verbatim.bytes().data(), verbatim_bytes), 0);
    ASSERT_TRUE(verbatim.intact() && expected_verbatim.intact());

    const std::size_t most = dense::slack + blocks * dense::largest_coded;
    Guarded out(most);
    Guarded expected_out(most);
    dense::Decoder decoder;
    dense::Decoder expected_decoder;
    std::byte* const end = out.bytes().data() + most;
    const std::byte* begin = table().encode(coded, end, decoder.states);
    const std::byte* expected_begin =
        reference.encode(expected_coded, expected_out.bytes().data() + most, expected_decoder.states);
    const auto size = static_cast<std::size_t>(end - begin);
    ASSERT_EQ(size, static_cast<std::size_t>(expected_out.bytes().data() + most - expected_begin));
    ASSERT_TRUE(out.intact() && expected_out.intact());
    ASSERT_EQ(std::memcmp(begin, expected_begin, size), 0);
    ASSERT_EQ(std::memcmp(decoder.states, expected_decoder.states, sizeof decoder.states), 0);

    Bytes bytes(begin, static_cast<const std::byte*>(end));
    bytes.resize(size + dense::decoder_reach);
    decoder.at = bytes.data();
    const std::byte* from = verbatim.bytes().data();
    for (std::size_t b = 0; b < blocks; ++b) {
      dense::Residuals back;
      from = table().decode(decoder, coded[b].table, from, at, back);
      ASSERT_NE(from, nullptr);
      ASSERT_EQ(std::memcmp(back.z, residuals[b].z, sizeof back.z), 0);
    }
    ASSERT_EQ(from, at);
    ASSERT_EQ(decoder.at, bytes.data() + size);
    for (const std::uint16_t state : decoder.states) ASSERT_EQ(state, dense::least_state);
  }
}

// Points over the whole range of 32 bits, as hostile frames can give them.
TEST_P(DenseKernels, PredictAndRestoreLikeTheReference) {
  Random random(base_seed());
  const Kernels& reference = dense::reference_kernels();
  const std::size_t before = dense::most_lag + 1;
  std::vector<std::int32_t> q(before + 2 * dense::block_values);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const unsigned bits = static_cast<unsigned>(1 + random.below(32));
    std::uint32_t level = 0;
    for (std::int32_t& point : q) {
      const auto r = static_cast<std::uint32_t>(random.bits() >> 32) >> (32 - bits);
      point = static_cast<std::int32_t>(level = round % 2 == 0 ? r : level + r - (1u << (bits - 1)));
    }
    const std::size_t lag = round % 3 == 0 ? 0 : 16 + random.below(dense::most_lag - 15);
    const std::size_t n = round % 5 == 0 ? 1 + random.below(dense::block_values) : dense::block_values;
    dense::Residuals got;
    dense::Residuals expected;
    const dense::Predictor predictor = table().predict(q.data() + before, n, lag, got);
    ASSERT_EQ(predictor, reference.predict(q.data() + before, n, lag, expected));
    ASSERT_EQ(std::memcmp(got.z, expected.z, sizeof got.z), 0);
    for (unsigned p = 0; p < (lag == 0 ? dense::predictors_without_lag : dense::predictors); ++p) {
      std::vector<std::int32_t> restored = q;
      std::vector<std::int32_t> expected_points = q;
      table().restore(got.z, dense::block_values, static_cast<dense::Predictor>(p), lag, restored.data() + before);
      reference.restore(got.z, dense::block_values, static_cast<dense::Predictor>(p), lag,
                        expected_points.data() + before);
      ASSERT_EQ(restored, expected_points) << "predictor " << p;
      if (p == static_cast<unsigned>(predictor) && n == dense::block_values) {
        ASSERT_EQ(restored, q);
      }
    }
  }
}

template <class T>
void same_numbers_as_quant() {
  const Codec& dense = *find_codec("dense");
  const Codec& quant = *find_codec("quant");
  std::uint64_t seed = base_seed();
  int compared = 0;
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {1, 1000, 5000})
      for (const double allowance : {0.0, 1e-5, 1e-2, 10.0})
        for (const Op op : {Op::sum, Op::max, Op::min}) {
          SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
          ++seed;
          const auto x = make_field<T>(k.kind, count, seed, 0);
          const auto y = make_field<T>(k.kind, count, seed, 1);
          const Coding coding = coding_for<T>(allowance, 3, op, seed % 4 == 0 ? 3 : 1);
          bool differ = false;  // quant has points of 64 bits, and dense none
          const auto numbers = [&](const Codec& codec) {
            const Bytes own = encode(codec, x, coding);
            const Bytes others = encode(codec, y, coding);
            const Bytes folded = fold(codec, own, y, coding);
            const Bytes sum = add(codec, folded, others, count, coding);
            for (const Bytes* frame : {&own, &others, &folded, &sum})
              for (const LatticeBlock& block : lattice_blocks(*frame, count, coding.dtype))
                differ = differ || block.far;
            EXPECT_LE(header_of(sum).error, 3 * allowance);
            return decode<T>(codec, sum, count, coding);
          };
          const auto got = numbers(dense);
          const auto expected = numbers(quant);
          if (differ) continue;
          ++compared;
          ASSERT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(T)), 0);
        }
  EXPECT_GT(compared, 300);
}
TEST(Dense, GivesTheNumbersOfQuantFloat) { same_numbers_as_quant<float>(); }
TEST(Dense, GivesTheNumbersOfQuantDouble) { same_numbers_as_quant<double>(); }
TEST(Dense, GivesTheNumbersOfQuantFloat16) { same_numbers_as_quant<Float16>(); }
TEST(Dense, GivesTheNumbersOfQuantBfloat16) { same_numbers_as_quant<Bfloat16>(); }

std::size_t lag_of(const Bytes& frame) {
  std::uint16_t lag;
  std::memcpy(&lag, frame.data() + wire::header_bytes + 8, 2);
  return lag;
}

// The lag is a multiple of the length of the rows, and frames are much smaller than those of quant.
TEST(Dense, FindsRows) {
  for (const std::size_t length : {17, 100, 501, 3001, 8191}) {
    SCOPED_TRACE("rows of " + std::to_string(length) + ", " + seed_note());
    const auto x = make_rows<float>(60000, length, 1e-3, base_seed() + length);
    const Coding coding = coding_for<float>(1e-3);
    const Bytes frame = encode(*find_codec("dense"), x, coding);
    EXPECT_GT(lag_of(frame), 0u);
    EXPECT_EQ(lag_of(frame) % length, 0u);
    EXPECT_LT(2 * frame.size(), encode(*find_codec("quant"), x, coding).size());
  }
}

// The bytes of a segment do not depend on the segments around it.
TEST(Dense, SegmentsAreIndependent) {
  const auto x = make_field<float>(Kind::walk, 3 * dense::segment_values + 500, base_seed());
  const Coding coding = coding_for<float>(1e-3);
  const Codec& codec = *find_codec("dense");
  const Bytes whole = encode(codec, x, coding);
  Bytes parts;
  for (std::size_t i = 0; i < x.size(); i += dense::segment_values) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last = x.begin() + static_cast<std::ptrdiff_t>(std::min(x.size(), i + dense::segment_values));
    const Bytes part = encode(codec, std::vector<float>(first, last), coding);
    parts.insert(parts.end(), part.begin() + wire::header_bytes, part.end());
  }
  EXPECT_EQ(Bytes(whole.begin() + wire::header_bytes, whole.end()), parts);
}

// Numbers for which the coder gains nothing: the frame is larger than they are, and fits.
TEST(Dense, LargestFramesFit) {
  Random random(base_seed());
  std::vector<float> x(dense::segment_values + 3);
  for (float& v : x) v = static_cast<float>(static_cast<double>(random.bits() >> 33) - 0x1p30);
  for (const std::size_t count : {x.size(), std::size_t{1024}, std::size_t{8}, std::size_t{1}}) {
    x.resize(count);
    const Bytes frame = encode(*find_codec("dense"), x, coding_for<float>(1.2, 2));
    EXPECT_TRUE(all_on_lattice(frame, count, Dtype::f32));
  }
}

}  // namespace
}  // namespace laconic::test
