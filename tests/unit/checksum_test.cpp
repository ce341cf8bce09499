// SPDX-License-Identifier: BSD-3-Clause
// The checksum that seals frames: all kernels agree with the definition, and a seal detects the damage that it must
// detect.
#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"
#include "wire/frame.hpp"
#include "wire/seal.hpp"

namespace laconic::test {
namespace {

Bytes random_bytes(std::size_t n, Random& random) {
  Bytes bytes(n);
  for (std::byte& b : bytes) b = std::byte(random.below(256));
  return bytes;
}

// The sum as the header defines it, computed word by word.
std::uint64_t defined_sum(const Bytes& bytes) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i * 8 < bytes.size(); ++i) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i * 8 + k < bytes.size(); ++k)
      word |= static_cast<std::uint64_t>(bytes[i * 8 + k]) << (8 * k);
    const std::uint64_t v = word ^ checksum::key(i % 128);
    const std::uint64_t two32 = std::uint64_t{1} << 32;
    total += checksum::weight(i / 128) * ((two32 + v % two32) * (two32 + v / two32));
  }
  return total;
}

TEST(Checksum, EveryKernelComputesTheDefinition) {
  Random random(base_seed());
  for (std::size_t n = 0; n < 5000; n += n < 70 ? 1 : 37 + random.below(100)) {
    const Bytes bytes = random_bytes(n, random);
    for (const checksum::Kernel& kernel : checksum::available_kernels())
      ASSERT_EQ(checksum::sum(bytes, kernel), defined_sum(bytes)) << kernel.name << ", " << n << " bytes";
    ASSERT_EQ(checksum::sum(bytes), defined_sum(bytes));
  }
}

// The expected values were computed once in Python from the definition: the bytes on the wire must not change
// unnoticed.
TEST(Checksum, IsThatOfVersionTwo) {
  Bytes bytes(3000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte((i * 7 + i / 256) % 256);
  EXPECT_EQ(checksum::sum(bytes), 0x2c41f15e808fd2f2ULL);
  EXPECT_EQ(checksum::sum({}), 0u);
}

struct Sealed {
  Bytes frame;  // frame followed by its seal
  wire::SealPlace place;
  bool right() const {
    const std::size_t end = frame.size() - wire::seal_bytes;
    const std::span<const std::byte> all(frame);
    wire::Seal seal;
    return wire::read_seal(all.subspan(end), place, all.first(wire::header_bytes),
                           checksum::sum(all.subspan(wire::header_bytes, end - wire::header_bytes)), seal);
  }
};

Sealed random_frame(std::size_t payload, Random& random) {
  Sealed s;
  s.frame = random_bytes(wire::header_bytes + payload + wire::seal_bytes, random);
  s.place = {random.bits(), random.bits() % 100, static_cast<std::uint32_t>(random.below(64))};
  const std::span<std::byte> all(s.frame);
  wire::write_seal({3, 2}, s.place, all.first(wire::header_bytes),
                   checksum::sum(all.subspan(wire::header_bytes, payload)), all.last(wire::seal_bytes));
  return s;
}

// Every flipped bit is found for any payload, also where the halves that are multiplied are all zeros or all ones.
TEST(Seal, FindsEveryFlippedBit) {
  Random random(base_seed());
  for (const std::size_t payload : {0u, 1u, 7u, 64u, 1000u, 1024u, 2500u})
    for (int fill = 0; fill < 3; ++fill) {
      Sealed s = random_frame(payload, random);
      if (fill > 0) {
        // Words that cancel their keys leave halves of 0, or of all ones.
        for (std::size_t i = 0; i + 8 <= payload; i += 8) {
          const std::uint64_t word = checksum::key(i / 8 % 128) ^ (fill == 1 ? 0 : ~std::uint64_t{0});
          std::memcpy(s.frame.data() + wire::header_bytes + i, &word, sizeof word);
        }
        const std::span<std::byte> all(s.frame);
        wire::write_seal({3, 2}, s.place, all.first(wire::header_bytes),
                         checksum::sum(all.subspan(wire::header_bytes, payload)), all.last(wire::seal_bytes));
      }
      ASSERT_TRUE(s.right());
      for (std::size_t bit = 0; bit < s.frame.size() * 8; ++bit) {
        s.frame[bit / 8] ^= std::byte(1u << bit % 8);
        ASSERT_FALSE(s.right()) << "bit " << bit << " of a payload of " << payload;
        s.frame[bit / 8] ^= std::byte(1u << bit % 8);
      }
    }
}

TEST(Seal, FindsOtherPlaces) {
  Random random(base_seed() + 1);
  for (int k = 0; k < 200; ++k) {
    Sealed s = random_frame(random.below(3000), random);
    const wire::SealPlace right = s.place;
    ASSERT_TRUE(s.right());
    s.place.operation ^= std::uint64_t{1} << random.below(64);
    EXPECT_FALSE(s.right());
    s.place = right;
    s.place.row += 1 + random.below(1000);
    EXPECT_FALSE(s.right());
    s.place = right;
    s.place.block ^= 1 + static_cast<std::uint32_t>(random.below(1000));
    EXPECT_FALSE(s.right());
  }
}

// Damage as networks and programs cause it: swapped words and ranges, several bit flips, ranges of zeros or noise.
TEST(Seal, FindsWhatNetworksAndProgramsDo) {
  Random random(base_seed() + 2);
  for (int k = 0; k < 20000; ++k) {
    Sealed s = random_frame(1 + random.below(5000), random);
    const Bytes before = s.frame;
    const std::size_t n = s.frame.size();
    const std::size_t length = 1 + random.below(std::min<std::size_t>(n, 600));
    const std::size_t at = random.below(n - length + 1);
    const std::size_t other = random.below(n - length + 1);
    const auto place = [&](std::size_t i) { return s.frame.begin() + static_cast<std::ptrdiff_t>(i); };
    switch (random.below(5)) {
      case 0:  // two words are swapped
        if (const std::size_t a = at / 8 * 8, b = other / 8 * 8; std::max(a, b) + 8 <= n)
          std::swap_ranges(place(a), place(a) + 8, place(b));
        break;
      case 1: std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(other), length, place(at)); break;
      case 2: std::fill_n(place(at), length, std::byte{0}); break;
      case 3:
        for (std::size_t i = 0; i < length; ++i) s.frame[at + i] = std::byte(random.below(256));
        break;
      default:
        for (std::size_t i = 0; i < 2 + random.below(3); ++i)
          s.frame[random.below(n)] ^= std::byte(1u << random.below(8));
    }
    ASSERT_TRUE(s.frame == before || !s.right()) << "case " << k << ", " << seed_note();
  }
}

}  // namespace
}  // namespace laconic::test
