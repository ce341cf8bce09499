#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>

#include "wire/envelope.hpp"

namespace laconic::test {
namespace {

using wire::Envelope;
using Bytes = std::array<std::byte, wire::envelope_bytes>;

Envelope compressed() {
  Envelope e;
  e.kind = wire::Kind::compressed;
  e.bytes = 4000;
  e.dtype = Dtype::f64;
  e.number = 77;
  e.capacity = 5000;
  e.chunk = 100;
  e.variant = 1;
  e.bound = 1e-3;
  e.rate = 8;
  e.set_codec("lossless");
  return e;
}

Bytes written(const Envelope& e) {
  Bytes bytes;
  bytes.fill(std::byte{0xee});
  wire::write_envelope(e, bytes);
  return bytes;
}

TEST(Envelope, OfACompressedMessageIsReadAsWritten) {
  Envelope e;
  ASSERT_TRUE(wire::read_envelope(written(compressed()), wire::envelope_bytes, e).ok());
  EXPECT_EQ(e.kind, wire::Kind::compressed);
  EXPECT_EQ(e.bytes, 4000u);
  EXPECT_EQ(e.count(), 500u);
  EXPECT_EQ(e.dtype, Dtype::f64);
  EXPECT_EQ(e.number, 77u);
  EXPECT_EQ(e.capacity, 5000u);
  EXPECT_EQ(e.chunk, 100u);
  EXPECT_EQ(e.variant, 1);
  EXPECT_EQ(e.bound, 1e-3);
  EXPECT_EQ(e.rate, 8);
  EXPECT_EQ(e.codec_name(), "lossless");
  e.set_codec("zfp");
  EXPECT_EQ(e.codec_name(), "zfp");
}

TEST(Envelope, OfAPlainMessageIsReadAsWritten) {
  Envelope plain;
  plain.reason = 5;
  plain.bytes = 123;
  Envelope e;
  ASSERT_TRUE(wire::read_envelope(written(plain), wire::envelope_bytes + 123, e).ok());
  EXPECT_EQ(e.kind, wire::Kind::plain);
  EXPECT_EQ(e.reason, 5);
  EXPECT_EQ(e.bytes, 123u);
  EXPECT_FALSE(wire::read_envelope(written(plain), wire::envelope_bytes + 122, e).ok());
  EXPECT_FALSE(wire::read_envelope(written(plain), wire::envelope_bytes + 124, e).ok());
}

// The table of docs/wire-format.md.
TEST(Envelope, IsWhatTheDocumentSays) {
  const Bytes bytes = written(compressed());
  const unsigned char expected[wire::envelope_bytes] = {
      'L',  'M',  'S',  'G',  1,    1,    0,    2,    0xa0, 0x0f, 0,   0,   0,   0,   0,   0,
      77,   0,    0,    0,    0,    0,    0,    0,                                             //
      0x88, 0x13, 0,    0,    0,    0,    0,    0,    100,  0,    0,   0,   1,   0,   0,   0,  //
      0xfc, 0xa9, 0xf1, 0xd2, 0x4d, 0x62, 0x50, 0x3f, 'l',  'o',  's', 's', 'l', 'e', 's', 's',
      0,    0,    0,    0,    0,    0,    0x20, 0x40};
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof expected), 0);
}

TEST(Envelope, MustBeOne) {
  Envelope e;
  Bytes zero{};
  EXPECT_EQ(wire::read_envelope(zero, wire::envelope_bytes, e).code(), Code::frame);
  EXPECT_EQ(wire::read_envelope(written(compressed()), 63, e).code(), Code::frame);
  EXPECT_EQ(wire::read_envelope(zero, 0, e).code(), Code::frame);
}

TEST(Envelope, IsRefusedWhenSomethingIsWrong) {
  const auto refused = [](auto&& spoil) {
    Envelope e = compressed();
    spoil(e);
    Envelope out;
    return !wire::read_envelope(written(e), wire::envelope_bytes, out).ok();
  };
  EXPECT_FALSE(refused([](Envelope&) {}));
  EXPECT_TRUE(refused([](Envelope& e) { e.bytes = 0; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bytes = 4001; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.chunk = 0; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.chunk = (std::uint32_t{1} << 26) + 1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.capacity = std::uint64_t{1} << 40; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bound = -1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.rate = -1; }));
  EXPECT_TRUE(refused([](Envelope& e) { e.rate = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Envelope& e) { e.bound = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_FALSE(refused([](Envelope& e) { e.bound = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Envelope& e) { e.dtype = static_cast<Dtype>(99); }));
  EXPECT_TRUE(refused([](Envelope& e) { e.kind = static_cast<wire::Kind>(2); }));
}

}  // namespace
}  // namespace laconic::test
