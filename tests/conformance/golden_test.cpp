// SPDX-License-Identifier: BSD-3-Clause
// Frames as files: the bytes of a frame must stay the same over time and on every machine.
//
// To add a frame, or to accept changed bytes of an experimental codec:
//   LACONIC_GOLDEN_ACCEPT=1 test_conformance --gtest_filter='*Golden*'
// and commit tests/golden/*.frame.  Frames that tests/golden/1.0.sha256 lists stay: where an encoder of a stable codec
// writes other bytes, give its golden frame a new name (tests/python/test_wire_format.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>

#include "support/exact.hpp"
#include "support/fields.hpp"
#include "support/frames.hpp"

namespace laconic::test {
namespace {

struct Golden {
  const char* name;
  const char* codec;
  std::function<Bytes(const Codec&)> make;
};

template <class T>
std::function<Bytes(const Codec&)> encoded(Kind kind, std::size_t count, double allowance, std::uint32_t terms) {
  return
      [=](const Codec& codec) { return encode(codec, make_field<T>(kind, count, 7), coding_for<T>(allowance, terms)); };
}

template <class T>
std::function<Bytes(const Codec&)> at_rate(Kind kind, std::size_t count, double rate) {
  return [=](const Codec& codec) {
    Coding coding = coding_for<T>(0);
    coding.rate = rate;
    return encode(codec, make_field<T>(kind, count, 7), coding);
  };
}

// The sum of two frames, the second of which is 2^12 times as large.
template <class T>
std::function<Bytes(const Codec&)> scaled(Kind kind, std::size_t count, double relative) {
  return [=](const Codec& codec) {
    Coding coding = coding_for<T>(0, 2);
    coding.relative = relative;
    const auto x = make_field<T>(kind, count, 7, 0);
    auto y = make_field<T>(kind, count, 7, 1);
    for (T& v : y) v = static_cast<T>(static_cast<double>(v) * 0x1p12);
    return fold(codec, encode(codec, x, coding), y, coding);
  };
}

// Prices, with one block of numbers that are none.
Bytes decimals(const Codec& codec) {
  Random random(7);
  std::vector<double> x(5 * 1024 + 100);
  std::int64_t cents = 0;
  for (double& v : x) {
    cents += static_cast<std::int64_t>(random.below(201)) - 100;
    v = static_cast<double>(cents) / 100;
  }
  for (std::size_t i = 2048; i < 3072; i += 5) x[i] = 1.0 / 3;
  return encode(codec, x, coding_for<double>(0));
}

// Long runs of equal numbers, whose exact coding is smaller.
Bytes runs(const Codec& codec) {
  Random random(7);
  std::vector<Bfloat16> x(dense::segment_values + 100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 4096 == 0 ? Bfloat16(random.normal()) : x[i - 1];
  return encode(codec, x, coding_for<Bfloat16>(1e-4));
}

// Blocks whose bound is a share of their range.  One number is much larger than the rest.
template <class T>
std::function<Bytes(const Codec&)> by_range(Kind kind, std::size_t count, double relative) {
  return [=](const Codec& codec) {
    Coding coding = coding_for<T>(0);
    coding.relative = relative;
    coding.scale = BlockScale::range;
    auto x = make_field<T>(kind, count, 7);
    x[511] = static_cast<T>(0x1p12);
    return encode(codec, x, coding);
  };
}

template <class T>
std::function<Bytes(const Codec&)> summed(Kind kind, std::size_t count, double allowance, Op op) {
  return [=](const Codec& codec) {
    const Coding coding = coding_for<T>(allowance, 3, op);
    const Bytes a = encode(codec, make_field<T>(kind, count, 7, 0), coding);
    const Bytes b = fold(codec, a, make_field<T>(kind, count, 7, 1), coding);
    return add(codec, encode(codec, make_field<T>(kind, count, 7, 2), coding), b, count, coding);
  };
}

// Truncated blocks of szx whose middles and words are infinite or NaN; no encoder writes them.
template <class T>
Bytes not_finite(const Codec& codec) {
  using Bits = BitsOf<T>;
  constexpr int down = 8 * sizeof(T) - 16;
  constexpr std::uint16_t infinity = sizeof(T) == 4 ? 0x7f80 : 0x7ff0;  // the high bits of an infinity
  constexpr std::array<std::uint16_t, 8> words{
      infinity, infinity | 0x8000, infinity | 1, infinity | 0x800f, infinity | 8, 0, infinity - 0x40, 0x8000};
  constexpr std::array<Bits, 4> middles{Bits{infinity} << down, (Bits{infinity} << down) + 0x12345, ~Bits{0},
                                        Bits{infinity - 0x30} << down};
  Bytes chunk{std::byte{0x0f}};
  const auto put = [&](const auto& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    chunk.insert(chunk.end(), bytes, bytes + sizeof value);
  };
  for (const Bits middle : middles) {
    put(std::uint8_t{16});  // the length: words of two bytes
    put(middle);
    const std::size_t n = middle == middles.back() ? 8 : 128;
    chunk.resize(chunk.size() + n / 4);  // no byte is left out
    for (std::size_t i = 0; i < n; ++i) put(words[i % words.size()]);
  }
  Bytes frame(wire::header_bytes);
  const auto size = static_cast<std::uint32_t>(chunk.size());
  wire::Header header;
  header.codec = codec.id();
  header.dtype = dtype_of<T>;
  header.count = 3 * 128 + 8;
  header.payload = size + sizeof size;
  wire::write_header(header, frame);
  const auto* index = reinterpret_cast<const std::byte*>(&size);
  frame.insert(frame.end(), index, index + sizeof size);
  frame.insert(frame.end(), chunk.begin(), chunk.end());
  return frame;
}

constexpr double golden_allowance = 0x1p-7;

// Encodes numbers that lie exactly on these lattice points.
Bytes encoded_points(const Codec& codec, const std::vector<std::int32_t>& points) {
  const Coding coding = coding_for<double>(golden_allowance);
  const double step = quant::Lattice::make(golden_allowance, 1, Dtype::f64).step;
  std::vector<double> x;
  for (const std::int32_t q : points) x.push_back(q * step);
  const Bytes frame = encode(codec, x, coding);
  EXPECT_TRUE(all_on_lattice(frame, x.size(), Dtype::f64));
  return frame;
}

// The residuals of sub-block s of every block have widths[s % widths.size()] bits, and none is below 0 where s % 3 is
// 0; `order` turns them into points.
void append_points(std::vector<std::int32_t>& points, std::size_t n, const std::vector<unsigned>& widths, int order) {
  Random random(11);
  std::int64_t difference = 0;
  std::int64_t last = order == 0 ? 0 : 1000000;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t s = i / quant::sub_values;
    const unsigned width = widths[s % widths.size()];
    const std::uint64_t below = std::uint64_t{1} << width;
    // The first residual has all bits set; the lowest is the sign.
    std::uint64_t z = i % quant::sub_values == 0 ? below - 1 : random.below(below);
    if (s % 3 == 0) z &= ~std::uint64_t{1};
    std::int64_t r = quant::unzigzag(static_cast<std::uint32_t>(z));
    r = static_cast<std::int32_t>(r);
    if (r == std::numeric_limits<std::int32_t>::min()) ++r;  // no encoder produces this value
    if (i == 0 && order != 0) r = 0;
    difference = order == 2 ? difference + r : r;
    last = order == 0 ? r : last + difference;
    points.push_back(static_cast<std::int32_t>(last));
  }
}

// All widths, with wide groups next to narrow ones, in every order; the last block is partial.
Bytes all_widths(const Codec& codec) {
  std::vector<std::int32_t> points;
  append_points(points, 1024,
                {0, 1, 2, 3, 32, 4, 0, 31, 4,  5,  6, 7, 20, 19, 18, 17, 8,  7,  2, 0, 21, 2, 9,  1, 8, 8,
                 8, 8, 3, 4, 5,  6, 9, 10, 11, 12, 0, 0, 0,  0,  13, 14, 15, 16, 1, 1, 1,  1, 16, 8, 0, 9},
                0);
  append_points(points, 1024, {3, 2, 9, 1, 4, 5, 6, 7, 8, 0, 2, 1, 10, 12, 14, 16, 18, 20, 1, 0}, 1);
  append_points(points, 1024, {2, 3, 8, 1, 4, 5, 0, 6, 9, 7, 10, 0, 1, 2, 1, 0, 2}, 2);
  append_points(points, 1000, {1, 4, 5, 6, 7, 3, 2, 8}, 1);
  return encoded_points(codec, points);
}

// All widths of long groups, next to narrow and wide ones, in every order; the last block is partial.
Bytes long_widths(const Codec& codec) {
  std::vector<std::int32_t> points;
  append_points(points, 1024, {17, 0,  12, 13, 18, 14, 15, 16, 19, 1, 11, 20, 21, 8,  22, 23, 24, 25,
                               26, 27, 28, 29, 30, 31, 32, 9,  0,  0, 16, 16, 16, 16, 8,  7,  6,  5},
                0);
  append_points(points, 1024, {3, 2, 4, 1, 4, 5, 6, 2, 17, 18, 19, 20, 21, 0, 16, 12, 9, 1, 1, 1, 3, 22, 14, 15}, 1);
  append_points(points, 1024, {2, 3, 2, 1, 4, 3, 0, 2, 17, 7, 10, 0, 1, 2, 1, 0, 18, 12, 13, 1, 9, 2, 3}, 2);
  append_points(points, 1000, {20, 17, 19, 18, 21, 3, 22, 16, 8, 2, 2, 1}, 1);
  return encoded_points(codec, points);
}

// A curve whose second differences are constant, and one of third degree.
Bytes smooth(const Codec& codec) {
  std::vector<std::int32_t> points;
  for (int i = 0; i < 1024; ++i) points.push_back(i * (i - 200) / 2);
  for (int i = 0; i < 330; ++i) points.push_back(i * (i - 80) * (i - 200) / 64);
  return encoded_points(codec, points);
}

// Blocks of every kind: zeros, raw numbers (with an infinity), a single number (NaN), points, and a partial block.
Bytes mixed(const Codec& codec) {
  auto x = make_field<float>(Kind::walk, 4 * 1024 + 100, 7);
  std::fill_n(x.begin(), 1024, 0.0f);
  x[1500] = std::numeric_limits<float>::infinity();
  std::fill_n(x.begin() + 2048, 1024, std::numeric_limits<float>::quiet_NaN());
  return encode(codec, x, coding_for<float>(0x1p-6, 2));
}

// Rows of 37 numbers that resemble each other, so that there is a lag.
Bytes rows_within(const Codec& codec, double allowance) {
  const auto profile = make_field<float>(Kind::normal, 37, 7);
  const auto noise = make_field<float>(Kind::normal, 2500, 8);
  std::vector<float> x;
  for (std::size_t i = 0; i < noise.size(); ++i) x.push_back(profile[i % profile.size()] + noise[i] / 64);
  return encode(codec, x, coding_for<float>(allowance, 2));
}
Bytes rows(const Codec& codec) { return rows_within(codec, 0x1p-8); }
Bytes exact_rows(const Codec& codec) { return rows_within(codec, 0); }

// Temperatures with a known greatest magnitude: the step leaves room for the rounding of the greatest number.
Bytes greatest_known(const Codec& codec, double allowance) {
  auto x = make_field<float>(Kind::normal, 200, 7);
  Coding coding = coding_for<float>(allowance);
  for (float& v : x) coding.greatest = std::max<double>(coding.greatest, std::fabs(v += 300));
  return encode(codec, x, coding);
}

// Bodies that no encoder writes, but that readers accept and decode as defined.
Bytes not_canonical(const Codec& codec) {
  const std::vector<std::pair<int, std::vector<std::uint16_t>>> blocks{
      {0, {0}},                                                           // zeros, not of size 0
      {0, {0x8001, 0x0000, 0x4000, 0x0003, 0x0000, 0x0000, 0x0000}},      // groups without codes, widths too large
      {4, {0x0002, 0x0000, 0x0201, 0xffff, 0x0001, 0x1234}},              // none is wide
      {4, {0x0000, 0x0002, 0x0001, 1, 2, 4, 0, 0, 9, 0, 0, 0, 0, 0, 0}},  // a long group that need not be long
      {5, {7, 0, 0x0001, 0x0001, 0x0007, 1, 0, 2, 3, 0, 0, 0, 0}},        // residual 0 is not 0; fits a narrow group
      {2, {7, 0x8000, 0x0001, 0x0012, 0x0003, 0x0001, 0x8000}},           // residual 0 is not 0, q overflows
      {6, {1, 0, 0x0001, 0x0000, 0x000a, 9, 0xffff}},                     // wide without wide groups; no signs
      {1, {3, 0, 0x0001, 0x0002, 0xffff, 0xff0f}},                        // of 5 numbers: the missing are not 0
  };
  std::vector<std::uint16_t> words;
  for (const auto& [kind, body] : blocks)
    words.push_back(quant::make_entry(static_cast<quant::Kind>(kind), 2 * body.size()));
  for (const auto& [kind, body] : blocks) words.insert(words.end(), body.begin(), body.end());
  Bytes frame(wire::header_bytes + 2 * words.size());
  std::memcpy(frame.data() + wire::header_bytes, words.data(), 2 * words.size());
  wire::Header header;
  header.codec = codec.id();
  header.dtype = Dtype::f32;
  header.count = 7 * 1024 + 5;
  header.payload = static_cast<std::uint32_t>(2 * words.size());
  header.step = 0.25;
  wire::write_header(header, frame);
  return frame;
}

// Numbers with exceptions: long runs of one value, single ones, runs of several values, every second number, a block
// without any other number.
template <class T>
std::vector<T> with_exceptions(std::size_t count, int rank) {
  auto x = make_field<T>(Kind::walk, count, 7, rank);
  const T fill = static_cast<T>(9.96921e36);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t block = i / quant::block_values;
    if (block == 0 && i > 300 && i < 900) x[i] = rank == 0 ? fill : nan;
    if (block == 1 && i % 341 == 0) x[i] = i % 2 == 0 ? nan : std::numeric_limits<T>::infinity();
    if (block == 2 && i % 2 == 0) x[i] = i % 100 < 50 ? fill : -fill;
    if (block == 3) x[i] = i % 200 < 90 ? fill : nan;
    if (block == 4 && i % 7 == 0) x[i] = static_cast<T>(fill * T(1 + i % 3));
  }
  return x;
}

template <class T>
std::function<Bytes(const Codec&)> masked(std::size_t count, double allowance, std::uint32_t terms) {
  return [=](const Codec& codec) {
    const Coding coding = coding_for<T>(allowance, terms);
    const Bytes frame = encode(codec, with_exceptions<T>(count, 0), coding);
    return terms == 1 ? frame : fold(codec, frame, with_exceptions<T>(count, 1), coding);
  };
}

// Rows of 37 numbers that resemble each other, with land at the same place of most rows: exceptions beside predictions
// from above.
Bytes masked_rows(const Codec& codec) {
  const auto profile = make_field<float>(Kind::walk, 37, 7);
  const auto noise = make_field<float>(Kind::normal, 3000, 8);
  std::vector<float> x;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const bool land = i % 37 > 10 + i / 37 % 5 && i % 37 < 25;
    x.push_back(land ? 1e20f : profile[i % profile.size()] + noise[i] / 64);
  }
  return encode(codec, x, coding_for<float>(0x1p-8, 2));
}

// A sum of 2^15 equal contributions, whose points need up to 45 bits, and in some blocks cross multiples of 2^32.
Bytes far_sum(const Codec& codec) {
  const Coding coding = coding_for<float>(0x1p-27, 1u << 15);
  const auto x = make_field<float>(Kind::walk, 2100, 7);
  Bytes frame = encode(codec, x, coding);
  for (int doubled = 0; doubled < 15; ++doubled) frame = add(codec, frame, frame, x.size(), coding);
  return frame;
}

const std::vector<Golden>& goldens() {
  static const std::vector<Golden> g{
      {"quant_f32_normal", "quant", encoded<float>(Kind::normal, 1500, 0x1p-8, 4)},
      {"quant_f64_walk", "quant", encoded<double>(Kind::walk, 2100, 0x1p-12, 8)},
      {"quant_f32_ties", "quant", encoded<float>(Kind::ties, 300, 0x1p-10, 2)},
      {"quant_f32_sparse", "quant", encoded<float>(Kind::sparse, 1040, 1e-3, 2)},
      {"quant_f32_special", "quant", encoded<float>(Kind::special, 1100, 0x1p-6, 2)},
      {"quant_f32_zero", "quant", encoded<float>(Kind::zero, 5000, 1e-3, 2)},
      {"quant_f64_fill", "quant", encoded<double>(Kind::constant, 2048, 0, 2)},
      {"quant_f32_wide", "quant", encoded<float>(Kind::normal, 100, 1e-8, 2)},
      {"quant_f32_sum", "quant", summed<float>(Kind::walk, 1030, 0x1p-9, Op::sum)},
      {"quant_f64_max", "quant", summed<double>(Kind::normal, 600, 0x1p-5, Op::max)},
      {"quant_f64_widths", "quant", all_widths},
      {"quant_f64_long", "quant", long_widths},
      {"quant_f64_smooth", "quant", smooth},
      {"quant_f32_mixed", "quant", mixed},
      {"quant_f32_greatest", "quant", [](const Codec& codec) { return greatest_known(codec, 0x1p-14); }},
      {"quant_f32_greatest_coarse", "quant", [](const Codec& codec) { return greatest_known(codec, 0x1p-17); }},
      {"quant_f32_not_canonical", "quant", not_canonical},
      {"quant_f32_far", "quant", encoded<float>(Kind::walk, 2100, 0x1p-20, 65536)},
      {"quant_f64_far", "quant", encoded<double>(Kind::outliers, 1100, 0x1p-36, 4)},
      {"quant_f32_far_sum", "quant", far_sum},
      {"quant_f32_masked", "quant", masked<float>(5300, 0x1p-7, 1)},
      {"quant_f32_masked_sum", "quant", masked<float>(5300, 0x1p-7, 3)},
      {"quant_f64_masked_far", "quant", masked<double>(2500, 0x1p-36, 4)},
      {"quant_f16_normal", "quant", encoded<Float16>(Kind::normal, 1500, 0x1p-6, 4)},
      {"quant_bf16_walk", "quant", encoded<Bfloat16>(Kind::walk, 1100, 0x1p-7, 4)},
      {"quant_f32_scaled", "quant", scaled<float>(Kind::outliers, 1300, 0.1)},
      {"quant_f32_scaled_special", "quant", scaled<float>(Kind::special, 1100, 0.25)},
      {"quant_f64_scaled", "quant", scaled<double>(Kind::walk, 600, 1e-3)},
      {"quant_bf16_scaled", "quant", scaled<Bfloat16>(Kind::sparse, 1025, 0.3)},
      {"quant_f32_by_range", "quant", by_range<float>(Kind::walk, 1300, 1e-2)},
      {"quant_f64_by_range_far", "quant", by_range<double>(Kind::real, 1100, 1e-6)},
      {"quant_f32_by_range_masked", "quant", by_range<float>(Kind::land, 1100, 1e-4)},
      {"quant_f64_by_range_masked", "quant", by_range<double>(Kind::special, 1100, 1e-12)},
      {"quant_f32_empty", "quant", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"dense_f32_normal", "dense", encoded<float>(Kind::normal, 1500, 0x1p-8, 4)},
      {"dense_f32_special", "dense", encoded<float>(Kind::special, 1100, 0x1p-6, 2)},
      {"dense_f32_zero", "dense", encoded<float>(Kind::zero, 5000, 1e-3, 2)},
      {"dense_f32_mixed", "dense", mixed},
      {"dense_f32_rows", "dense", rows},
      {"dense_f32_masked", "dense", masked<float>(5300, 0x1p-7, 1)},
      {"dense_f32_masked_sum", "dense", masked<float>(5300, 0x1p-7, 3)},
      {"dense_f32_masked_rows", "dense", masked_rows},
      {"dense_f64_masked", "dense", masked<double>(2500, 0x1p-20, 4)},
      {"dense_f32_sum", "dense", summed<float>(Kind::walk, 1030, 0x1p-9, Op::sum)},
      {"dense_f32_empty", "dense", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"dense_f64_max", "dense", summed<double>(Kind::normal, 600, 0x1p-5, Op::max)},
      {"dense_f64_widths", "dense", all_widths},
      {"dense_f64_long", "dense", long_widths},
      {"dense_f64_smooth", "dense", smooth},
      {"dense_f16_normal", "dense", encoded<Float16>(Kind::normal, 1500, 0x1p-6, 4)},
      {"dense_f32_parts", "dense", scaled<float>(Kind::outliers, 1300, 0.1)},
      {"dense_f32_parts_special", "dense", scaled<float>(Kind::special, 1100, 0.25)},
      {"dense_f64_parts", "dense", scaled<double>(Kind::walk, 600, 1e-3)},
      {"dense_bf16_parts", "dense", scaled<Bfloat16>(Kind::sparse, 1025, 0.3)},
      {"dense_f64_parts_by_range", "dense", by_range<double>(Kind::real, 1100, 1e-6)},
      {"dense_f32_parts_masked", "dense", by_range<float>(Kind::land, 5000, 1e-4)},
      {"dense_f64_parts_masked", "dense", by_range<double>(Kind::special, 1100, 1e-12)},
      {"dense_f64_cuts", "dense", encoded<double>(Kind::walk, 3000, 1e-10, 2)},
      {"dense_bf16_walk", "dense", encoded<Bfloat16>(Kind::walk, 1100, 0x1p-7, 4)},
      {"dense_f32_exact_walk", "dense", encoded<float>(Kind::walk, 2100, 0, 2)},
      {"dense_f32_exact_normal", "dense", encoded<float>(Kind::normal, 1500, 0, 2)},
      {"dense_f32_exact_rows", "dense", exact_rows},
      {"dense_f32_exact_special", "dense", encoded<float>(Kind::special, 1100, 0, 2)},
      {"dense_f32_exact_others", "dense", encoded<float>(Kind::sparse, 1040, 0, 2)},
      {"dense_f32_exact_two_zeros", "dense", encoded<float>(Kind::negative_zero, 1024, 0, 2)},
      {"dense_f32_exact_random_bits", "dense", encoded<float>(Kind::random_bits, 33, 0, 2)},
      {"dense_f32_exact_zero", "dense", encoded<float>(Kind::zero, 5000, 0, 2)},
      {"dense_f32_exact_empty", "dense", encoded<float>(Kind::zero, 0, 0, 2)},
      {"dense_f64_exact_ramp", "dense", encoded<double>(Kind::ramp, 1500, 0, 2)},
      {"dense_f64_exact_normal", "dense", encoded<double>(Kind::normal, 1100, 0, 2)},
      {"dense_f64_exact_decimals", "dense", decimals},
      {"dense_bf16_exact_inside", "dense", runs},
      {"dense_f64_exact_fill", "dense", encoded<double>(Kind::constant, 1030, 0, 2)},
      {"dense_f64_exact_max", "dense", summed<double>(Kind::walk, 1100, 0, Op::max)},
      {"dense_f16_exact_walk", "dense", encoded<Float16>(Kind::walk, 1100, 0, 2)},
      {"dense_bf16_exact_sum", "dense", summed<Bfloat16>(Kind::normal, 1100, 0, Op::sum)},
      {"dense_i8_exact_normal", "dense", encoded<std::int8_t>(Kind::normal, 777, 0, 2)},
      {"dense_u8_exact_walk", "dense", encoded<std::uint8_t>(Kind::walk, 1031, 0, 2)},
      {"dense_i16_exact_ramp", "dense", encoded<std::int16_t>(Kind::ramp, 1100, 0, 2)},
      {"dense_u32_exact_walk", "dense", encoded<std::uint32_t>(Kind::walk, 1500, 0, 2)},
      {"dense_i32_exact_sum", "dense", summed<std::int32_t>(Kind::extreme, 100, 0, Op::sum)},
      {"dense_i64_exact_walk", "dense", encoded<std::int64_t>(Kind::walk, 1100, 0, 2)},
      {"dense_u64_exact_min", "dense", summed<std::uint64_t>(Kind::normal, 150, 0, Op::min)},
      {"raw_f32_special", "raw", encoded<float>(Kind::special, 100, 1e-3, 2)},
      {"raw_f64_sum", "raw", summed<double>(Kind::normal, 50, 1e-3, Op::sum)},
      {"szx_f32_walk", "szx", encoded<float>(Kind::walk, 5300, 0x1p-7, 4)},
      {"szx_f64_walk", "szx", encoded<double>(Kind::walk, 900, 1e-9, 8)},
      {"szx_f32_special", "szx", encoded<float>(Kind::special, 1100, 1e-4, 2)},
      {"szx_f32_sparse", "szx", encoded<float>(Kind::sparse, 259, 0.7, 2)},
      {"szx_f32_zero", "szx", encoded<float>(Kind::zero, 6000, 1e-3, 2)},
      {"szx_f64_lossless", "szx", encoded<double>(Kind::constant, 130, 0, 2)},
      {"szx_f32_sum", "szx", summed<float>(Kind::walk, 1030, 1e-3, Op::sum)},
      {"szx_f64_max", "szx", summed<double>(Kind::normal, 600, 1e-2, Op::max)},
      {"szx_f32_not_finite", "szx", not_finite<float>},
      {"szx_f64_not_finite", "szx", not_finite<double>},
      {"szx_f32_empty", "szx", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"raw_bf16_sum", "raw", summed<Bfloat16>(Kind::normal, 50, 0, Op::sum)},
      {"lossless_f32_walk", "lossless", encoded<float>(Kind::walk, 2100, 0, 2)},
      {"lossless_f32_normal", "lossless", encoded<float>(Kind::normal, 1030, 0, 2)},
      {"lossless_f32_special", "lossless", encoded<float>(Kind::special, 1100, 0, 2)},
      {"lossless_f32_sparse", "lossless", encoded<float>(Kind::sparse, 1040, 0, 2)},
      {"lossless_f32_signs_of_zero", "lossless", encoded<float>(Kind::negative_zero, 1024, 0, 2)},
      {"lossless_f32_random_bits", "lossless", encoded<float>(Kind::random_bits, 33, 0, 2)},
      {"lossless_f32_zero", "lossless", encoded<float>(Kind::zero, 5000, 0, 2)},
      {"lossless_f32_empty", "lossless", encoded<float>(Kind::zero, 0, 0, 2)},
      {"lossless_f64_ramp", "lossless", encoded<double>(Kind::ramp, 1500, 0, 2)},
      {"lossless_f64_fill", "lossless", encoded<double>(Kind::constant, 1030, 0, 2)},
      {"lossless_f64_max", "lossless", summed<double>(Kind::normal, 200, 0, Op::max)},
      {"lossless_f16_walk", "lossless", encoded<Float16>(Kind::walk, 1100, 0, 2)},
      {"lossless_bf16_sum", "lossless", summed<Bfloat16>(Kind::walk, 1100, 0, Op::sum)},
      {"lossless_i8_normal", "lossless", encoded<std::int8_t>(Kind::normal, 777, 0, 2)},
      {"lossless_u8_walk", "lossless", encoded<std::uint8_t>(Kind::walk, 1031, 0, 2)},
      {"lossless_i16_ramp", "lossless", encoded<std::int16_t>(Kind::ramp, 1100, 0, 2)},
      {"lossless_u16_ties", "lossless", encoded<std::uint16_t>(Kind::ties, 500, 0, 2)},
      {"lossless_i32_sum", "lossless", summed<std::int32_t>(Kind::extreme, 100, 0, Op::sum)},
      {"lossless_u32_walk", "lossless", encoded<std::uint32_t>(Kind::walk, 1500, 0, 2)},
      {"lossless_i64_walk", "lossless", encoded<std::int64_t>(Kind::walk, 1100, 0, 2)},
      {"lossless_u64_min", "lossless", summed<std::uint64_t>(Kind::normal, 150, 0, Op::min)},
      {"zfp_f32_walk", "zfp", encoded<float>(Kind::walk, 4103, 0x1p-7, 4)},
      {"zfp_f64_walk", "zfp", encoded<double>(Kind::walk, 230, 1e-12, 8)},
      {"zfp_f64_huge_range", "zfp", encoded<double>(Kind::huge_range, 210, 1e290, 1)},
      {"zfp_f32_special", "zfp", encoded<float>(Kind::special, 400, 1e-3, 2)},
      {"zfp_f32_sparse", "zfp", encoded<float>(Kind::sparse, 257, 0.3, 2)},
      {"zfp_f32_rate", "zfp", at_rate<float>(Kind::normal, 331, 7.25)},
      {"zfp_f64_rate", "zfp", at_rate<double>(Kind::walk, 131, 21)},
      {"zfp_f32_lowest_rate", "zfp", at_rate<float>(Kind::walk, 402, 2.25)},
      {"zfp_f64_exact", "zfp", encoded<double>(Kind::normal, 9, 0, 1)},
      {"zfp_f64_sum", "zfp", summed<double>(Kind::walk, 103, 1e-5, Op::sum)},
      {"zfp_f32_empty", "zfp", encoded<float>(Kind::zero, 0, 1e-3, 2)},
      {"failed", "raw",
       [](const Codec&) {
         Bytes frame(wire::header_bytes);
         wire::write_failed_frame(1234, Dtype::f64, frame);
         return frame;
       }},
  };
  return g;
}

std::string path_of(const Golden& golden) {
  const char* folder = std::getenv("LACONIC_TEST_GOLDEN");
#ifdef LACONIC_TEST_GOLDEN_DIR
  if (folder == nullptr) folder = LACONIC_TEST_GOLDEN_DIR;
#endif
  return std::string(folder != nullptr ? folder : "tests/golden") + "/" + golden.name + ".frame";
}

Bytes read(const std::string& path) {
  Bytes bytes;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return bytes;
  std::byte buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + n);
  std::fclose(file);
  return bytes;
}

void write(const std::string& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr) << path;
  ASSERT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(std::fclose(file), 0);
}

class GoldenFrame : public ::testing::TestWithParam<std::size_t> {};

TEST_P(GoldenFrame, IsReproduced) {
  const Golden& golden = goldens()[GetParam()];
  if (std::getenv("LACONIC_GOLDEN_ACCEPT") != nullptr) write(path_of(golden), golden.make(*find_codec(golden.codec)));
  const Bytes expected = read(path_of(golden));
  ASSERT_FALSE(expected.empty()) << "cannot read " << path_of(golden);
  for (const Subject& subject : all_subjects())
    if (subject.codec->name() == golden.codec) {
      EXPECT_EQ(golden.make(*subject.codec), expected) << subject.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Frames, GoldenFrame, ::testing::Range(std::size_t{0}, goldens().size()),
                         [](const auto& i) { return std::string(goldens()[i.param].name); });

}  // namespace
}  // namespace laconic::test
