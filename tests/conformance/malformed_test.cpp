// SPDX-License-Identifier: BSD-3-Clause
// Bytes that are not a frame of the codec give an error or numbers, never a crash or a write outside of the numbers.
#include <gtest/gtest.h>

#include <cstring>

#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

void set_payload(Bytes& frame) {
  const auto payload = static_cast<std::uint32_t>(frame.size() - wire::header_bytes);
  std::memcpy(frame.data() + 12, &payload, sizeof payload);
}

class Malformed : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Subject& subject() const { return all_subjects()[GetParam()]; }
  const Codec& codec() const { return *subject().codec; }

  // Passes these bytes to every function. Frames lie in heap memory of their exact size, so that AddressSanitizer sees
  // every read beyond them.
  template <class T>
  bool try_all(const Bytes& frame, const std::vector<T>& numbers, const Bytes& good, const Coding& coding) {
    const std::size_t count = numbers.size();
    Guarded decoded(count * sizeof(T));
    const bool decodes = codec().decode(frame, decoded.as<T>(), count, coding).ok();
    EXPECT_TRUE(decoded.intact());
    Guarded out(codec().capacity(count, coding.dtype));
    const auto sane = [&](const Coded& coded) {
      EXPECT_TRUE(decodes || !coded.status.ok()) << "what cannot be decoded was added up";
      EXPECT_TRUE(out.intact());
      EXPECT_LE(coded.bytes, out.bytes().size());
      EXPECT_EQ(coded.status.ok(), coded.bytes != 0);
      EXPECT_TRUE(coded.status.ok() || coded.status.code() == Code::frame);
      EXPECT_TRUE(coded.status.ok() || !coded.status.message().empty());
    };
    sane(codec().fold(frame, numbers.data(), count, coding, out.bytes()));
    sane(codec().add(frame, good, count, coding, out.bytes()));
    sane(codec().add(good, frame, count, coding, out.bytes()));
    sane(codec().add(frame, frame, count, coding, out.bytes()));
    return decodes;
  }

  template <class T>
  void truncations() {
    for (const Kind kind : {Kind::normal, Kind::special, Kind::constant, Kind::sparse, Kind::walk}) {
      const std::size_t count = 1100;
      const auto x = make_field<T>(kind, count, base_seed());
      const Coding coding = coding_for<T>(1e-2, 4);
      const Bytes good = encode(codec(), x, coding);
      for (std::size_t size = 0; size < good.size(); size += subject().stride) {
        Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
        ASSERT_FALSE(try_all(cut, x, good, coding)) << name_of(kind) << " cut to " << size << " bytes";
        if (size < wire::header_bytes) continue;
        set_payload(cut);
        ASSERT_FALSE(try_all(cut, x, good, coding)) << name_of(kind) << " cut to " << size << " bytes, and says so";
        if (HasFailure()) return;
      }
      for (std::size_t more = 1; more < 40; ++more) {
        Bytes longer = good;
        longer.resize(good.size() + more);
        ASSERT_FALSE(try_all(longer, x, good, coding));
        set_payload(longer);
        ASSERT_FALSE(try_all(longer, x, good, coding)) << name_of(kind) << " with " << more << " bytes too many";
      }
    }
  }

  template <class T>
  void damage() {
    Random random(base_seed());
    for (int round = 0; round < 1500; round += static_cast<int>(subject().stride)) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
      const Kind kind = all_kinds[random.below(all_kinds.size())].kind;
      const std::size_t count = 1 + random.below(2500);
      const auto x = make_field<T>(kind, count, random.bits());
      Coding coding = coding_for<T>(random.below(4) ? 1e-3 : 0, 2, static_cast<Op>(random.below(3)));
      coding.divisor = random.below(2) ? 1 : 2;
      const Bytes good = encode(codec(), x, coding);
      Bytes bad = good;
      const std::uint64_t edits = 1 + random.below(4);
      for (std::uint64_t e = 0; e < edits; ++e) {
        // Half of the damage is near the beginning, because headers and block heads matter most.
        const std::size_t at = random.below(random.below(2) ? std::min<std::size_t>(bad.size(), 48) : bad.size());
        const auto place = bad.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random.below(4)) {
          case 0: bad[at] ^= static_cast<std::byte>(1u << random.below(8)); break;
          case 1: bad[at] = static_cast<std::byte>(random.bits()); break;
          case 2: bad.insert(place, static_cast<std::byte>(random.bits())); break;
          case 3: bad.erase(place); break;
        }
        if (bad.empty()) bad.push_back({});
      }
      if (bad.size() >= wire::header_bytes && random.below(4) != 0) set_payload(bad);
      try_all(bad, x, good, coding);
      if (HasFailure()) return;
    }
  }

  template <class T>
  void noise() {
    Random random(base_seed() + 1);
    for (int round = 0; round < 2000; round += static_cast<int>(subject().stride)) {
      const std::size_t count = 1 + random.below(3000);
      const auto x = make_field<T>(Kind::normal, count, 1);
      const Coding coding = coding_for<T>(1e-3, 2);
      const Bytes good = encode(codec(), x, coding);
      Bytes bad(good.begin(), good.begin() + wire::header_bytes);
      bad.resize(wire::header_bytes + random.below(600));
      for (std::size_t i = wire::header_bytes; i < bad.size(); ++i)
        bad[i] = static_cast<std::byte>(random.below(2) ? random.bits() : random.below(4));
      set_payload(bad);
      try_all(bad, x, good, coding);
      if (HasFailure()) return;
    }
  }
};

class MalformedSmallFloats : public Malformed {};

INSTANTIATE_TEST_SUITE_P(Codecs, Malformed, ::testing::Range(std::size_t{0}, all_subjects().size()),
                         [](const auto& i) { return all_subjects()[i.param].name; });
INSTANTIATE_TEST_SUITE_P(Codecs, MalformedSmallFloats, ::testing::ValuesIn(subjects_with(Dtype::f16)),
                         [](const auto& i) { return all_subjects()[i.param].name; });

TEST_P(Malformed, TruncatedFloat) { truncations<float>(); }
TEST_P(Malformed, TruncatedDouble) { truncations<double>(); }
TEST_P(MalformedSmallFloats, TruncatedFloat16) { truncations<Float16>(); }
TEST_P(MalformedSmallFloats, TruncatedBfloat16) { truncations<Bfloat16>(); }
TEST_P(Malformed, DamagedFloat) { damage<float>(); }
TEST_P(Malformed, DamagedDouble) { damage<double>(); }
TEST_P(MalformedSmallFloats, DamagedFloat16) { damage<Float16>(); }
TEST_P(MalformedSmallFloats, DamagedBfloat16) { damage<Bfloat16>(); }
TEST_P(Malformed, NoiseFloat) { noise<float>(); }
TEST_P(Malformed, NoiseDouble) { noise<double>(); }
TEST_P(MalformedSmallFloats, NoiseFloat16) { noise<Float16>(); }
TEST_P(MalformedSmallFloats, NoiseBfloat16) { noise<Bfloat16>(); }

// Valid frames that do not match: another count, type, codec or step, and frames marked as failed.
TEST_P(Malformed, FramesOfSomethingElse) {
  const auto x = make_field<float>(Kind::normal, 100, 1);
  const auto wide = make_field<double>(Kind::normal, 100, 1);
  const Coding coding = coding_for<float>(1e-2, 2);
  const Bytes good = encode(codec(), x, coding);
  EXPECT_FALSE(try_all(encode(codec(), make_field<float>(Kind::normal, 101, 1), coding), x, good, coding));
  EXPECT_FALSE(try_all(encode(codec(), make_field<float>(Kind::normal, 99, 1), coding), x, good, coding));
  EXPECT_FALSE(try_all(encode(codec(), wide, coding_for<double>(1e-2, 2)), x, good, coding));
  for (const Subject& other : all_subjects())
    if (other.codec->id() != codec().id()) {
      EXPECT_FALSE(try_all(encode(*other.codec, x, coding), x, good, coding)) << other.name;
    }

  Bytes failed(wire::header_bytes);
  EXPECT_EQ(wire::write_failed_frame(100, Dtype::f32, failed), failed.size());
  EXPECT_FALSE(try_all(failed, x, good, coding));

  const Bytes other_step = encode(codec(), x, coding_for<float>(1e-3, 2));
  if (header_of(other_step).step != header_of(good).step) {
    Guarded out(codec().capacity(100, Dtype::f32));
    EXPECT_FALSE(codec().fold(other_step, x.data(), 100, coding, out.bytes()).status.ok());
    EXPECT_FALSE(codec().add(other_step, good, 100, coding, out.bytes()).status.ok());
    EXPECT_FALSE(codec().add(good, other_step, 100, coding, out.bytes()).status.ok());
  }
}

// A block must not give widths to sub-blocks beyond its last number.
TEST(MalformedBlock, WithWidthsBeyondItsNumbers) {
  for (const quant::Kernels* kernels : quant::available_kernels())
    for (const std::size_t n : {1, 16, 17, 33, 64, 100, 1008}) {
      quant::Points points;
      for (std::size_t i = 0; i < quant::block_values; ++i) points.q[i] = i % 2 == 0 ? 1 : -1;
      Bytes block(quant::largest_packed_block + quant::store_slack);
      const quant::Entry entry = kernels->pack(points, quant::block_values, block.data());
      const quant::Packed in{entry, block.data(), block.data() + quant::bytes_of(entry)};
      EXPECT_TRUE(kernels->unpack(in, quant::block_values, points)) << kernels->name;
      EXPECT_FALSE(kernels->unpack(in, n, points)) << kernels->name << ", " << n << " numbers";
    }
}

// Lattice blocks in a frame whose step is 0 do not represent any numbers.
TEST_P(Malformed, BlocksOfALatticeThatIsNotThere) {
  const auto x = make_field<float>(Kind::normal, 100, 1);
  Bytes frame = encode(codec(), x, coding_for<float>(1e-2, 2));
  if (header_of(frame).step == 0) return;  // the codec has no lattice
  const double step = 0;
  std::memcpy(frame.data() + 16, &step, sizeof step);
  const Coding lossless = coding_for<float>(0, 2);
  EXPECT_FALSE(try_all(frame, x, encode(codec(), x, lossless), lossless));
}

}  // namespace
}  // namespace laconic::test
