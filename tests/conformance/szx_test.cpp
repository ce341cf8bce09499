// SPDX-License-Identifier: BSD-3-Clause
// Promises of szx beyond those of every codec: its chunks, its blocks, and the bound at its edges.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codec/szx/layout.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

const Codec& szx_of_table() { return *find_codec("szx"); }

// The payload of a frame with one chunk.
Bytes frame_of_chunk(std::uint32_t count, Dtype dtype, std::span<const std::byte> chunk) {
  Bytes frame(wire::header_bytes + szx::index_bytes + chunk.size());
  const auto size = static_cast<std::uint32_t>(chunk.size());
  std::memcpy(frame.data() + wire::header_bytes, &size, sizeof size);
  std::memcpy(frame.data() + wire::header_bytes + szx::index_bytes, chunk.data(), chunk.size());
  wire::Header header;
  header.codec = szx_of_table().id();
  header.dtype = dtype;
  header.count = count;
  header.payload = static_cast<std::uint32_t>(frame.size() - wire::header_bytes);
  wire::write_header(header, frame);
  return frame;
}

bool decodes(const Bytes& frame, std::size_t count) {
  Guarded out(count * sizeof(float));
  const bool ok = szx_of_table().decode(frame, out.as<float>(), count, coding_for<float>(1e-3)).ok();
  EXPECT_TRUE(out.intact());
  return ok;
}

TEST(Szx, AnyChunkDecodesAlone) {
  for (const Kind kind : {Kind::walk, Kind::special, Kind::sparse}) {
    const std::size_t count = 3 * szx::chunk_values + 777;
    const auto x = make_field<float>(kind, count, base_seed());
    const Coding coding = coding_for<float>(1e-2);
    const Bytes frame = encode(szx_of_table(), x, coding);
    const auto all = decode<float>(szx_of_table(), frame, count, coding);
    std::size_t at = wire::header_bytes + 4 * szx::index_bytes;
    for (std::size_t k = 0; k < 4; ++k) {
      std::uint32_t size = 0;
      std::memcpy(&size, frame.data() + wire::header_bytes + k * szx::index_bytes, sizeof size);
      const std::size_t first = k * szx::chunk_values;
      const std::size_t n = std::min(szx::chunk_values, count - first);
      const Bytes alone = frame_of_chunk(static_cast<std::uint32_t>(n), Dtype::f32, std::span(frame).subspan(at, size));
      const auto part = decode<float>(szx_of_table(), alone, n, coding);
      EXPECT_EQ(std::memcmp(part.data(), all.data() + first, n * sizeof(float)), 0) << "chunk " << k;
      at += size;
    }
    EXPECT_EQ(at, frame.size());
  }
}

// Each of the 40 constant blocks of a chunk takes one number and one bit.
TEST(Szx, ConstantBlocksTakeOneNumber) {
  const std::vector<float> x(2 * szx::chunk_values, 3.25f);
  const std::size_t chunk = szx::index_bytes + 5 + 40 * sizeof(float);
  EXPECT_EQ(encode(szx_of_table(), x, coding_for<float>(0)).size(), wire::header_bytes + 2 * chunk);
}

TEST(Szx, RefusesWhatIsNoBlock) {
  const std::size_t n = 6;  // two bytes of leading counts
  const auto byte = [](unsigned v) { return static_cast<std::byte>(v); };
  const Bytes good{byte(1), byte(9), byte(0),    byte(0),
                   byte(0), byte(0), byte(0xaa), byte(0x0a)};  // L 9: two bytes, both left out of each number
  EXPECT_TRUE(decodes(frame_of_chunk(n, Dtype::f32, good), n));
  const auto refused = [&](std::size_t at, unsigned value, std::string_view why) {
    Bytes bad = good;
    bad[at] = static_cast<std::byte>(value);
    EXPECT_FALSE(decodes(frame_of_chunk(n, Dtype::f32, bad), n)) << why;
  };
  refused(0, 3, "the state of a block that is not there");
  refused(0, 0, "bytes left over");
  refused(1, 8, "less than sign and exponent");
  refused(1, 33, "more bits than a number has");
  refused(1, 32, "raw numbers that are not there");
  refused(1, 17, "three bytes each, of which one is not there");
  refused(6, 0xab, "three leading bytes of two");
  refused(7, 0x1a, "the leading bytes of a number that is not there");
  refused(7, 0x09, "a byte that is not there");
  Bytes short_words = good;
  short_words[1] = byte(8);
  short_words[6] = short_words[7] = byte(0);
  short_words.resize(good.size() + n);
  EXPECT_FALSE(decodes(frame_of_chunk(n, Dtype::f32, short_words), n)) << "less than sign and exponent";
  // Wrong sizes in the index.
  for (const std::uint32_t size : {0u, 1u, 7u, 9u, 0xffffffffu}) {
    Bytes frame = frame_of_chunk(n, Dtype::f32, good);
    std::memcpy(frame.data() + wire::header_bytes, &size, sizeof size);
    EXPECT_FALSE(decodes(frame, n)) << "a chunk of " << size << " bytes";
  }
}

TEST(Szx, RefusesChunksThatAreNotWhereTheIndexSays) {
  const auto x = make_field<float>(Kind::normal, szx::chunk_values + 100, base_seed());
  const Bytes good = encode(szx_of_table(), x, coding_for<float>(1e-3));
  EXPECT_TRUE(decodes(good, x.size()));
  for (const std::uint32_t shift : {1u, 100u, ~0u, ~99u}) {
    Bytes bad = good;
    std::uint32_t sizes[2];
    std::memcpy(sizes, bad.data() + wire::header_bytes, sizeof sizes);
    sizes[0] += shift;
    sizes[1] -= shift;
    std::memcpy(bad.data() + wire::header_bytes, sizes, sizeof sizes);
    EXPECT_FALSE(decodes(bad, x.size())) << "the second chunk begins " << static_cast<std::int32_t>(shift) << " later";
  }
  Bytes spliced = good;  // an extra byte between the chunks, which no block uses
  std::uint32_t first = 0;
  std::memcpy(&first, spliced.data() + wire::header_bytes, sizeof first);
  spliced.insert(spliced.begin() + wire::header_bytes + 2 * szx::index_bytes + first, std::byte{0});
  ++first;
  std::memcpy(spliced.data() + wire::header_bytes, &first, sizeof first);
  const auto payload = static_cast<std::uint32_t>(spliced.size() - wire::header_bytes);
  std::memcpy(spliced.data() + 12, &payload, sizeof payload);
  EXPECT_FALSE(decodes(spliced, x.size()));
}

// Every decoded number is strictly within the allowance of x.
template <class T>
void is_within(const std::vector<T>& x, double allowance) {
  const Coding coding = coding_for<T>(allowance);
  const Bytes frame = encode(szx_of_table(), x, coding);
  const auto back = decode<T>(szx_of_table(), frame, x.size(), coding);
  const double error = header_of(frame).error;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      ASSERT_EQ(bits_of(x[i]), bits_of(back[i]));
      continue;
    }
    ASSERT_LE(std::fabs(static_cast<long double>(x[i]) - back[i]), error) << x[i] << " came back as " << back[i];
  }
}

// Offsets make the subtraction and addition of the middle round; powers of two leave no slack for that.
template <class T>
void keeps_its_bound() {
  Random random(base_seed());
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const int spread = static_cast<int>(random.below(60)) - 30;
    const double offset = random.below(3) == 0 ? 0 : random.normal() * detail::power_of_two(spread);
    const double scale = detail::power_of_two(static_cast<int>(random.below(40)) - 30);
    std::vector<T> x(1 + random.below(400));
    for (T& v : x) v = static_cast<T>(offset + random.normal() * scale);
    const double room = random.below(2) == 0 ? 1 : 1 + random.unit();
    const int finest = sizeof(T) == 4 ? 30 : 60;
    const int bits = static_cast<int>(random.below(static_cast<std::uint64_t>(finest)));
    is_within(x, room * scale * detail::power_of_two(4 - bits));
    if (::testing::Test::HasFatalFailure()) return;
  }
}
TEST(Szx, KeepsItsBoundWhereArithmeticRoundsFloat) { keeps_its_bound<float>(); }
TEST(Szx, KeepsItsBoundWhereArithmeticRoundsDouble) { keeps_its_bound<double>(); }

// Numbers of similar magnitude, so that blocks have a range: from the denormals to the largest number.
template <class T>
void any_exponent() {
  using Bits = BitsOf<T>;
  Random random(base_seed());
  constexpr int fraction = szx::Format<T>::fraction;
  constexpr Bits exponents = (Bits{1} << (szx::Format<T>::bits - 1 - fraction)) - 1;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const Bits top = static_cast<Bits>(random.below(exponents));
    std::vector<T> x(1 + random.below(300));
    for (T& v : x) {
      const Bits exponent = top - std::min<Bits>(top, static_cast<Bits>(random.below(4)));
      const Bits tail = static_cast<Bits>(random.bits()) & ((Bits{1} << fraction) - 1);
      const Bits sign = random.below(2) == 0 ? 0 : szx::Format<T>::sign;
      v = std::bit_cast<T>(static_cast<Bits>(sign | exponent << fraction | tail));
    }
    const int e = static_cast<int>(top) - szx::Format<T>::bias - static_cast<int>(random.below(fraction + 4));
    is_within(x, std::ldexp(random.below(2) == 0 ? 1 : 1 + random.unit(), e));
    if (::testing::Test::HasFatalFailure()) return;
  }
}
TEST(Szx, KeepsItsBoundAtAnyExponentFloat) { any_exponent<float>(); }
TEST(Szx, KeepsItsBoundAtAnyExponentDouble) { any_exponent<double>(); }

TEST(Szx, KeepsItsBoundOnRealFields) {
  for (std::size_t which = 0; which < 5; ++which) {
    const std::vector<float>& x = detail::real_field(which);
    if (x.empty()) continue;
    const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
    for (const double share : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6})
      is_within(x, share * (static_cast<double>(*greatest) - *least));
  }
}

// Data far from 0 is compressed too: subtracting the middle of the block removes the offset.
TEST(Szx, CompressesDataWithAnOffset) {
  Random random(base_seed());
  std::vector<float> x(10000);
  for (float& v : x) v = static_cast<float>(1000 + random.normal() * 0.3);
  EXPECT_LT(encode(szx_of_table(), x, coding_for<float>(1e-3)).size(), x.size() * sizeof(float) * 3 / 4);
}

}  // namespace
}  // namespace laconic::test
