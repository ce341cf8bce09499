// SPDX-License-Identifier: BSD-3-Clause
// A scan in one pass: thread blocks take tickets, tell each other their sums in words that hold the epoch of the
// launch, and look back until they meet somebody who knows the sum of all before.  The kernels of codecs do the same;
// this one is small enough to be wrong in known ways.
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda/language.hpp"
#include "device/queue.hpp"
#include "device/scratch.hpp"

namespace laconic {

// What is wrong with it.
enum class Plant {
  nothing,
  no_barrier_before_totals,  // sums of warps are read when they may not be there yet
  no_barrier_after_ticket,   // likewise the ticket
  short_window,              // the window moves by 31 of the 32 tiles that were looked at
  last_of_window,            // the tile that knows all before it is left out
  any_epoch,                 // words of earlier launches are believed
  block_for_ticket,          // as if blocks started in the order of their numbers
};

constexpr unsigned scan_threads = 64;

struct ScanShared {
  std::uint32_t tile;
  std::uint32_t totals[scan_threads / 32];
  std::uint32_t before;
};

// A word: what it holds in bits 0..31, whether that is the sum of one tile (1) or of all up to it (2), and the epoch.
__device__ inline std::uint64_t scan_word(std::uint32_t epoch, unsigned flag, std::uint32_t sum) {
  return static_cast<std::uint64_t>(epoch) << 34 | static_cast<std::uint64_t>(flag) << 32 | sum;
}

// The sum of all tiles before this one, for a whole warp.
template <Plant plant>
__device__ std::uint32_t look_back(const std::uint64_t* words, std::uint32_t tile, std::uint32_t epoch) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  std::uint32_t sum = 0;
  for (int position = static_cast<int>(tile) - 1 - lane;; position -= plant == Plant::short_window ? 31 : 32) {
    std::uint64_t word = scan_word(epoch, 2, 0);  // before the first tile
    do {
      if (position >= 0) word = load_relaxed(words + position);
      if (plant != Plant::any_epoch && word >> 34 != epoch) word = 0;
    } while (__any_sync(~0u, (word >> 32 & 3) == 0));
    const unsigned knowing = __ballot_sync(~0u, (word >> 32 & 3) == 2);
    int last = knowing == 0 ? 31 : __ffs(static_cast<int>(knowing)) - 1;
    if (plant == Plant::last_of_window && knowing != 0) --last;
    sum += __reduce_add_sync(~0u, lane <= last ? static_cast<std::uint32_t>(word) : 0u);
    if (knowing != 0) return sum;
  }
}

template <Plant plant>
__global__ void __launch_bounds__(scan_threads)
    scan_kernel(const std::uint32_t* in, std::uint32_t* out, unsigned count, std::uint64_t* words, unsigned* tickets,
                unsigned first_ticket, std::uint32_t epoch) {
  LACONIC_SHARED(ScanShared, shared);
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  if (thread == 0) shared.tile = plant == Plant::block_for_ticket ? blockIdx.x : atomicAdd(tickets, 1u) - first_ticket;
  if (plant != Plant::no_barrier_after_ticket) __syncthreads();
  const std::uint32_t tile = shared.tile < gridDim.x ? shared.tile : 0;
  const unsigned i = tile * scan_threads + thread;
  std::uint32_t sum = i < count ? in[i] : 0;
  for (unsigned by = 1; by < 32; by *= 2) {
    const std::uint32_t left = __shfl_up_sync(~0u, sum, by);
    if (lane >= by) sum += left;
  }
  if (lane == 31) shared.totals[warp] = sum;
  if (plant != Plant::no_barrier_before_totals) __syncthreads();
  std::uint32_t earlier = 0, total = 0;
  for (unsigned w = 0; w < scan_threads / 32; ++w) {
    if (w < warp) earlier += shared.totals[w];
    total += shared.totals[w];
  }
  if (warp == 0) {
    if (lane == 0) store_relaxed(words + tile, scan_word(epoch, tile == 0 ? 2 : 1, total));
    const std::uint32_t before = tile == 0 ? 0 : look_back<plant>(words, tile, epoch);
    if (lane == 0) {
      if (tile > 0) store_relaxed(words + tile, scan_word(epoch, 2, before + total));
      shared.before = before;
    }
  }
  __syncthreads();
  if (i < count) out[i] = shared.before + earlier + sum;
}

// Scans several arrays, one after the other, with one set of words.  Says whether all sums are right.
template <Plant plant>
bool scans_are_right(std::uint32_t seed, unsigned count, unsigned launches) {
  const unsigned tiles = (count + scan_threads - 1) / scan_threads;
  const OnDevice<std::uint64_t> words(tiles);
  const OnDevice<unsigned> ticket(1);
  bool right = true;
  std::uint32_t x = seed;
  for (std::uint32_t l = 0; l < launches && right; ++l) {
    std::vector<std::uint32_t> in(count);
    for (auto& value : in) value = (x = x * 1664525u + 1013904223u) >> 12;
    const OnDevice<std::uint32_t> numbers(in), sums(count);
    const Status launched = launch(scan_kernel<plant>, tiles, scan_threads, nullptr, numbers.data(), sums.data(), count,
                                   words.data(), ticket.data(), tiles * l, l + 1);
    EXPECT_TRUE(launched) << launched.message();
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    const std::vector<std::uint32_t> out = sums.get();
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < count && right; ++i) right = out[i] == (sum += in[i]);
  }
  return right;
}

}  // namespace laconic
