// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/fields.hpp"
#include "support/seed.hpp"
#include "wire/frame.hpp"

namespace laconic::test {
namespace {

using Bytes = std::vector<std::byte>;

wire::Header some_header() {
  wire::Header h;
  h.codec = 2;
  h.dtype = Dtype::f64;
  h.count = 0x01020304;
  h.payload = 5;
  h.step = 0.125;
  h.error = 1e-3;
  return h;
}

Bytes written(const wire::Header& h) {
  Bytes frame(wire::header_bytes + h.payload);
  wire::write_header(h, frame);
  return frame;
}

Bytes with_byte(Bytes frame, std::size_t at, int value) {
  frame[at] = static_cast<std::byte>(value);
  return frame;
}

template <class T>
Bytes with(Bytes frame, std::size_t at, T value) {
  std::memcpy(frame.data() + at, &value, sizeof value);
  return frame;
}

TEST(Header, IsReadAsItWasWritten) {
  Random random(base_seed());
  for (int k = 0; k < 1000; ++k) {
    wire::Header h;
    h.flags = random.below(2) ? wire::flag_failed : 0;
    h.dtype = all_dtypes[random.below(std::size(all_dtypes))];
    h.count = static_cast<std::uint32_t>(random.bits());
    if (!h.failed()) {
      if (random.below(2) != 0) h.flags = wire::flag_scaled;
      h.codec = static_cast<std::uint8_t>(1 + random.below(255));
      h.payload = static_cast<std::uint32_t>(random.below(300));
      h.step = random.unit();
      h.error = random.unit();
    }
    wire::Header back;
    const Status s = wire::read_header(written(h), back);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(back.codec, h.codec);
    EXPECT_EQ(back.dtype, h.dtype);
    EXPECT_EQ(back.flags, h.flags);
    EXPECT_EQ(back.failed(), h.flags == wire::flag_failed);
    EXPECT_EQ(back.scaled(), h.flags == wire::flag_scaled);
    EXPECT_EQ(back.count, h.count);
    EXPECT_EQ(back.payload, h.payload);
    EXPECT_EQ(back.step, h.step);
    EXPECT_EQ(back.error, h.error);
  }
}

// The layout of docs/wire-format.md, byte by byte.
TEST(Header, HasTheLayoutOfTheSpecification) {
  const Bytes frame = written(some_header());
  const unsigned char expected[wire::header_bytes] = {'L',  'C',  'O',  'N',  2,    2,    2,    0,    4,    3,   2,
                                                      1,    5,    0,    0,    0,    0,    0,    0,    0,    0,   0,
                                                      0xc0, 0x3f, 0xfc, 0xa9, 0xf1, 0xd2, 0x4d, 0x62, 0x50, 0x3f};
  EXPECT_EQ(std::memcmp(frame.data(), expected, sizeof expected), 0);
}

TEST(Header, IsRefusedWhenAFieldIsWrong) {
  const Bytes good = written(some_header());
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Bytes> bad;
  for (std::size_t i = 0; i < 4; ++i) bad.push_back(with_byte(good, i, 0));  // magic
  for (const int version : {0, 1, 3, 255}) bad.push_back(with_byte(good, 4, version));
  for (const int dtype : {0, 13, 14, 255}) bad.push_back(with_byte(good, 6, dtype));
  for (const int flags : {3, 4, 6, 128, 255}) bad.push_back(with_byte(good, 7, flags));
  for (const std::uint32_t payload : {0u, 4u, 6u, 0x7fffffffu, 0xffffffffu}) bad.push_back(with(good, 12, payload));
  for (const double step : {-1.0, -5e-324, -0.0, inf, -inf, nan}) bad.push_back(with(good, 16, step));
  for (const double error : {-1.0, -0.0, inf, -inf, nan}) bad.push_back(with(good, 24, error));
  wire::Header untouched;
  untouched.count = 77;
  for (const Bytes& frame : bad) {
    const Status s = wire::read_header(frame, untouched);
    EXPECT_EQ(s.code(), Code::frame);
    EXPECT_NE(s.message().find("malformed frame"), std::string::npos) << s.message();
    EXPECT_EQ(untouched.count, 77u) << "a header that was refused was handed out";
  }
}

TEST(Header, IsRefusedAtEveryOtherLength) {
  const Bytes good = written(some_header());
  wire::Header h;
  for (std::size_t size = 0; size < good.size() + 40; ++size) {
    // The frame has a heap block of its exact size, so that AddressSanitizer sees every byte read beyond it.
    Bytes frame(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(std::min(size, good.size())));
    frame.resize(size);
    EXPECT_EQ(wire::read_header(frame, h).ok(), size == good.size()) << size << " bytes";
  }
}

TEST(Header, NoiseIsRefused) {
  Random random(base_seed());
  wire::Header h;
  for (int k = 0; k < 20000; ++k) {
    Bytes noise(random.below(80));
    for (std::byte& b : noise) b = static_cast<std::byte>(random.bits());
    ASSERT_FALSE(wire::read_header(noise, h).ok());
  }
}

TEST(FailedFrame, IsAFrameThatSaysSo) {
  Bytes frame(wire::header_bytes);
  EXPECT_EQ(wire::write_failed_frame(123, Dtype::f64, frame), frame.size());
  wire::Header h;
  ASSERT_TRUE(wire::read_header(frame, h).ok());
  EXPECT_TRUE(h.failed());
  EXPECT_EQ(h.count, 123u);
  EXPECT_EQ(h.dtype, Dtype::f64);
  EXPECT_EQ(h.payload, 0u);
}

}  // namespace
}  // namespace laconic::test
