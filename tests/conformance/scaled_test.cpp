// SPDX-License-Identifier: BSD-3-Clause
// Scaled frames, whose bound is a share of the root mean square of each block of numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "codec/quant/scaled.hpp"
#include "scaled_variants.hpp"
#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"
#include "support/seed.hpp"

namespace laconic::test {
namespace {

using quant::scaled::values;

template <class T>
Coding scaled_coding(double relative, std::uint32_t terms = 1, Op op = Op::sum, double divisor = 1) {
  Coding coding = coding_for<T>(0, terms, op, divisor);
  coding.relative = relative;
  return coding;
}

// Layers of a network have gradients of very different magnitude: every run of numbers has its own scale.
template <class T>
std::vector<T> gradients(std::size_t count, std::uint64_t seed, int decades = 6) {
  Random random(seed);
  std::vector<T> x(count);
  double scale = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 700 == 0) scale = std::pow(10.0, -decades * random.unit());
    x[i] = static_cast<T>(random.normal() * scale);
  }
  return x;
}

template <class T>
std::vector<long double> rms_of_blocks(const std::vector<T>& x) {
  std::vector<long double> rms;
  for (std::size_t i = 0; i < x.size(); i += values) {
    const std::size_t n = std::min(values, x.size() - i);
    long double sum = 0;
    for (std::size_t j = i; j < i + n; ++j) sum += exactly(x[j]) * exactly(x[j]);
    rms.push_back(std::sqrt(sum / static_cast<long double>(n)));
  }
  return rms;
}

// The exponents of two frames bring the points to one lattice, so the test compares the numbers that they represent.
template <class T>
bool all_on_lattice_of(const Bytes& frame, std::size_t count) {
  if (header_of(frame).codec == find_codec("dense")->id()) {
    bool all = true;
    return each_dense_segment(frame, dense::Frames::scaled, count, dtype_of<T>,
                              [&](const dense::Segment& segment, std::size_t n) {
                                for (std::size_t u = 0; u < dense::parts_of(n); ++u)
                                  all = all && dense::has_points(segment.forms[u]);
                              }) &&
           all;
  }
  quant::Reader reader(frame, count, true, sizeof(T), values);
  for (std::size_t i = 0; i < count; i += values) {
    quant::Packed in;
    if (!reader.next(std::min(values, count - i), in)) return false;
    if (!quant::on_lattice(quant::kind_of(in.entry))) return false;
  }
  return true;
}

class Scaled : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Codec& codec() const { return *scaled_variants()[GetParam()].codec; }
  const Codec& reference() const { return *scaled_variants()[GetParam()].reference; }
};

INSTANTIATE_TEST_SUITE_P(Kernels, Scaled, ::testing::Range(std::size_t{0}, scaled_variants().size()),
                         [](const auto& i) { return scaled_variants()[i.param].name; });

template <class T>
void bound_holds(const Codec& codec, const std::vector<T>& x, double relative, std::uint32_t terms) {
  const Coding coding = scaled_coding<T>(relative, terms);
  const Bytes frame = encode(codec, x, coding, terms % 3);
  EXPECT_TRUE(header_of(frame).scaled());
  const std::vector<T> back = decode<T>(codec, frame, x.size(), coding);
  const auto rms = rms_of_blocks(x);
  long double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double v = exactly(x[i]);
    if (!std::isfinite(v)) {
      ASSERT_EQ(bits_of(x[i]), bits_of(back[i])) << "number " << i;
      continue;
    }
    ASSERT_TRUE(std::isfinite(exactly(back[i]))) << "number " << i << ": " << v;
    const long double off = std::fabs(v - exactly(back[i]));
    const long double rounding = sizeof(T) < 8 ? half_ulp(back[i]) : 0;
    const long double allowed = std::isfinite(rms[i / values]) ? relative * rms[i / values] : 0;
    ASSERT_LE(off, allowed + rounding) << "number " << i << ": " << v << ", relative " << relative;
    most = std::max(most, off - rounding);
  }
  EXPECT_LE(most, header_of(frame).error);
}

template <class T>
void bounds_hold(const Codec& codec) {
  std::uint64_t seed = base_seed();
  for (const double relative : {1e-12, 1e-5, 0.01, 0.1, 0.3, 1.0, 5.0, 1e300})
    for (const std::uint32_t terms : {1u, 4u, 1000u}) {
      SCOPED_TRACE(seed_note());
      bound_holds(codec, gradients<T>(5000, ++seed), relative, terms);
      for (const NamedKind& k : all_kinds) {
        ++seed;
        SCOPED_TRACE(std::string(k.name));
        bound_holds(codec, make_field<T>(k.kind, 1 + seed % 1700, seed), relative, terms);
        if (::testing::Test::HasFailure()) return;
      }
    }
}
TEST_P(Scaled, BoundsHoldFloat) { bounds_hold<float>(codec()); }
TEST_P(Scaled, BoundsHoldDouble) { bounds_hold<double>(codec()); }
TEST_P(Scaled, BoundsHoldFloat16) { bounds_hold<Float16>(codec()); }
TEST_P(Scaled, BoundsHoldBfloat16) { bounds_hold<Bfloat16>(codec()); }

// The squares of these numbers leave the range of float64.
TEST_P(Scaled, BlocksOfAnySizeAreRounded) {
  for (const double scale : {1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e290}) {
    std::vector<double> x = gradients<double>(3000, base_seed(), 0);
    for (double& v : x) v *= scale;
    bound_holds(codec(), x, 0.1, 4);
    const Bytes frame = encode(codec(), x, scaled_coding<double>(0.1, 4));
    EXPECT_LT(frame.size() * 6, x.size() * sizeof(double)) << scale;
  }
}

template <class T>
void same_bytes(const Codec& codec, const Codec& reference) {
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const std::size_t count : {0, 1, 15, 512, 513, 1024, 3333})
      for (const double relative : {1e-9, 1e-3, 0.1, 2.0})
        for (const Op op : {Op::sum, Op::max, Op::min}) {
          if (++seed % one_in != 0) continue;
          SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
          const Coding coding = scaled_coding<T>(relative, 3, op, seed % 4 == 0 ? 3 : 1);
          const auto x = make_field<T>(k.kind, count, seed, 0);
          const auto y = gradients<T>(count, seed);
          const Bytes fx = encode(codec, x, coding);
          const Bytes fy = encode(codec, y, coding);
          ASSERT_EQ(fx, encode(reference, x, coding));
          const Bytes folded = fold(codec, fx, y, coding);
          ASSERT_EQ(folded, fold(reference, fx, y, coding));
          const Bytes sum = add(codec, folded, fy, count, coding);
          ASSERT_EQ(sum, add(reference, folded, fy, count, coding));
          const auto a = decode<T>(codec, sum, count, coding);
          const auto b = decode<T>(reference, sum, count, coding);
          // An empty vector may have no memory, and memcmp needs valid pointers.
          ASSERT_TRUE(count == 0 || std::memcmp(static_cast<const void*>(a.data()), b.data(), count * sizeof(T)) == 0);
        }
}
TEST_P(Scaled, FramesFloat) { same_bytes<float>(codec(), reference()); }
TEST_P(Scaled, FramesDouble) { same_bytes<double>(codec(), reference()); }
TEST_P(Scaled, FramesFloat16) { same_bytes<Float16>(codec(), reference()); }
TEST_P(Scaled, FramesBfloat16) { same_bytes<Bfloat16>(codec(), reference()); }

// Scales up to 10^4 apart still share a lattice; numbers that cancel must not leave a trace in the bytes.
template <class T>
void algebra(const Codec& codec) {
  Random random(base_seed());
  std::size_t on_lattice = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = 1 + random.below(2000);
    const Op op = static_cast<Op>(random.below(3));
    const Coding coding = scaled_coding<T>(random.below(2) == 0 ? 0.1 : 0.01, 3, op);
    auto x = gradients<T>(n, random.bits(), 4);
    auto y = gradients<T>(n, random.bits(), 4);
    auto z = gradients<T>(n, random.bits(), 4);
    if (round % 3 == 0)
      for (std::size_t i = 0; i < n; ++i) y[i] = -x[i];
    if (round % 5 == 0) std::fill(z.begin(), z.end(), T(0.0));
    const Bytes fx = encode(codec, x, coding);
    const Bytes fy = encode(codec, y, coding);
    const Bytes fz = encode(codec, z, coding);
    const Bytes xy = add(codec, fx, fy, n, coding);
    ASSERT_EQ(xy, add(codec, fy, fx, n, coding)) << "a + b and b + a differ";
    ASSERT_EQ(xy, fold(codec, fx, y, coding)) << "fold and add differ";
    const Bytes left = add(codec, xy, fz, n, coding);
    const Bytes right = add(codec, fx, add(codec, fy, fz, n, coding), n, coding);
    if (all_on_lattice_of<T>(left, n) && all_on_lattice_of<T>(right, n)) {
      ++on_lattice;
      Bytes a = left;
      Bytes b = right;
      // The errors are added in another order, so the header's error may differ.
      std::memset(a.data() + 24, 0, 8);
      std::memset(b.data() + 24, 0, 8);
      ASSERT_EQ(a, b) << "(a+b)+c and a+(b+c) differ";
    }
    // The sum is exactly the sum of the decoded operands.
    const auto dx = decode<T>(codec, fx, n, coding);
    const auto dy = decode<T>(codec, fy, n, coding);
    const auto got = decode<T>(codec, xy, n, coding);
    for (std::size_t i = 0; i < n && sizeof(T) >= 4; ++i)
      ASSERT_EQ(exactly(got[i]), exactly(combine(op, dx[i], dy[i]))) << "number " << i;
  }
  EXPECT_GT(on_lattice, 30u);
}
TEST_P(Scaled, AlgebraFloat) { algebra<float>(codec()); }
TEST_P(Scaled, AlgebraDouble) { algebra<double>(codec()); }
TEST_P(Scaled, AlgebraFloat16) { algebra<Float16>(codec()); }
TEST_P(Scaled, AlgebraBfloat16) { algebra<Bfloat16>(codec()); }

// Scales too far apart for one lattice are added as decoded numbers; the only error is their rounding.
TEST_P(Scaled, ScalesTooFarApartAreAddedAsNumbers) {
  const auto x = gradients<double>(1500, base_seed(), 0);
  auto y = gradients<double>(1500, base_seed() + 1, 0);
  for (double& v : y) v *= 1e12;
  const Coding coding = scaled_coding<double>(0.1, 2);
  const Bytes fx = encode(codec(), x, coding);
  const Bytes fy = encode(codec(), y, coding);
  const Bytes sum = add(codec(), fx, fy, x.size(), coding);
  EXPECT_FALSE(all_on_lattice_of<double>(sum, x.size()));
  EXPECT_EQ(sum, add(codec(), fy, fx, x.size(), coding));
  EXPECT_EQ(sum, fold(codec(), fx, y, coding));
  const auto dx = decode<double>(codec(), fx, x.size(), coding);
  const auto dy = decode<double>(codec(), fy, x.size(), coding);
  const auto got = decode<double>(codec(), sum, x.size(), coding);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], dx[i] + dy[i]);
}

TEST_P(Scaled, MeansAreDivided) {
  const auto x = gradients<float>(2000, base_seed());
  const Coding coding = scaled_coding<float>(0.1, 3, Op::sum, 3);
  const Bytes frame = encode(codec(), x, coding);
  const auto whole =
      decode<double>(codec(), encode(codec(), std::vector<double>(x.begin(), x.end()), scaled_coding<double>(0.1, 3)),
                     x.size(), scaled_coding<double>(0.1, 3));
  const auto mean = decode<float>(codec(), frame, x.size(), coding);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(mean[i], static_cast<float>(whole[i] / 3));
}

TEST_P(Scaled, AccountsForErrors) {
  const std::vector<float> ones(600, 1.0F);
  const Coding coding = scaled_coding<float>(0.3, 4);
  const Bytes frame = encode(codec(), ones, coding);
  EXPECT_EQ(header_of(frame).error, 0.25);  // the largest power of two not above 0.6, halved
  EXPECT_EQ(header_of(add(codec(), frame, frame, 600, coding)).error, 0.5);
  EXPECT_EQ(header_of(fold(codec(), frame, ones, coding)).error, 0.5);
  const Coding most = scaled_coding<float>(0.3, 1, Op::max);
  EXPECT_EQ(header_of(add(codec(), frame, frame, 600, most)).error, 0.25);
  const std::vector<float> infinite(600, std::numeric_limits<float>::infinity());
  EXPECT_EQ(header_of(encode(codec(), infinite, coding)).error, 0);
}

// Scaled frames are not accepted as unscaled ones, nor the other way round.
TEST_P(Scaled, FramesOfTheOtherKindAreRefused) {
  const auto x = gradients<float>(900, base_seed());
  const Coding scaled = scaled_coding<float>(0.1, 2);
  for (const double allowance : {0.0, 1e-3}) {
    const Coding absolute = coding_for<float>(allowance, 2);
    const Bytes a = encode(codec(), x, scaled);
    const Bytes b = encode(codec(), x, absolute);
    std::vector<float> y(x.size());
    Guarded out(codec().capacity(x.size(), Dtype::f32));
    for (const auto& [frame, other, coding] : {std::tuple{a, b, absolute}, std::tuple{b, a, scaled}}) {
      EXPECT_EQ(codec().fold(frame, x.data(), x.size(), coding, out.bytes()).status.code(), Code::frame);
      EXPECT_EQ(codec().add(frame, other, x.size(), coding, out.bytes()).status.code(), Code::frame);
      EXPECT_EQ(codec().add(other, frame, x.size(), coding, out.bytes()).status.code(), Code::frame);
      // Without a bound, every frame of the codec is accepted, and a frame that keeps every bit in every operation.
      const bool any = coding.allowance == 0 && coding.relative == 0;
      const bool exact = frame == b && allowance == 0;
      EXPECT_EQ(codec().decode(frame, y.data(), x.size(), coding).ok(), any || exact);
    }
  }
}

// All functions accept exactly the frames that decode accepts; nothing is written outside of the memory given.
template <class T>
void damage(const Codec& codec, const Codec& reference) {
  Random random(base_seed());
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", " + seed_note());
    const std::size_t n = 1 + random.below(1300);
    const auto x = random.below(2) == 0
                       ? gradients<T>(n, random.bits())
                       : make_field<T>(all_kinds[random.below(all_kinds.size())].kind, n, random.bits());
    const Coding coding = scaled_coding<T>(0.1, 2, static_cast<Op>(random.below(3)));
    const Bytes good = encode(codec, x, coding);
    Bytes bad = good;
    if (random.below(4) == 0) {
      bad.resize(random.below(bad.size() + 1));
    } else {
      for (std::uint64_t edits = 1 + random.below(3); edits > 0; --edits)
        bad[random.below(random.below(2) != 0 ? std::min<std::size_t>(bad.size(), 60) : bad.size())] ^=
            static_cast<std::byte>(random.bits());
    }
    if (bad.size() >= wire::header_bytes) {
      const auto payload = static_cast<std::uint32_t>(bad.size() - wire::header_bytes);
      std::memcpy(bad.data() + 12, &payload, sizeof payload);
    }
    Guarded numbers(n * sizeof(T));
    Guarded same(n * sizeof(T));
    const Status s = codec.decode(bad, numbers.as<T>(), n, coding);
    EXPECT_EQ(s.ok(), reference.decode(bad, same.as<T>(), n, coding).ok());
    EXPECT_TRUE(numbers.intact());
    if (s.ok()) {
      EXPECT_EQ(numbers.copy<std::byte>(), same.copy<std::byte>());
    }
    Guarded out(codec.capacity(n, coding.dtype));
    const auto sane = [&](const Coded& coded) {
      EXPECT_EQ(s.ok(), coded.status.ok());
      EXPECT_TRUE(out.intact());
      EXPECT_LE(coded.bytes, out.bytes().size());
    };
    sane(codec.fold(bad, x.data(), n, coding, out.bytes()));
    sane(codec.add(bad, good, n, coding, out.bytes()));
    const Coded sum = codec.add(good, bad, n, coding, out.bytes());
    sane(sum);
    if (sum.status.ok()) {
      const Bytes first(out.bytes().begin(), out.bytes().begin() + static_cast<std::ptrdiff_t>(sum.bytes));
      EXPECT_EQ(first, add(codec, bad, good, n, coding)) << "a + b and b + a differ";
      decode<T>(codec, first, n, coding);
    }
    if (::testing::Test::HasFailure()) return;
  }
}
TEST_P(Scaled, DamagedFloat) { damage<float>(codec(), reference()); }
TEST_P(Scaled, DamagedDouble) { damage<double>(codec(), reference()); }
TEST_P(Scaled, DamagedBfloat16) { damage<Bfloat16>(codec(), reference()); }

// Sums and their errors are those of quant, also where blocks are off the lattice or have scales too far apart.
template <class T>
void numbers_of_quant() {
  const Codec& quant = *find_codec("quant");
  const Codec& dense = *find_codec("dense");
  std::uint64_t seed = base_seed();
  for (const NamedKind& k : all_kinds)
    for (const Op op : {Op::sum, Op::max}) {
      const std::size_t count = ++seed % 3 == 0 ? dense::segment_values + seed % 2000 : seed % 5000;
      SCOPED_TRACE(std::string(k.name) + ", count " + std::to_string(count) + ", " + seed_note());
      Coding coding = scaled_coding<T>(seed % 2 == 0 ? 0.1 : 1e-6, 3, op, seed % 4 == 0 ? 3 : 1);
      coding.exact_denormals = seed % 5 == 0;
      const auto x = make_field<T>(k.kind, count, seed, 0);
      const auto y = gradients<T>(count, seed);
      const auto z = make_field<T>(k.kind, count, seed, 1);
      const auto sum_of = [&](const Codec& codec) {
        return add(codec, fold(codec, encode(codec, x, coding), y, coding), encode(codec, z, coding), count, coding);
      };
      const Bytes ours = sum_of(dense);
      const Bytes theirs = sum_of(quant);
      ASSERT_EQ(header_of(ours).error, header_of(theirs).error);
      const auto a = decode<T>(dense, ours, count, coding);
      const auto b = decode<T>(quant, theirs, count, coding);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits_of(a[i]), bits_of(b[i])) << "number " << i;
    }
}
TEST(ScaledDense, NumbersOfQuantFloat) { numbers_of_quant<float>(); }
TEST(ScaledDense, NumbersOfQuantDouble) { numbers_of_quant<double>(); }
TEST(ScaledDense, NumbersOfQuantFloat16) { numbers_of_quant<Float16>(); }
TEST(ScaledDense, NumbersOfQuantBfloat16) { numbers_of_quant<Bfloat16>(); }

TEST(Relative, IsRefusedByCodecsThatDoNotKnowIt) {
  const std::vector<float> x(100, 1.0F);
  std::vector<float> y(100);
  for (const Codec* codec : all_codecs()) {
    if (codec->relative()) continue;
    const Bytes frame = encode(*codec, x, coding_for<float>(1e-3));
    const Coding coding = scaled_coding<float>(0.1);
    Guarded out(codec->capacity(x.size(), Dtype::f32));
    for (const Status& s : {codec->encode(x.data(), x.size(), coding, out.bytes()).status,
                            codec->fold(frame, x.data(), x.size(), coding, out.bytes()).status,
                            codec->add(frame, frame, x.size(), coding, out.bytes()).status,
                            codec->decode(frame, y.data(), x.size(), coding)}) {
      EXPECT_EQ(s.code(), Code::argument);
      for (const std::string_view word : {codec->name(), std::string_view("quant"), std::string_view("rms")})
        EXPECT_NE(s.message().find(word), std::string::npos) << s.message();
    }
    Bytes flagged = frame;
    flagged[7] = std::byte{wire::flag_scaled};
    EXPECT_EQ(codec->decode(flagged, y.data(), x.size(), coding_for<float>(0)).code(), Code::frame);
  }
}

}  // namespace
}  // namespace laconic::test
