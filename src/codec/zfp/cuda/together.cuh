// SPDX-License-Identifier: BSD-3-Clause
// Reductions over the threads of a block of 256.
#pragma once

#include <cstdint>

#include "codec/zfp/cuda/shape.hpp"
#include "device/cuda/language.hpp"

namespace laconic::zfp {

inline constexpr std::uint32_t warps_of_block = part_blocks / 32;

struct WordOfWarp {
  unsigned long long of[warps_of_block];
};

// The greatest value of all threads.  It is also a barrier: earlier writes to shared memory are visible afterwards.
__device__ inline std::uint64_t greatest_of_all(std::uint64_t mine) {
  LACONIC_SHARED(WordOfWarp, greatest);
  unsigned long long value = mine;
  for (int step = 16; step > 0; step /= 2) {
    const unsigned long long other = __shfl_xor_sync(~0u, value, step);
    value = other > value ? other : value;
  }
  if (threadIdx.x % 32 == 0) greatest.of[threadIdx.x / 32] = value;
  __syncthreads();
  for (std::uint32_t i = 0; i < warps_of_block; ++i) value = greatest.of[i] > value ? greatest.of[i] : value;
  return value;
}

struct SumOfThreads {
  std::uint64_t before;  // sum over the threads before this one
  std::uint64_t all;
};

// This function may be called repeatedly.
__device__ inline SumOfThreads sum_of_threads(std::uint64_t mine) {
  LACONIC_SHARED(WordOfWarp, sums);
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t warp = threadIdx.x / 32;
  unsigned long long up_to = mine;
  for (std::uint32_t step = 1; step < 32; step *= 2) {
    const unsigned long long below = __shfl_up_sync(~0u, up_to, step);
    if (lane >= step) up_to += below;
  }
  if (lane == 31) sums.of[warp] = up_to;
  __syncthreads();
  SumOfThreads sum{up_to - mine, 0};
  for (std::uint32_t i = 0; i < warps_of_block; ++i) {
    if (i < warp) sum.before += sums.of[i];
    sum.all += sums.of[i];
  }
  __syncthreads();
  return sum;
}

}  // namespace laconic::zfp
