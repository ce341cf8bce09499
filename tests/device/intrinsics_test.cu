// SPDX-License-Identifier: BSD-3-Clause
// CUDA's single-thread functions, compared with definitions written out on the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "device/cuda/language.hpp"
#include "device/scratch.hpp"

namespace laconic {
namespace {

using Intrinsics = DeviceTest;

struct Bits {
  std::uint32_t reversed, permuted, left, right, left_clamped, right_clamped, high, ones, zeros, first;
  std::uint32_t zeros_wide, first_wide, ones_wide;
  std::uint64_t high_wide, reversed_wide;
};

__global__ void bits_kernel(const std::uint32_t* in, Bits* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  Bits r{};
  r.reversed = __brev(x);
  r.permuted = __byte_perm(x, y, z);
  r.left = __funnelshift_l(x, y, z);
  r.right = __funnelshift_r(x, y, z);
  r.left_clamped = __funnelshift_lc(x, y, z);
  r.right_clamped = __funnelshift_rc(x, y, z);
  r.high = __umulhi(x, y);
  r.ones = static_cast<unsigned>(__popc(x));
  r.zeros = static_cast<unsigned>(__clz(static_cast<int>(x)));
  r.first = static_cast<unsigned>(__ffs(static_cast<int>(x)));
  r.zeros_wide = static_cast<unsigned>(__clzll(static_cast<long long>(wide)));
  r.first_wide = static_cast<unsigned>(__ffsll(static_cast<long long>(wide)));
  r.ones_wide = static_cast<unsigned>(__popcll(wide));
  r.high_wide = __umul64hi(wide, wide ^ z);
  r.reversed_wide = __brevll(wide);
  out[i] = r;
}

// The function computed bit by bit, as the manual defines it.
template <class T>
T reversed(T x) {
  T r = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) r |= static_cast<T>((x >> i & 1) << (8 * sizeof(T) - 1 - i));
  return r;
}
std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

TEST_F(Intrinsics, Bits) {
  constexpr unsigned n = 4096;
  std::mt19937 random(11);
  std::vector<std::uint32_t> in(3 * n);
  for (unsigned i = 0; i < 3 * n; ++i) in[i] = i % 3 == 2 && i % 2 == 0 ? random() % 70 : random() >> random() % 32;
  in[0] = in[1] = in[2] = 0;
  const OnDevice<std::uint32_t> numbers(in);
  const OnDevice<Bits> results(n);
  ASSERT_TRUE(launch(bits_kernel, n / 64, 64, nullptr, numbers.data(), results.data()));
  const auto out = results.get();
  for (unsigned i = 0; i < n; ++i) {
    const std::uint32_t x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
    SCOPED_TRACE(testing::Message() << std::hex << x << " " << y << " " << z);
    const std::uint64_t wide = std::uint64_t{x} << 32 | y;
    const Bits& r = out[i];
    EXPECT_EQ(r.reversed, reversed(x));
    EXPECT_EQ(r.reversed_wide, reversed(wide));
    std::uint32_t permuted = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const unsigned from = z >> 4 * byte & 7;
      permuted |= ((from < 4 ? x >> 8 * from : y >> 8 * (from - 4)) & 0xff) << 8 * byte;
    }
    EXPECT_EQ(r.permuted, permuted);
    const unsigned by = z % 32;
    EXPECT_EQ(r.left, by == 0 ? y : y << by | x >> (32 - by));
    EXPECT_EQ(r.right, by == 0 ? x : x >> by | y << (32 - by));
    EXPECT_EQ(r.left_clamped, z >= 32 ? x : r.left);
    EXPECT_EQ(r.right_clamped, z >= 32 ? y : r.right);
    EXPECT_EQ(r.high, std::uint64_t{x} * y >> 32);
    EXPECT_EQ(r.high_wide, upper_half(wide, wide ^ z));
    EXPECT_EQ(r.ones, static_cast<unsigned>(std::popcount(x)));
    EXPECT_EQ(r.zeros, static_cast<unsigned>(std::countl_zero(x)));
    EXPECT_EQ(r.first, x == 0 ? 0u : static_cast<unsigned>(std::countr_zero(x)) + 1);
    EXPECT_EQ(r.ones_wide, static_cast<unsigned>(std::popcount(wide)));
    EXPECT_EQ(r.zeros_wide, static_cast<unsigned>(std::countl_zero(wide)));
    EXPECT_EQ(r.first_wide, wide == 0 ? 0u : static_cast<unsigned>(std::countr_zero(wide)) + 1);
  }
}

struct Reals {
  std::uint32_t sum, product, quotient, fused;
  std::int32_t nearest, toward_zero, nearest_of_double;
  long long nearest_wide;
  double double_product;
};

__global__ void reals_kernel(const float* in, Reals* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[2 * i], y = in[2 * i + 1];
  Reals r{};
  r.sum = __float_as_uint(__fadd_rn(x, y));
  r.product = __float_as_uint(__fmul_rn(x, y));
  r.quotient = __float_as_uint(__fdiv_rn(x, y));
  r.fused = __float_as_uint(__fmaf_rn(x, y, -__fmul_rn(x, y)));
  r.nearest = __float2int_rn(x);
  r.toward_zero = __float2int_rz(x);
  r.nearest_of_double = __double2int_rn(static_cast<double>(x));
  r.nearest_wide = __double2ll_rn(static_cast<double>(x));
  r.double_product = __dmul_rn(static_cast<double>(x), static_cast<double>(y) + 1e-9);
  out[i] = r;
}

bool same_number(std::uint32_t bits, float expected) {
  return std::bit_cast<float>(bits) != std::bit_cast<float>(bits) ? expected != expected
                                                                  : bits == std::bit_cast<std::uint32_t>(expected);
}

// Rounds to the nearest integer, ties to even, and saturates at the limits of the type.
template <class Integer>
Integer rounded(double x, Integer nan) {
  if (x != x) return nan;
  const double end = std::ldexp(1.0, 8 * static_cast<int>(sizeof(Integer)) - 1);
  double r = std::floor(x);
  if (x - r > 0.5 || (x - r == 0.5 && std::fmod(r, 2) != 0)) ++r;
  return r >= end   ? std::numeric_limits<Integer>::max()
         : r < -end ? std::numeric_limits<Integer>::min()
                    : static_cast<Integer>(r);
}

TEST_F(Intrinsics, RealNumbers) {
  constexpr unsigned n = 4096;
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(13);
  std::vector<float> in{inf,           1, -inf,           2, nan,  1, 0.5f,  1, 1.5f,   1, -0.5f,   1,
                        2147483648.0f, 1, -2147483648.0f, 1, 3e9f, 1, -0.0f, 1, 1e-40f, 3, 9.3e18f, 1,
                        -9.3e18f,      1};
  while (in.size() < 2 * n) in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  const OnDevice<float> numbers(in);
  const OnDevice<Reals> results(n);
  ASSERT_TRUE(launch(reals_kernel, n / 64, 64, nullptr, numbers.data(), results.data()));
  const auto out = results.get();
  for (unsigned i = 0; i < n; ++i) {
    const float x = in[2 * i], y = in[2 * i + 1];
    SCOPED_TRACE(testing::Message() << x << " " << y);
    const Reals& r = out[i];
    EXPECT_TRUE(same_number(r.sum, x + y));
    EXPECT_TRUE(same_number(r.product, x * y));
    EXPECT_TRUE(same_number(r.quotient, x / y));
    EXPECT_TRUE(same_number(r.fused, std::fma(x, y, -(x * y))));
    EXPECT_EQ(r.nearest, rounded<std::int32_t>(x, 0));
    EXPECT_EQ(r.toward_zero, rounded<std::int32_t>(std::trunc(static_cast<double>(x)), 0));
    EXPECT_EQ(r.nearest_of_double, rounded<std::int32_t>(x, std::numeric_limits<std::int32_t>::min()));
    EXPECT_EQ(r.nearest_wide, rounded<long long>(x, std::numeric_limits<long long>::min()));
    const double product = static_cast<double>(x) * (static_cast<double>(y) + 1e-9);
    EXPECT_TRUE(product != product ? r.double_product != r.double_product : r.double_product == product);
  }
}

}  // namespace
}  // namespace laconic
