// SPDX-License-Identifier: BSD-3-Clause
// The functions of laconic/codec.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/build.hpp"
#include "codec/codec.hpp"
#include "laconic/codec.h"
#include "wire/frame.hpp"

namespace {

constexpr unsigned seed = 20261124;

std::vector<float> field(std::size_t count, unsigned of = 0) {
  std::mt19937 random(seed + of);
  std::normal_distribution<float> step(0, 0.1F);
  std::vector<float> x(count);
  float at = 0;
  for (float& v : x) v = at += step(random);
  return x;
}

laconic_coding coding(const char* bound, laconic_dtype dtype = LACONIC_FLOAT32, int threads = 1) {
  laconic_coding c;
  laconic_coding_init(&c);
  c.dtype = dtype;
  EXPECT_EQ(laconic_bound_parse(bound, &c.bound), LACONIC_OK);
  c.contributions = 8;
  c.threads = threads;
  return c;
}

class Coder {
 public:
  explicit Coder(const laconic_coding& c) { EXPECT_EQ(laconic_coder_create(&c, &coder_), LACONIC_OK); }
  ~Coder() { laconic_coder_free(coder_); }
  Coder(const Coder&) = delete;
  Coder& operator=(const Coder&) = delete;
  operator laconic_coder() const { return coder_; }

  using Bytes = std::vector<std::byte>;
  Bytes encode(const std::vector<float>& x) const {
    Bytes out(laconic_coder_capacity(coder_, x.size()));
    std::size_t bytes = 0;
    EXPECT_EQ(laconic_coder_encode(coder_, x.data(), x.size(), out.data(), out.size(), &bytes), LACONIC_OK)
        << laconic_codec_error();
    out.resize(bytes);
    return out;
  }
  Bytes fold(const Bytes& frames, const std::vector<float>& x) const {
    Bytes out(laconic_coder_capacity(coder_, x.size()));
    std::size_t bytes = 0;
    EXPECT_EQ(
        laconic_coder_fold(coder_, frames.data(), frames.size(), x.data(), x.size(), out.data(), out.size(), &bytes),
        LACONIC_OK)
        << laconic_codec_error();
    out.resize(bytes);
    return out;
  }
  Bytes add(const Bytes& a, const Bytes& b, std::size_t count) const {
    Bytes out(laconic_coder_capacity(coder_, count));
    std::size_t bytes = 0;
    EXPECT_EQ(laconic_coder_add(coder_, a.data(), a.size(), b.data(), b.size(), count, out.data(), out.size(), &bytes),
              LACONIC_OK)
        << laconic_codec_error();
    out.resize(bytes);
    return out;
  }
  std::vector<float> decode(const Bytes& frames, std::size_t count, double divisor = 1) const {
    std::vector<float> x(count, -7);
    EXPECT_EQ(laconic_coder_decode(coder_, frames.data(), frames.size(), x.data(), count, divisor), LACONIC_OK)
        << laconic_codec_error();
    return x;
  }

 private:
  laconic_coder coder_ = nullptr;
};

double largest_error(const std::vector<float>& a, const std::vector<double>& b) {
  double error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error = std::max(error, std::fabs(static_cast<double>(a[i]) - b[i]));
  return error;
}

TEST(Coder, KeepsTheBoundForAnyCountAndThreads) {
  for (const std::size_t count : {0, 1, 1000, 65536, 65537, 300001})
    for (const int threads : {1, 2, 5}) {
      SCOPED_TRACE(std::to_string(count) + " numbers, " + std::to_string(threads) + " threads");
      const std::vector<float> x = field(count);
      const Coder one(coding("abs:1e-3"));
      const Coder several(coding("abs:1e-3", LACONIC_FLOAT32, threads));
      const auto frames = several.encode(x);
      EXPECT_EQ(frames, one.encode(x));
      const std::vector<float> again = several.decode(frames, count);
      EXPECT_EQ(again, one.decode(frames, count));
      EXPECT_LE(largest_error(again, {x.begin(), x.end()}), 1e-3 + 1e-5);
    }
}

TEST(Coder, AddsExactlyInAnyOrder) {
  constexpr std::size_t count = 200000;
  const Coder one(coding("abs:1e-2"));
  const Coder three(coding("abs:1e-2", LACONIC_FLOAT32, 3));
  const std::vector<float> x[3] = {field(count, 1), field(count, 2), field(count, 3)};
  const auto a = one.encode(x[0]);
  const auto b = three.encode(x[1]);
  const auto c = one.encode(x[2]);
  const auto sum = one.add(one.add(a, b, count), c, count);
  EXPECT_EQ(sum, three.add(three.add(c, a, count), b, count));
  EXPECT_EQ(sum, three.fold(one.fold(a, x[1]), x[2]));
  std::vector<double> mean(count);
  for (std::size_t i = 0; i < count; ++i) mean[i] = (double{x[0][i]} + x[1][i] + x[2][i]) / 3;
  EXPECT_LE(largest_error(three.decode(sum, count, 3), mean), 1e-2 + 1e-4);
}

TEST(Coder, RelativeBoundsAreOfTheRange) {
  const std::vector<float> x = field(100000);
  double least = 0;
  double greatest = 0;
  ASSERT_EQ(laconic_finite_range(x.data(), x.size(), LACONIC_FLOAT32, &least, &greatest), LACONIC_OK);
  EXPECT_EQ(least, *std::min_element(x.begin(), x.end()));
  EXPECT_EQ(greatest, *std::max_element(x.begin(), x.end()));
  const Coder coder(coding("rel:1e-3"));
  const auto frames = coder.encode(x);
  EXPECT_LE(largest_error(coder.decode(frames, x.size()), {x.begin(), x.end()}), 1e-3 * (greatest - least) * 1.001);
  std::size_t bytes = 0;
  Coder::Bytes out(laconic_coder_capacity(coder, x.size()));
  EXPECT_EQ(laconic_coder_fold(coder, frames.data(), frames.size(), x.data(), x.size(), out.data(), out.size(), &bytes),
            LACONIC_ERROR_ARGUMENT);
  EXPECT_NE(std::string(laconic_codec_error()).find("rel"), std::string::npos);
}

TEST(Coder, DescribesFrames) {
  const std::vector<float> x = field(200000);
  const auto frames = Coder(coding("abs:1e-3")).encode(x);
  laconic_frames_info info;
  ASSERT_EQ(laconic_frames_describe(frames.data(), frames.size(), &info), LACONIC_OK);
  EXPECT_EQ(info.frames, 4U);
  EXPECT_EQ(info.count, x.size());
  EXPECT_EQ(info.dtype, LACONIC_FLOAT32);
  EXPECT_EQ(info.codec, LACONIC_CODEC_QUANT);
  EXPECT_GT(info.error, 0);
  EXPECT_LE(info.error, 1e-3);
  EXPECT_EQ(laconic_frames_describe(nullptr, 0, &info), LACONIC_OK);
  EXPECT_EQ(info.frames, 0U);
  EXPECT_EQ(laconic_frames_describe(frames.data(), frames.size() - 1, &info), LACONIC_ERROR_FRAME);
}

TEST(Coder, EveryTypeIsCodedLosslessly) {
  std::mt19937_64 random(seed);
  for (int dtype = LACONIC_FLOAT32; dtype <= LACONIC_UINT64; ++dtype) {
    const auto type = static_cast<laconic_dtype>(dtype);
    SCOPED_TRACE(laconic_dtype_name(type));
    constexpr std::size_t count = 70003;
    std::vector<std::byte> x(count * laconic_dtype_size(type));
    for (std::byte& b : x) b = static_cast<std::byte>(random());
    const Coder coder(coding("lossless", type));
    std::vector<std::byte> frames(laconic_coder_capacity(coder, count));
    std::size_t bytes = 0;
    ASSERT_EQ(laconic_coder_encode(coder, x.data(), count, frames.data(), frames.size(), &bytes), LACONIC_OK);
    std::vector<std::byte> again(x.size());
    ASSERT_EQ(laconic_coder_decode(coder, frames.data(), bytes, again.data(), count, 1), LACONIC_OK);
    EXPECT_EQ(again, x);
  }
}

int create(const laconic_coding& c) {
  laconic_coder coder = reinterpret_cast<laconic_coder>(1);
  const int code = laconic_coder_create(&c, &coder);
  EXPECT_EQ(coder, nullptr);
  return code;
}

TEST(Coder, RefusesWhatIsNotValid) {
  laconic_coding c = coding("abs:1");
  c.size = 3;
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  c = coding("abs:1", static_cast<laconic_dtype>(13));
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  c = coding("abs:1", LACONIC_INT32);
  EXPECT_EQ(create(c), LACONIC_ERROR_TYPE);
  c = coding("rate:8");
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT) << "a rate needs zfp";
  c = coding("abs:1");
  c.bound.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  c = coding("abs:1");
  c.bound.mode = LACONIC_BOUND_UNSET;
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  c = coding("abs:1", LACONIC_FLOAT32, 257);
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  EXPECT_NE(std::string(laconic_codec_error()).find("threads is 257; valid are 0"), std::string::npos);
  c = coding("abs:1");
  c.frame_elements = -1;
  EXPECT_EQ(create(c), LACONIC_ERROR_ARGUMENT);
  EXPECT_EQ(laconic_coder_create(nullptr, nullptr), LACONIC_ERROR_ARGUMENT);
  laconic_bound bound{LACONIC_BOUND_ABS, 5};
  EXPECT_EQ(laconic_bound_parse("abs:x", &bound), LACONIC_ERROR_ARGUMENT);
  EXPECT_EQ(bound.value, 5);

  const std::vector<float> x = field(1000);
  const Coder coder(coding("abs:1e-3"));
  std::vector<std::byte> out(laconic_coder_capacity(coder, x.size()));
  std::size_t bytes = 0;
  EXPECT_EQ(laconic_coder_encode(coder, x.data(), x.size(), out.data(), out.size() - 1, &bytes),
            LACONIC_ERROR_CAPACITY);
  EXPECT_EQ(laconic_coder_encode(coder, nullptr, x.size(), out.data(), out.size(), &bytes), LACONIC_ERROR_ARGUMENT);
  EXPECT_EQ(laconic_coder_encode(coder, x.data(), x.size(), out.data(), out.size(), nullptr), LACONIC_ERROR_ARGUMENT);
  const auto frames = coder.encode(x);
  std::vector<float> y(x.size());
  EXPECT_EQ(laconic_coder_decode(coder, frames.data(), frames.size(), y.data(), y.size() - 1, 1), LACONIC_ERROR_COUNT);
  EXPECT_EQ(laconic_coder_decode(coder, frames.data(), frames.size(), y.data(), y.size(), 0), LACONIC_ERROR_ARGUMENT);
  EXPECT_EQ(laconic_coder_decode(coder, frames.data(), frames.size() - 1, y.data(), y.size(), 1), LACONIC_ERROR_FRAME);
  const Coder doubles(coding("abs:1e-3", LACONIC_FLOAT64));
  std::vector<double> z(x.size());
  EXPECT_EQ(laconic_coder_decode(doubles, frames.data(), frames.size(), z.data(), z.size(), 1), LACONIC_ERROR_FRAME);
}

TEST(Coder, RefusesFramesOfOtherSizes) {
  const std::vector<float> x = field(150000);
  laconic_coding small = coding("abs:1e-3");
  small.frame_elements = 1000;
  for (const int threads : {1, 3}) {
    const Coder coder(coding("abs:1e-3", LACONIC_FLOAT32, threads));
    const auto frames = coder.encode(x);
    std::vector<std::byte> out(laconic_coder_capacity(coder, x.size()));
    std::size_t bytes = 0;
    const auto add = [&](const Coder::Bytes& b, std::size_t count) {
      return laconic_coder_add(coder, frames.data(), frames.size(), b.data(), b.size(), count, out.data(), out.size(),
                               &bytes);
    };
    EXPECT_EQ(add(frames, x.size()), LACONIC_OK);
    EXPECT_EQ(add(Coder(small).encode(x), x.size()), LACONIC_ERROR_FRAME);
    EXPECT_NE(add(frames, x.size() - 1), LACONIC_OK);
    EXPECT_NE(add(frames, 65536), LACONIC_OK);
    EXPECT_NE(add(frames, 0), LACONIC_OK);
    EXPECT_NE(add({}, x.size()), LACONIC_OK);
  }
}

TEST(Coder, ServesEveryCodec) {
  const std::vector<float> x = field(10000);
  for (const laconic::Codec* codec : laconic::all_codecs()) {
    SCOPED_TRACE(codec->name());
    laconic_coding c = coding(codec->name() == "lossless" ? "lossless" : "abs:1e-3");
    c.codec = static_cast<laconic_codec>(codec->api_name());
    EXPECT_EQ(laconic_codec_name(c.codec), codec->name());
    const Coder coder(c);
    const auto frames = coder.encode(x);
    const auto sum = coder.decode(coder.fold(frames, x), x.size());
    std::vector<double> exact(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) exact[i] = 2 * double{x[i]};
    EXPECT_LE(largest_error(sum, exact), 4e-3);
  }
}

#if !LACONIC_HAS_CUDA
// The functions for streams exist in every build.  tests/device has those of builds with device code.
TEST(Coder, NeedsDeviceCodeForStreams) {
  const Coder coder(coding("abs:1e-3"));
  float x = 0;
  laconic_stream_result result;
  for (const int answer :
       {laconic_coder_prepare_device(coder, 1), laconic_coder_encode_on_stream(coder, &x, 1, &x, 1, &result, nullptr),
        laconic_coder_decode_on_stream(coder, &x, 1, &x, 1, 1, &result, nullptr),
        laconic_coder_fold_on_stream(coder, &x, 1, &x, 1, &x, 1, &result, nullptr),
        laconic_coder_add_on_stream(coder, &x, 1, &x, 1, 1, &x, 1, &result, nullptr)}) {
    EXPECT_EQ(answer, LACONIC_ERROR_DEVICE);
    EXPECT_NE(std::string(laconic_codec_error()).find("no device code"), std::string::npos) << laconic_codec_error();
  }
}
#endif

TEST(Coder, HasNamesAndVersion) {
  EXPECT_STREQ(laconic_dtype_name(LACONIC_BFLOAT16), "bf16");
  EXPECT_EQ(laconic_dtype_name(static_cast<laconic_dtype>(0)), nullptr);
  EXPECT_EQ(laconic_dtype_size(LACONIC_FLOAT64), 8U);
  EXPECT_EQ(laconic_dtype_size(static_cast<laconic_dtype>(13)), 0U);
  EXPECT_STREQ(laconic_codec_name(LACONIC_CODEC_QUANT), "quant");
  EXPECT_STREQ(laconic_codec_name(LACONIC_CODEC_DENSE), "dense");
  EXPECT_EQ(laconic_codec_name(static_cast<laconic_codec>(7)), nullptr);
  int major = -1;
  laconic_version(&major, nullptr, nullptr);
  EXPECT_EQ(major, LACONIC_VERSION_MAJOR);
  int minor = -1;
  laconic_wire_format(nullptr, &minor);
  EXPECT_EQ(minor, laconic::wire::format_minor);
}

}  // namespace
