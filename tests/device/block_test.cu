// SPDX-License-Identifier: BSD-3-Clause
// Barriers, shared memory and atomics.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "device/cuda/language.hpp"
#include "device/scratch.hpp"

namespace laconic {
namespace {

using Blocks = DeviceTest;

struct Turned {
  std::uint32_t values[256];
};

// Rotates the numbers of a block repeatedly: each round reads the numbers that the previous one wrote.
template <unsigned Rounds>
__global__ void turn_kernel(std::uint32_t* numbers, int* counts) {
  LACONIC_SHARED(Turned, shared);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t x = numbers[i];
  for (unsigned round = 0; round < Rounds; ++round) {
    shared.values[threadIdx.x] = x + round;
    __syncthreads();
    x = shared.values[(threadIdx.x + 33) % blockDim.x];
    __syncthreads();
  }
  numbers[i] = x;
  const int odd = __syncthreads_count(x & 1), any = __syncthreads_or(x & 1), all = __syncthreads_and(x & 1);
  if (threadIdx.x == 0) counts[blockIdx.x] = odd * 4 + (any != 0) * 2 + (all != 0);
}

TEST_F(Blocks, BarriersOrderWhatIsShared) {
  constexpr unsigned threads = 96, blocks = 50, rounds = 7;
  std::vector<std::uint32_t> in(threads * blocks);
  std::iota(in.begin(), in.end(), 17u);
  for (unsigned i = 0; i < threads; ++i) in[i] = 2, in[threads + i] = 2;  // blocks of even and of odd numbers only
  const OnDevice<std::uint32_t> numbers(in);
  const OnDevice<int> counts(blocks);
  ASSERT_TRUE(launch(turn_kernel<rounds>, blocks, threads, nullptr, numbers.data(), counts.data()));
  const auto out = numbers.get();
  const auto counted = counts.get();
  for (unsigned b = 0; b < blocks; ++b) {
    int odd = 0;
    for (unsigned t = 0; t < threads; ++t) {
      const std::uint32_t expected = in[b * threads + (t + 33 * rounds) % threads] + rounds * (rounds - 1) / 2;
      ASSERT_EQ(out[b * threads + t], expected) << b << " " << t;
      odd += static_cast<int>(expected & 1);
    }
    EXPECT_EQ(counted[b], odd * 4 + (odd > 0) * 2 + (odd == static_cast<int>(threads)));
  }
}

__global__ void atomic_kernel(unsigned* sum, unsigned long long* wide, unsigned* most, int* least, unsigned* bits,
                              unsigned* swapped, float* real) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, i);
  atomicAdd(wide, static_cast<unsigned long long>(i) << 30);
  atomicMax(most, i * 7919 % 4001);
  atomicMin(least, static_cast<int>(i * 7919 % 4001) - 100);
  atomicOr(bits, 1u << i % 32);
  atomicAdd(real, 1.0f);
  // Addition by compare-and-swap.
  unsigned seen = load_relaxed(swapped), old = 0;
  do {
    old = seen;
    seen = atomicCAS(swapped, old, old + 3);
  } while (seen != old);
}

TEST_F(Blocks, AtomicsLoseNothing) {
  constexpr unsigned threads = 64, blocks = 30, n = threads * blocks;
  const OnDevice<unsigned> sum(1), most(1), bits(1), swapped(1);
  const OnDevice<unsigned long long> wide(1);
  const OnDevice<int> least(1);
  const OnDevice<float> real(1);
  ASSERT_TRUE(launch(atomic_kernel, blocks, threads, nullptr, sum.data(), wide.data(), most.data(), least.data(),
                     bits.data(), swapped.data(), real.data()));
  unsigned expected_most = 0;
  int expected_least = 0;
  for (unsigned i = 0; i < n; ++i) {
    expected_most = std::max(expected_most, i * 7919 % 4001);
    expected_least = std::min(expected_least, static_cast<int>(i * 7919 % 4001) - 100);
  }
  EXPECT_EQ(sum.get()[0], n * (n - 1) / 2);
  EXPECT_EQ(wide.get()[0], (n * (n - 1ull) / 2) << 30);
  EXPECT_EQ(most.get()[0], expected_most);
  EXPECT_EQ(least.get()[0], expected_least);
  EXPECT_EQ(bits.get()[0], ~0u);
  EXPECT_EQ(swapped.get()[0], 3 * n);
  EXPECT_EQ(real.get()[0], static_cast<float>(n));
}

// The second of two blocks waits for the first, whichever starts first.
__global__ void message_kernel(std::uint64_t* word, std::uint32_t* data, std::uint32_t* out, unsigned* ticket) {
  const unsigned turn = atomicAdd(ticket, 1u);
  if (turn == 0) {
    for (std::uint32_t i = 0; i < 100; ++i) data[i] = i * i;
    store_release(word, std::uint64_t{1} << 40);
  } else {
    while (load_acquire(word) == 0) {
    }
    for (unsigned i = 0; i < 100; ++i) out[i] = data[i];
  }
}

TEST_F(Blocks, ReleasedDataIsThereWhenTheWordIs) {
  const OnDevice<std::uint64_t> word(1);
  const OnDevice<std::uint32_t> data(100), out(100);
  const OnDevice<unsigned> ticket(1);
  ASSERT_TRUE(launch(message_kernel, 2, 1, nullptr, word.data(), data.data(), out.data(), ticket.data()));
  const auto received = out.get();
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(received[i], i * i);
}

}  // namespace
}  // namespace laconic
