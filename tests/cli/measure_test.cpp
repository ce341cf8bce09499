// SPDX-License-Identifier: BSD-3-Clause
// The report of `laconic codec`, checked with codecs whose behaviour is known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "codec_measure.hpp"

namespace laconic::cli {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// The raw codec, but `change` alters the numbers when they are decoded.
class Changing final : public Codec {
 public:
  using Change = float (*)(float x, std::size_t index);
  explicit Changing(Change change) : raw_(*find_codec("raw")), change_(change) {}
  std::string_view name() const override { return "changing"; }
  std::uint8_t id() const override { return raw_.id(); }
  bool exact_sums() const override { return true; }
  std::size_t capacity(std::size_t count, Dtype dtype) const override { return raw_.capacity(count, dtype); }
  Coded encode(const void* x, std::size_t count, const Coding& c, Blob out) const override {
    return raw_.encode(x, count, c, out);
  }
  Coded fold(Frame, const void*, std::size_t, const Coding&, Blob) const override {
    return {{Code::argument, "cannot"}, 0};
  }
  Coded add(Frame a, Frame b, std::size_t count, const Coding& c, Blob out) const override {
    return raw_.add(a, b, count, c, out);
  }
  Status decode(Frame frame, void* out, std::size_t count, const Coding& c) const override {
    Status s = raw_.decode(frame, out, count, c);
    auto* x = static_cast<float*>(out);
    for (std::size_t i = 0; i < count; ++i) x[i] = change_(x[i], i);
    return s;
  }

 private:
  const Codec& raw_;
  Change change_;
};

Field field_of(const std::vector<float>& x) {
  Field field{"test", Dtype::f32, x.size(), Memory(x.size() * 4)};
  if (!x.empty()) std::memcpy(field.numbers.data(), x.data(), x.size() * 4);
  return field;
}

Measurement measured(const Codec& codec, const char* bound, const std::vector<float>& x, Setup setup = {.repeat = 0}) {
  const Field field = field_of(x);
  AskedBound asked{bound, {}};
  EXPECT_TRUE(parse_bound(bound, asked.bound).ok());
  return measure(codec, asked, field, finite_range(x.data(), x.size(), Dtype::f32), setup);
}

TEST(CodecMeasure, CountsViolations) {
  const Changing codec([](float x, std::size_t i) { return i % 10 == 3 ? x + 0.5F : x; });
  std::vector<float> x(100, 0.0F);
  x[0] = 4;
  const Measurement kept = measured(codec, "abs:0.5", x);
  EXPECT_EQ(kept.errors.violations, 0U);
  EXPECT_EQ(kept.errors.max_error, 0.5);
  const Measurement broken = measured(codec, "abs:0.499999", x);
  EXPECT_EQ(broken.errors.violations, 10U);
  EXPECT_EQ(broken.errors.max_error, 0.5);
  // Ten errors of 0.5 in a hundred numbers whose range is 4.
  EXPECT_NEAR(broken.errors.nrmse, std::sqrt(10 * 0.25 / 100) / 4, 1e-12);
  EXPECT_NEAR(broken.errors.psnr, -20 * std::log10(broken.errors.nrmse), 1e-9);
  const Measurement relative = measured(codec, "rel:0.1", x);
  EXPECT_DOUBLE_EQ(relative.allowance, 0.1 * 4);
  EXPECT_EQ(relative.errors.violations, 10U);
}

TEST(CodecMeasure, CountsWhatIsNotFinite) {
  const std::vector<float> x{0, 1, nan, infinity, -infinity, 2};
  EXPECT_EQ(measured(Changing([](float v, std::size_t) { return v; }), "abs:1", x).errors.violations, 0U);
  const Measurement lost = measured(Changing([](float, std::size_t) { return 0.0F; }), "abs:5", x);
  EXPECT_EQ(lost.errors.violations, 3U);
  EXPECT_EQ(lost.errors.max_error, 2);
  const Measurement turned = measured(Changing([](float v, std::size_t) { return -v; }), "abs:5", x);
  EXPECT_EQ(turned.errors.violations, 2U);
  const Measurement spoilt = measured(Changing([](float v, std::size_t i) { return i == 1 ? nan : v; }), "abs:5", x);
  EXPECT_EQ(spoilt.errors.violations, 1U);
  EXPECT_TRUE(std::isinf(spoilt.errors.max_error));
}

TEST(CodecMeasure, RoundingIsCountedApart) {
  // The next float32 is 2^-14 = 6.1e-5 further; rounding to it excuses half of that.
  const std::vector<float> x{1000.0F, 1000.5F, 0.0F};
  const Changing codec([](float v, std::size_t) { return v == 1000.0F ? std::nextafter(v, 2000.0F) : v; });
  const Measurement m = measured(codec, "abs:4e-5", x);
  EXPECT_EQ(m.errors.violations, 1U);
  EXPECT_EQ(m.errors.beyond_rounding, 0U);
  EXPECT_EQ(measured(codec, "abs:3e-5", x).errors.beyond_rounding, 1U);
}

TEST(CodecMeasure, LosslessMeansBits) {
  const std::vector<float> x{0.0F, 1.0F, 2.0F};
  const Changing codec([](float v, std::size_t i) { return i == 0 ? -0.0F : v; });
  EXPECT_EQ(measured(codec, "lossless", x).errors.violations, 1U);
  EXPECT_EQ(measured(codec, "abs:1e-30", x).errors.violations, 0U);
}

TEST(CodecMeasure, NoRangeNoRounding) {
  const Measurement m = measured(*find_codec("quant"), "rel:0.1", std::vector<float>(5000, 3.25F));
  EXPECT_TRUE(m.status.ok());
  EXPECT_EQ(m.allowance, 0);
  EXPECT_EQ(m.errors.max_error, 0);
  EXPECT_EQ(m.errors.violations, 0U);
}

TEST(CodecMeasure, AddsUpFrames) {
  const std::vector<float> x(1000, 1.0F);
  const Measurement one = measured(*find_codec("raw"), "abs:1", x, {.chunk = 0, .repeat = 0});
  EXPECT_EQ(one.bytes, 4032U);
  const Measurement many = measured(*find_codec("raw"), "abs:1", x, {.chunk = 300, .repeat = 0});
  EXPECT_EQ(many.bytes, 4000U + 4 * 32);
  EXPECT_DOUBLE_EQ(many.ratio(Dtype::f32), 4000.0 / 4128);
  EXPECT_TRUE(std::isnan(many.encode.best));
}

TEST(CodecMeasure, Speeds) {
  std::vector<float> x(20000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.01F * static_cast<float>(i));
  for (const int threads : {1, 2}) {
    const cli::Setup setup{.chunk = 3000, .repeat = 2, .threads = threads, .tile = 150000};
    const Measurement m = measured(*find_codec("quant"), "rel:1e-3", x, setup);
    ASSERT_TRUE(m.status.ok()) << m.status.message();
    EXPECT_EQ(m.speed_bytes, 150000U);
    for (const Speed& speed : {m.copy, m.encode, m.decode, m.fold, m.add}) {
      EXPECT_GT(speed.median, 0);
      EXPECT_GE(speed.best, speed.median);
    }
    EXPECT_EQ(m.errors.violations, 0U);
  }
}

TEST(CodecMeasure, WhatACodecCannotDoHasNoSpeed) {
  const Changing codec([](float v, std::size_t) { return v; });
  const Measurement m = measured(codec, "abs:1", std::vector<float>(5000, 1.0F), {.repeat = 1});
  EXPECT_TRUE(m.status.ok());
  EXPECT_TRUE(std::isnan(m.fold.best));
  EXPECT_GT(m.add.best, 0);
}

TEST(CodecMeasure, NoNumbers) {
  for (const Codec* codec : all_codecs()) {
    const Measurement m = measured(*codec, "abs:1", {}, {.repeat = 2});
    EXPECT_TRUE(m.status.ok()) << codec->name();
    EXPECT_EQ(m.bytes, 0U);
  }
}

TEST(CodecMeasure, EveryCodecKeepsItsBound) {
  std::vector<float> x(70001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 100 + std::sin(0.003F * static_cast<float>(i));
  x[77] = nan;
  x[5000] = infinity;
  for (const Codec* codec : all_codecs())
    for (const char* bound : {"rel:1e-2", "rel:1e-4", "lossless"}) {
      const Measurement m = measured(*codec, bound, x);
      EXPECT_TRUE(m.status.ok()) << codec->name() << " " << bound << ": " << m.status.message();
      EXPECT_EQ(m.errors.violations, 0U) << codec->name() << " " << bound;
    }
}

// Among numbers of very different magnitude, each is measured against its own block; blocks begin at the start of a
// frame.
TEST(CodecMeasure, HoldsEveryBlockToItsOwnRootMeanSquare) {
  std::vector<float> x(10000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(0.7F * static_cast<float>(i)) * std::pow(10.0F, -static_cast<float>(i / 1000));
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{3000}, std::size_t{512}}) {
    const Measurement m = measured(*find_codec("quant"), "rms:0.1", x, {.chunk = chunk, .repeat = 0});
    EXPECT_TRUE(m.status.ok()) << m.status.message();
    EXPECT_EQ(m.errors.violations, 0U) << chunk;
    EXPECT_GT(m.ratio(Dtype::f32), 4) << chunk;
  }
  const Promise promise{.relative = 0.1, .chunk = 3000};
  std::vector<float> far = x;
  far[9999] += 1e-9F;  // a third of its root mean square
  EXPECT_EQ(compare(x.data(), far.data(), x.size(), Dtype::f32, {-1, 1}, promise).violations, 1U);
}

TEST(CodecMeasure, ModesThatACodecLacks) {
  EXPECT_FALSE(measured(*find_codec("quant"), "rate:8", {1, 2}).status.ok());
  EXPECT_FALSE(measured(*find_codec("raw"), "rms:0.1", {1, 2}).status.ok());
}

}  // namespace
}  // namespace laconic::cli
