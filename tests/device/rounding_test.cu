// SPDX-License-Identifier: BSD-3-Clause
// Conversions and roundings that kernels do by other instructions than the host: the bits are the same.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "base/small_float.hpp"
#include "codec/quant/cuda/numbers.cuh"
#include "device/cuda/language.hpp"
#include "device/scratch.hpp"
#include "support/seed.hpp"

namespace laconic {
namespace {

using Rounding = DeviceTest;
constexpr unsigned threads = 256;

template <class T>
__global__ void widen_kernel(const std::uint16_t* in, std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = std::bit_cast<std::uint32_t>(static_cast<float>(T::of_bits(in[i])));
}

template <class T>
__global__ void narrow_kernel(const std::uint32_t* in, std::uint32_t* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = T(std::bit_cast<float>(in[i])).bits();
}

template <class T>
void widens() {
  std::vector<std::uint16_t> in(1 << 16);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint16_t>(i);
  const OnDevice<std::uint16_t> numbers(in);
  const OnDevice<std::uint32_t> out(in.size());
  ASSERT_TRUE(launch(widen_kernel<T>, in.size() / threads, threads, nullptr, numbers.data(), out.data()));
  const auto widened = out.get();
  for (std::uint32_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(widened[i], std::bit_cast<std::uint32_t>(static_cast<float>(T::of_bits(in[i])))) << std::hex << i;
}

// Every number of the type, the middles between neighbours, and what is next to these; NaN with any payload.
template <class T>
void narrows() {
  std::vector<std::uint32_t> in;
  for (std::uint32_t i = 0; i < 1 << 16; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(T::of_bits(static_cast<std::uint16_t>(i))));
    const std::uint32_t half = 1u << (23 - T::fraction - 1);
    for (const std::uint32_t x : {bits, bits + 1, bits + half - 1, bits + half, bits + half + 1}) in.push_back(x);
  }
  for (const std::uint32_t x : {0u, 1u, 0x007fffffu, 0x00800000u, 0x33000000u, 0x33000001u, 0x7f7fffffu, 0x7f800001u})
    in.insert(in.end(), {x, x | 0x80000000u});
  in.resize((in.size() + threads - 1) / threads * threads);
  const OnDevice<std::uint32_t> numbers(in);
  const OnDevice<std::uint32_t> out(in.size());
  ASSERT_TRUE(launch(narrow_kernel<T>, static_cast<unsigned>(in.size() / threads), threads, nullptr, numbers.data(),
                     out.data()));
  const auto narrowed = out.get();
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(narrowed[i], T(std::bit_cast<float>(in[i])).bits()) << std::hex << in[i];
}

TEST_F(Rounding, WidensFloat16) { widens<Float16>(); }
TEST_F(Rounding, WidensBfloat16) { widens<Bfloat16>(); }
TEST_F(Rounding, NarrowsToFloat16) { narrows<Float16>(); }
TEST_F(Rounding, NarrowsToBfloat16) { narrows<Bfloat16>(); }

struct Products {
  std::uint32_t narrow[2];
};

__global__ void product_kernel(const std::int32_t* points, const float* steps, Products* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float product = quant::cuda::product_to_odd(static_cast<float>(points[i]), steps[i]);
  out[i] = {{Float16(product).bits(), Bfloat16(product).bits()}};
}

TEST_F(Rounding, ProductsRoundedTwiceAreThoseRoundedOnce) {
  SCOPED_TRACE(test::seed_note());
  std::mt19937_64 random(test::base_seed());
  const std::size_t count = 1 << 16;
  std::vector<std::int32_t> points(count);
  std::vector<float> steps(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i] = static_cast<std::int32_t>(random() % (2u << (1 + random() % 24))) - (1 << 24);
    if (random() % 2 != 0) points[i] = static_cast<std::int32_t>(random() % 4096) - 2048;
    const auto exponent = static_cast<int>(random() % (i % 8 == 0 ? 150 : 24)) - (i % 8 == 0 ? 80 : 20);
    // A step with few bits makes products that are halfway between two numbers of 16 bits.
    const auto significand = 1 + static_cast<float>(random() % (random() % 2 == 0 ? 16 : 1 << 23)) / (1 << 23);
    steps[i] = std::ldexp(random() % 4 == 0 ? 1 + static_cast<float>(random() % 16) / 16 : significand, exponent);
  }
  const OnDevice<std::int32_t> device_points(points);
  const OnDevice<float> device_steps(steps);
  const OnDevice<Products> out(count);
  ASSERT_TRUE(
      launch(product_kernel, count / threads, threads, nullptr, device_points.data(), device_steps.data(), out.data()));
  const auto products = out.get();
  std::size_t twice = 0;  // where rounding to float32 first would be wrong
  for (std::size_t i = 0; i < count; ++i) {
    const double exact = static_cast<double>(points[i]) * steps[i];
    ASSERT_EQ(products[i].narrow[0], Float16(exact).bits()) << points[i] << " * " << steps[i];
    ASSERT_EQ(products[i].narrow[1], Bfloat16(exact).bits()) << points[i] << " * " << steps[i];
    twice += Float16(exact).bits() != Float16(static_cast<float>(exact)).bits();
    twice += Bfloat16(exact).bits() != Bfloat16(static_cast<float>(exact)).bits();
  }
  EXPECT_GT(twice, 0u);
}

}  // namespace
}  // namespace laconic
