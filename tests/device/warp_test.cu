// SPDX-License-Identifier: BSD-3-Clause
// Warp-wide functions, and functions of one thread, compared with their definitions.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "device/cuda/language.hpp"
#include "device/scratch.hpp"

namespace laconic {
namespace {

using Warp = DeviceTest;

struct LaneResults {
  std::uint32_t shfl, up, down, exclusive, halves, add, min, max, all_or, ballot, match;
  std::int32_t signed_min, any, every;
  double wide;
};

__global__ void warp_kernel(const std::uint32_t* in, LaneResults* out) {
  const unsigned lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t x = in[i];
  LaneResults r{};
  r.shfl = __shfl_sync(~0u, x, static_cast<int>(x % 32));
  r.up = __shfl_up_sync(~0u, x, 3);
  r.down = __shfl_down_sync(~0u, x, 5, 16);
  r.exclusive = __shfl_xor_sync(~0u, x, 9);
  r.add = __reduce_add_sync(~0u, x);
  r.min = __reduce_min_sync(~0u, x);
  r.max = __reduce_max_sync(~0u, x);
  r.all_or = __reduce_or_sync(~0u, x);
  r.signed_min = __reduce_min_sync(~0u, static_cast<int>(x));
  r.ballot = __ballot_sync(~0u, (x & 1) != 0);
  r.match = __match_any_sync(~0u, x % 5);
  r.any = __any_sync(~0u, x == 0);
  r.every = __all_sync(~0u, x != 0);
  r.wide = __shfl_sync(~0u, static_cast<double>(x), 31);
  // The halves of a warp may diverge and reconverge on their own.
  const std::uint32_t half = lane < 16 ? 0xffffu : 0xffff0000u;
  if (lane < 16)
    r.halves = __reduce_add_sync(half, x);
  else
    r.halves = __reduce_max_sync(half, x);
  out[i] = r;
}

TEST_F(Warp, LanesExchangeWhatTheyShould) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> in(2 * 64);
  for (auto& x : in) x = random();
  const OnDevice<std::uint32_t> numbers(in);
  const OnDevice<LaneResults> results(in.size());
  ASSERT_TRUE(launch(warp_kernel, 2, 64, nullptr, numbers.data(), results.data()));
  const std::vector<LaneResults> out = results.get();
  for (std::size_t begin = 0; begin < in.size(); begin += 32) {
    const std::uint32_t* x = in.data() + begin;
    std::uint32_t add = 0, least = ~0u, most = 0, all_or = 0, ballot = 0, low = 0, high = 0;
    std::int32_t signed_least = INT32_MAX;
    for (unsigned l = 0; l < 32; ++l) {
      add += x[l], least = std::min(least, x[l]), most = std::max(most, x[l]), all_or |= x[l];
      signed_least = std::min(signed_least, static_cast<std::int32_t>(x[l]));
      ballot |= (x[l] & 1) << l;
      if (l < 16)
        low += x[l];
      else
        high = std::max(high, x[l]);
    }
    for (unsigned l = 0; l < 32; ++l) {
      const LaneResults& r = out[begin + l];
      SCOPED_TRACE("lane " + std::to_string(l));
      EXPECT_EQ(r.shfl, x[x[l] % 32]);
      EXPECT_EQ(r.up, x[l < 3 ? l : l - 3]);
      EXPECT_EQ(r.down, x[l % 16 + 5 < 16 ? l + 5 : l]);
      EXPECT_EQ(r.exclusive, x[l ^ 9]);
      EXPECT_EQ(r.add, add);
      EXPECT_EQ(r.min, least);
      EXPECT_EQ(r.max, most);
      EXPECT_EQ(r.all_or, all_or);
      EXPECT_EQ(r.signed_min, signed_least);
      EXPECT_EQ(r.ballot, ballot);
      EXPECT_EQ(r.any, 0);
      EXPECT_NE(r.every, 0);
      EXPECT_EQ(r.wide, x[31]);
      EXPECT_EQ(r.halves, l < 16 ? low : high);
      std::uint32_t match = 0;
      for (unsigned k = 0; k < 32; ++k) match |= static_cast<std::uint32_t>(x[k] % 5 == x[l] % 5) << k;
      EXPECT_EQ(r.match, match);
    }
  }
}

}  // namespace
}  // namespace laconic
