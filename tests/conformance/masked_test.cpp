// SPDX-License-Identifier: BSD-3-Clause
// Blocks with exceptions, numbers without a lattice point: they keep their bits, the numbers beside them are coded as
// without them, sums are the same in any order, and every instruction set writes the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/exact.hpp"
#include "support/exceptions.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::Mask;
TEST(Masks, ComeBackFromTheirCodedForm) {
  Random random(base_seed());
  for (int round = 0; round < 5000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const auto n = static_cast<unsigned>(random.below(quant::block_values + 1));
    const Mask mask = some_mask(random, n);
    Guarded out(quant::largest_coded_mask);
    const unsigned size = quant::write_mask(mask, n, out.bytes().data());
    ASSERT_TRUE(out.intact() && size <= quant::largest_coded_mask);
    ASSERT_LE(size, 1 + quant::bitmap_bytes(n) + (n == 0 ? 1 : 0));
    ASSERT_EQ(size, quant::write_mask(mask, n, nullptr));
    Mask back;
    const std::byte* at = out.bytes().data();
    ASSERT_TRUE(quant::read_mask(at, at + size, n, back));
    ASSERT_EQ(at, out.bytes().data() + size);
    ASSERT_EQ(std::memcmp(mask.words, back.words, sizeof mask.words), 0);
    for (unsigned cut = 0; cut < size; ++cut) {
      const Bytes part(out.bytes().begin(), out.bytes().begin() + cut);
      const std::byte* from = part.data();
      ASSERT_FALSE(quant::read_mask(from, from + cut, n, back)) << "cut to " << cut;
    }
  }
}

TEST(Masks, OfLongRunsAreSmall) {
  Mask mask;
  mask.clear();
  EXPECT_EQ(quant::write_mask(mask, 1024, nullptr), 1u);
  for (std::size_t i = 300; i < 1024; ++i) mask.add(i);
  EXPECT_EQ(quant::write_mask(mask, 1024, nullptr), 3u);  // 300 takes two bytes
}

TEST(Masks, RunsBeyondTheEndAreRefused) {
  const Bytes runs{std::byte{2}, std::byte{100}, std::byte{29}};
  Mask mask;
  for (const unsigned n : {129u, 128u}) {
    const std::byte* at = runs.data();
    EXPECT_EQ(quant::read_mask(at, at + runs.size(), n, mask), n == 129);
  }
}

class Masked : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }
};

std::vector<std::size_t> on_lattices() {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < all_subjects().size(); ++i)
    if (all_subjects()[i].codec->error_shape().lattice) all.push_back(i);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Codecs, Masked, ::testing::ValuesIn(on_lattices()),
                         [](const auto& i) { return all_subjects()[i.param].name; });

// Exceptions come back to the bit.  The numbers beside them come back as they do without exceptions, or exactly, where
// a block that only moves is raw because that is smaller.
template <class T>
void round_trips(const Subject& subject) {
  Random random(base_seed());
  std::size_t masked = 0;
  std::uint64_t seed = base_seed();
  for (const Kind kind : {Kind::walk, Kind::sparse, Kind::normal, Kind::real, Kind::ramp})
    for (const Exceptions which : all_exceptions)
      for (const std::size_t count : {1, 2, 17, 1024, 5000})
        for (const std::uint32_t terms : {1u, 3u, 65536u}) {
          if (++seed % subject.stride != 0) continue;
          SCOPED_TRACE(name_of(kind) + ", exceptions " + std::to_string(static_cast<int>(which)) + ", count " +
                       std::to_string(count) + ", terms " + std::to_string(terms) + ", " + seed_note());
          const Coding coding = coding_for<T>(sizeof(T) == 2 ? 0.5 : 1e-3, terms);
          const auto f = holed_field<T>(random, kind, count, which, seed);
          const Bytes frame = encode(*subject.codec, f.x, coding);
          ASSERT_EQ(frame, encode(reference_of(*subject.codec), f.x, coding));
          const auto got = decode<T>(*subject.codec, frame, count, coding);
          const auto whole = decode<T>(*subject.codec, encode(*subject.codec, f.whole, coding), count, coding);
          const auto blocks = lattice_blocks(frame, count, coding.dtype);
          for (const LatticeBlock& block : blocks) masked += block.exceptions.empty() || block.points.empty() ? 0 : 1;
          for (std::size_t i = 0; i < count; ++i) {
            const LatticeBlock& block = blocks[i / quant::block_values];
            if (f.exceptions[i]) {
              ASSERT_FALSE(block.has_point(i % quant::block_values));
              ASSERT_EQ(bits_of(got[i]), bits_of(f.x[i])) << "exception " << i;
            } else if (block.has_point(i % quant::block_values) || terms > 1) {
              ASSERT_EQ(bits_of(got[i]), bits_of(whole[i])) << "number " << i;
            } else {
              ASSERT_EQ(bits_of(got[i]), bits_of(f.x[i])) << "number " << i << " of a raw block";
            }
          }
        }
  EXPECT_GT(masked, 500 / subject.stride);
}
TEST_P(Masked, RoundTripsFloat) { round_trips<float>(subject()); }
TEST_P(Masked, RoundTripsDouble) { round_trips<double>(subject()); }
TEST_P(Masked, RoundTripsBfloat16) { round_trips<Bfloat16>(subject()); }

// Frames of contributions with exceptions at different places: whatever the order, the bytes of the sum are the same if
// the exceptions are NaN or infinite; and folds, sums of frames and the reference agree in any case.
template <class T>
void sums(const Subject& subject) {
  const Codec& codec = *subject.codec;
  const Codec& reference = reference_of(codec);
  // Numbers beyond points of 32 bits are exceptions of dense, and added as such.
  const double small_allowance = codec.name() == "dense" ? 1e-4 : 1e-9;
  Random random(base_seed());
  std::uint64_t seed = base_seed();
  const auto payload = [](const Bytes& frame) { return Bytes(frame.begin() + wire::header_bytes, frame.end()); };
  for (const Kind kind : {Kind::walk, Kind::sparse, Kind::real})
    for (const Exceptions which : all_exceptions)
      for (const Op op : {Op::sum, Op::max, Op::min})
        for (const double allowance : {1e-2, small_allowance}) {
          if (++seed % subject.stride != 0) continue;
          SCOPED_TRACE(name_of(kind) + ", exceptions " + std::to_string(static_cast<int>(which)) + ", op " +
                       std::to_string(static_cast<int>(op)) + ", " + seed_note());
          constexpr int ranks = 5;
          const std::size_t count = random.below(2) ? 3000 : 1 + random.below(2000);
          const Coding coding = coding_for<T>(allowance, op == Op::sum ? ranks : 1, op);
          std::vector<Bytes> frames;
          std::vector<std::vector<T>> x;
          for (int r = 0; r < ranks; ++r) {
            // Some ranks have no exceptions, or only zeros.
            auto f = holed_field<T>(random, r == 3 ? Kind::zero : kind, count, which, seed, r);
            x.push_back(r == 1 || (r == 3 && random.below(2)) ? f.whole : f.x);
            frames.push_back(encode(codec, x.back(), coding));
          }
          Bytes folded = frames[0];
          Bytes added = frames[ranks - 1];
          for (std::size_t r = 1; r < ranks; ++r) {
            const Bytes before = folded;
            folded = fold(codec, before, x[r], coding);
            ASSERT_EQ(folded, fold(reference, before, x[r], coding));
            ASSERT_EQ(payload(folded), payload(add(codec, before, frames[r], count, coding)));
            const Bytes sum = add(codec, added, frames[ranks - 1 - r], count, coding);
            ASSERT_EQ(sum, add(codec, frames[ranks - 1 - r], added, count, coding));
            ASSERT_EQ(sum, add(reference, added, frames[ranks - 1 - r], count, coding));
            added = sum;
          }
          if (op != Op::sum || !finite(which)) {
            ASSERT_EQ(payload(folded), payload(added));
          }
          const auto got = decode<T>(codec, folded, count, coding);
          const auto backwards = decode<T>(codec, added, count, coding);
          for (std::size_t i = 0; i < count; ++i) {
            const Exact e = reduce_exactly(op, ranks, [&](int r) { return x[static_cast<std::size_t>(r)][i]; });
            if (e.nan) {
              ASSERT_TRUE(std::isnan(exactly(got[i])));
            } else if (e.infinite != 0) {
              ASSERT_EQ(exactly(got[i]), e.infinite * std::numeric_limits<long double>::infinity());
            } else if (e.magnitude <= exactly(std::numeric_limits<T>::max())) {
              const bool large = e.magnitude > 1e6L;  // an exception: rounded at every addition
              const long double rounding = large ? ranks * half_ulp(std::numeric_limits<T>::max()) : half_ulp(got[i]);
              ASSERT_LE(std::fabs(exactly(got[i]) - e.value), header_of(folded).error + rounding) << "number " << i;
              if (!large) {
                ASSERT_EQ(bits_of(got[i]), bits_of(backwards[i]));
              }
            }
          }
        }
}
TEST_P(Masked, SumsFloat) { sums<float>(subject()); }
TEST_P(Masked, SumsDouble) { sums<double>(subject()); }

// The results beside exceptions do not depend on how the data is cut into blocks.
TEST_P(Masked, BlocksDoNotMatter) {
  Random random(base_seed());
  const std::size_t count = 4000;
  for (const Exceptions which : {Exceptions::one_nan, Exceptions::infinities, Exceptions::payloads}) {
    const Coding coding = coding_for<float>(1e-3, 2);
    const auto a = holed_field<float>(random, Kind::walk, count, which, base_seed(), 0);
    const auto b = holed_field<float>(random, Kind::walk, count, which, base_seed(), 1);
    const auto sum = [&](std::size_t begin, std::size_t n) {
      const auto from = [&](const std::vector<float>& x) {
        return std::vector<float>(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                  x.begin() + static_cast<std::ptrdiff_t>(begin + n));
      };
      return decode<float>(codec(), fold(codec(), encode(codec(), from(a.x), coding), from(b.x), coding), n, coding);
    };
    const auto whole = sum(0, count);
    for (std::size_t begin = 0, n; begin < count; begin += n) {
      n = std::min(count - begin, 1 + random.below(700));
      const auto part = sum(begin, n);
      ASSERT_EQ(std::memcmp(part.data(), whole.data() + begin, n * sizeof(float)), 0) << seed_note();
    }
  }
}

// A field with land: its size with fill values is that with zeros, or less.
TEST_P(Masked, CostLittle) {
  auto x = make_field<float>(Kind::walk, 100000, base_seed());
  const Coding coding = coding_for<float>(1e-2);
  const auto with = [&](float land) {
    auto y = x;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (i / 90 % 3 == 0 || i % 997 == 0) y[i] = land;
    return encode(codec(), y, coding).size();
  };
  const std::size_t zeros = with(0);
  EXPECT_LE(with(std::numeric_limits<float>::quiet_NaN()), zeros * 1.05);
  EXPECT_LE(with(9.96921e36f), zeros * 1.05);
  for (float& v : x) v = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LE(with(1e20f), 100000 / 1024 * 120) << "a block of two values";
}

// Bodies that are cut, or whose bits are flipped, are refused or read by all instruction sets alike.
TEST(MaskedBlocks, DamagedBodiesAreReadAlike) {
  Random random(base_seed());
  const Coding coding = coding_for<float>(1e-3, 2);
  const auto& variants = quant_variants();
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t count = 1 + random.below(quant::block_values);
    const auto f = holed_field<float>(random, Kind::walk, count, all_exceptions[round % 7], random.bits());
    Bytes frame = encode(*variants[0], f.x, coding);
    for (int damage = 0; damage < 10; ++damage) {
      Bytes broken = frame;
      if (broken.size() > 44 && random.below(2)) {  // the index says what is left of the body
        broken.resize(40 + 2 * random.below((broken.size() - 40) / 2));
        const auto size = static_cast<std::uint16_t>(broken.size() - 34);
        const auto entry = static_cast<std::uint16_t>(7u | (size / 2u) << 3);
        std::memcpy(broken.data() + 32, &entry, sizeof entry);
        wire::Header header = header_of(frame);
        header.payload = size + 2u;
        wire::write_header(header, broken);
      } else {
        broken[34 + random.below(broken.size() - 34)] ^= static_cast<std::byte>(1u << random.below(8));
      }
      Guarded expected(count * sizeof(float));
      const Status first = variants[0]->decode(broken, expected.bytes().data(), count, coding);
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
}

}  // namespace
}  // namespace laconic::test
