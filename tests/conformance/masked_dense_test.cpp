// SPDX-License-Identifier: BSD-3-Clause
// Blocks of dense with exceptions: the numbers are those of quant, and damaged ones are read alike.  Tests of both
// codecs are in masked_test.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "support/exact.hpp"
#include "support/exceptions.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

// dense gives the numbers of quant, to the bit, where points have 32 bits.
template <class T>
void same_numbers() {
  const Codec& quant = *find_codec("quant");
  const Codec& dense = *find_codec("dense");
  Random random(base_seed());
  std::uint64_t seed = base_seed();
  std::size_t masked = 0;
  for (const Kind kind : {Kind::walk, Kind::sparse, Kind::normal, Kind::real})
    for (const Exceptions which : all_exceptions)
      for (const std::size_t count : {1, 700, 3000, 70000})
        for (const std::uint32_t terms : {1u, 3u}) {
          SCOPED_TRACE(name_of(kind) + ", exceptions " + std::to_string(static_cast<int>(which)) + ", count " +
                       std::to_string(count) + ", terms " + std::to_string(terms) + ", " + seed_note());
          ++seed;
          const Op op = terms == 1 ? seed % 2 == 0 ? Op::max : Op::min : Op::sum;
          Coding coding = coding_for<T>(sizeof(T) == 2 ? 0.5 : 1e-3, terms, op, terms == 3 && seed % 3 == 0 ? 3 : 1);
          coding.coarser = terms == 3 && seed % 5 == 0 ? 2 : 0;
          coding.exact_denormals = seed % 7 == 0;
          Coding last = coding;
          last.complete = coding.coarser > 0;
          const auto x = holed_field<T>(random, kind, count, which, seed, 0).x;
          const auto y = holed_field<T>(random, kind, count, which, seed, 1).x;
          const Coding moving = coding_for<T>(sizeof(T) == 2 ? 0.5 : 1e-3);
          for (const LatticeBlock& block : dense_blocks(encode(dense, x, moving), count, coding.dtype))
            masked += block.exceptions.empty() || block.points.empty() ? 0 : 1;
          const auto results = [&](const Codec& codec) {
            auto numbers = decode<T>(codec, encode(codec, x, moving), count, moving);
            const Bytes folded = fold(codec, encode(codec, x, coding), y, coding);
            for (const T v : decode<T>(codec, folded, count, coding)) numbers.push_back(v);
            for (const T v : decode<T>(codec, add(codec, folded, encode(codec, y, coding), count, last), count, last))
              numbers.push_back(v);
            return numbers;
          };
          const auto got = results(dense);
          const auto expected = results(quant);
          // Segments of numbers that only move keep their bits where that is smaller.
          for (std::size_t i = 0; i < got.size(); ++i)
            if (i >= count || bits_of(got[i]) != bits_of(x[i])) {
              ASSERT_EQ(bits_of(got[i]), bits_of(expected[i])) << "number " << i;
            }
        }
  EXPECT_GT(masked, 1000);
}
TEST(MaskedBlocksOfDense, GiveTheNumbersOfQuantFloat) { same_numbers<float>(); }
TEST(MaskedBlocksOfDense, GiveTheNumbersOfQuantDouble) { same_numbers<double>(); }
TEST(MaskedBlocksOfDense, GiveTheNumbersOfQuantBfloat16) { same_numbers<Bfloat16>(); }

// Frames fit where points have no order and exceptions all differ, however many there are.
template <class T>
void largest_frames() {
  Random random(base_seed());
  for (const std::uint64_t rarity : {2, 3, 9, 100, 1023})
    for (const bool exceptions : {false, true}) {
      SCOPED_TRACE("rarity " + std::to_string(rarity) + ", " + seed_note());
      std::vector<T> x(dense::segment_values + 3);
      for (T& v : x) {
        v = static_cast<T>(static_cast<double>(random.bits() >> 35) - 0x1p28);
        if ((random.below(rarity) == 0) == exceptions) v = exception<T>(Exceptions::payloads, random);
      }
      const Coding coding = coding_for<T>(0.6, 2);
      const Bytes frame = encode(*find_codec("dense"), x, coding);  // into memory of the size of capacity()
      std::size_t masked = 0;
      for (const LatticeBlock& block : dense_blocks(frame, x.size(), coding.dtype))
        masked += block.exceptions.empty() || block.points.empty() ? 0 : 1;
      EXPECT_GT(masked, 20u);
    }
}
TEST(MaskedBlocksOfDense, FitHoweverLargeFloat) { largest_frames<float>(); }
TEST(MaskedBlocksOfDense, FitHoweverLargeDouble) { largest_frames<double>(); }

// A bit of a frame is flipped, or the parts of the only segment lose their last bytes.
TEST(MaskedBlocksOfDense, AreReadAlikeWhenDamaged) {
  Random random(base_seed());
  const Coding coding = coding_for<float>(1e-3, 2);
  const auto& variants = dense_variants();
  std::size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t count = 1 + random.below(2 * dense::block_values);
    const auto f = holed_field<float>(random, Kind::walk, count, all_exceptions[round % 7], random.bits());
    const Bytes frame = encode(*variants[0], f.x, coding);
    for (int damage = 0; damage < 10; ++damage) {
      Bytes broken = frame;
      if (random.below(3) == 0) {
        const std::size_t begin = wire::header_bytes + dense::head_bytes + dense::blocks_of(count);
        const std::size_t size = random.below(frame.size() - begin + 1);
        broken.resize(begin + size);
        const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(size), 0};  // no coded part
        std::memcpy(broken.data() + wire::header_bytes, sizes, sizeof sizes);
        wire::Header header = header_of(frame);
        header.payload = static_cast<std::uint32_t>(broken.size() - wire::header_bytes);
        wire::write_header(header, broken);
      } else {
        const std::size_t at = wire::header_bytes + random.below(broken.size() - wire::header_bytes);
        broken[at] ^= static_cast<std::byte>(1u << random.below(8));
      }
      Guarded expected(count * sizeof(float));
      const Status first = variants[0]->decode(broken, expected.bytes().data(), count, coding);
      refused += first.ok() ? 0 : 1;
      for (const auto& codec : variants) {
        Guarded got(count * sizeof(float));
        const Status s = codec->decode(broken, got.bytes().data(), count, coding);
        ASSERT_EQ(s.ok(), first.ok());
        ASSERT_TRUE(got.intact());
        if (s.ok()) {
          ASSERT_EQ(std::memcmp(got.bytes().data(), expected.bytes().data(), count * sizeof(float)), 0);
        }
      }
    }
  }
  EXPECT_GT(refused, 400u);
}

}  // namespace
}  // namespace laconic::test
