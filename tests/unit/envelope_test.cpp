// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "base/checksum.hpp"
#include "wire/envelope.hpp"

namespace laconic::test {
namespace {

using wire::Envelope;
using Bytes = std::array<std::byte, wire::envelope_bytes>;

Envelope compressed() {
  Envelope e;
  e.bytes = 4000;
  e.dtype = Dtype::f64;
  e.number = 77;
  e.capacity = 5000;
  e.chunk = 100;
  e.variant = 1;
  e.sealed = true;
  e.bound = 1e-3;
  e.rate = 8;
  e.set_codec("lossless");
  return e;
}

constexpr wire::Route route{3, 5, 17};

Bytes written(const Envelope& e) {
  Bytes bytes;
  bytes.fill(std::byte{0xee});
  wire::write_envelope(e, route, bytes);
  return bytes;
}

TEST(Envelope, OfACompressedMessageIsReadAsWritten) {
  const wire::ReadEnvelope read = wire::read_envelope(written(compressed()), route);
  ASSERT_TRUE(read.status.ok()) << read.status.message();
  EXPECT_FALSE(read.repaired);
  Envelope e = read.envelope;
  EXPECT_EQ(e.bytes, 4000u);
  EXPECT_EQ(e.count(), 500u);
  EXPECT_EQ(e.dtype, Dtype::f64);
  EXPECT_EQ(e.number, 77u);
  EXPECT_EQ(e.capacity, 5000u);
  EXPECT_EQ(e.chunk, 100u);
  EXPECT_EQ(e.variant, 1);
  EXPECT_TRUE(e.sealed);
  EXPECT_EQ(e.bound, 1e-3);
  EXPECT_EQ(e.rate, 8);
  EXPECT_EQ(e.codec_name(), "lossless");
  e.set_codec("zfp");
  EXPECT_EQ(e.codec_name(), "zfp");
}

// Every other message is the application's data.
TEST(Envelope, IsRecognised) {
  Bytes bytes = written(compressed());
  EXPECT_TRUE(wire::is_envelope(bytes, wire::envelope_bytes));
  EXPECT_FALSE(wire::is_envelope(bytes, wire::envelope_bytes - 1));
  EXPECT_FALSE(wire::is_envelope(bytes, wire::envelope_bytes + 16));
  EXPECT_FALSE(wire::is_envelope(Bytes{}, wire::envelope_bytes));
  bytes[3] ^= std::byte{0xff};
  EXPECT_TRUE(wire::is_envelope(bytes, wire::envelope_bytes));
  bytes[9] ^= std::byte{1};
  EXPECT_FALSE(wire::is_envelope(bytes, wire::envelope_bytes));
}

// The byte layout is the table of docs/wire-format.md.
TEST(Envelope, IsWhatTheDocumentSays) {
  const Bytes bytes = written(compressed());
  const unsigned char expected[wire::envelope_bytes] = {
      0xa3, 0x87, 0x2c, 0x4e, 0xd9, 0x6b, 0x1f, 0x5a, 0x5d, 0x62, 0x7e, 0xf9, 0xc1, 0x4b, 0x08, 0xd3,  //
      0x04, 0x02, 0x01, 0x01, 0x4d, 0x00, 0x00, 0x00, 0xa0, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  //
      0x88, 0x13, 0x00, 0x00, 0x64, 0x00, 0x00, 0x00, 0x2d, 0xd7, 0x67, 0x60, 0xcb, 0xb5, 0x1a, 0x0b,  //
      0xfc, 0xa9, 0xf1, 0xd2, 0x4d, 0x62, 0x50, 0x3f, 0x6c, 0x6f, 0x73, 0x73, 0x6c, 0x65, 0x73, 0x73,  //
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof expected), 0);
}

// Damage to a byte is an error, but the receiver still knows which frames it must receive and discard.
TEST(Envelope, IsKnownAfterDamageToAnyByte) {
  for (std::size_t i = 0; i < wire::envelope_bytes; ++i)
    for (const unsigned change : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 255u}) {
      Bytes bytes = written(compressed());
      bytes[i] ^= std::byte(change);
      const wire::ReadEnvelope read = wire::read_envelope(bytes, route);
      ASSERT_EQ(read.status.code(), Code::frame) << "byte " << i;
      ASSERT_TRUE(read.repaired);
      ASSERT_EQ(written(read.envelope), written(compressed()));
    }
  Bytes bytes = written(compressed());
  bytes[24] ^= std::byte{1};
  bytes[60] ^= std::byte{1};
  const wire::ReadEnvelope read = wire::read_envelope(bytes, route);
  EXPECT_FALSE(read.status.ok() || read.repaired);
}

TEST(Envelope, IsOfOneRoute) {
  for (const wire::Route other : {wire::Route{4, 5, 17}, wire::Route{3, 6, 17}, wire::Route{3, 5, 16}}) {
    const wire::ReadEnvelope read = wire::read_envelope(written(compressed()), other);
    EXPECT_FALSE(read.status.ok() || read.repaired);
  }
}

// An intact envelope of another version is not mistaken for a damaged one.
TEST(Envelope, OfAnotherVersionNamesBoth) {
  for (const unsigned version : {wire::envelope_version - 1u, wire::envelope_version + 1u}) {
    Bytes bytes = written(compressed());
    bytes[16] = std::byte(version);
    std::array<std::byte, wire::envelope_bytes + 16> covered{};
    std::memcpy(covered.data(), bytes.data(), bytes.size());
    std::memset(covered.data() + 40, 0, 8);
    const std::int32_t ends[3] = {route.source, route.dest, route.tag};
    std::memcpy(covered.data() + wire::envelope_bytes, ends, sizeof ends);
    const std::uint64_t sum = checksum::sum(covered);
    std::memcpy(bytes.data() + 40, &sum, sizeof sum);
    const wire::ReadEnvelope read = wire::read_envelope(bytes, route);
    ASSERT_EQ(read.status.code(), Code::frame);
    EXPECT_EQ(read.status.message(), "malformed envelope: version " + std::to_string(version) +
                                         ", this library reads " + std::to_string(wire::envelope_version));
  }
}

TEST(Envelope, IsRefusedWhenSomethingIsWrong) {
  const auto refused = [](auto&& spoil) {
    Envelope e = compressed();
    spoil(e);
    return !wire::read_envelope(written(e), route).status.ok();
  };
  EXPECT_FALSE(refused([](Envelope&) {}));
  EXPECT_TRUE(refused([](Envelope& e) { e.bytes = 0; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bytes = 4001; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.chunk = 0; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.chunk = (std::uint32_t{1} << 26) + 1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.capacity = std::uint32_t{1} << 31; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bound = -1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.rate = -1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.rate = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bound = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_FALSE(refused([](Envelope& e) { e.bound = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Envelope& e) { e.dtype = static_cast<Dtype>(99); }));
}

}  // namespace
}  // namespace laconic::test
