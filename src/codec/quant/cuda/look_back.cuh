// SPDX-License-Identifier: BSD-3-Clause
// The start of a thread block's output: the sum of the sizes that all earlier thread blocks write, in one launch
// (decoupled look-back, Merrill and Garland 2016).  A thread block publishes the size of its output as soon as it is
// known, then looks back until it meets one that has published the sum of all sizes up to its own.
#pragma once

#include <cstdint>

#include "codec/quant/cuda/warp_block.cuh"

namespace laconic::quant::cuda {

// The values that a thread block publishes, in one word, so that no order of memory accesses matters.  The epoch is
// that of the launch: words of former launches are ignored and need not be cleared.
struct Said {
  std::uint32_t halves;  // output in units of 2 bytes: at most 2^29 in a frame
  std::uint32_t top;     // the largest rounding code of any block, below 2^12; 0: no number was rounded
};

namespace said {
inline constexpr unsigned top_shift = 32;
inline constexpr std::uint32_t top_mask = (1u << 12) - 1;
inline constexpr std::uint64_t up_to_here = std::uint64_t{1} << 44;  // the sums cover all thread blocks up to this one
inline constexpr unsigned epoch_shift = 45;
inline constexpr std::uint32_t epochs = 1u << (64 - epoch_shift);

__device__ inline std::uint64_t word(Said what, bool all, std::uint32_t epoch) {
  return static_cast<std::uint64_t>(epoch) << epoch_shift | (all ? up_to_here : 0) |
         static_cast<std::uint64_t>(what.top) << top_shift | what.halves;
}
__device__ inline std::uint32_t top_of(std::uint64_t w) {
  return static_cast<std::uint32_t>(w >> top_shift) & top_mask;
}
__device__ inline bool of_epoch(std::uint64_t w, std::uint32_t epoch) { return w >> epoch_shift == epoch; }
}  // namespace said

// A launch among those that share a workspace.
struct Turn {
  std::uint64_t* tickets = nullptr;  // null: thread blocks do not wait for each other
  std::uint32_t handed_out = 0;
  std::uint32_t epoch = 0;
};

// Takes the next piece of work.  Thread blocks take work in the order in which they begin to run, so that those they
// wait for are running or done, whatever the order of blockIdx.
__device__ inline std::uint32_t take_ticket(const Turn& turn) {
  return atomicAdd(reinterpret_cast<unsigned*>(turn.tickets), 1u) - turn.handed_out;
}

__device__ inline void say(std::uint64_t* words, unsigned tile, Said what, bool all, std::uint32_t epoch) {
  store_relaxed(words + tile, said::word(what, all, epoch));
}

// The sum of the values published by the tiles from `first` to the one before `tile`; called by a whole warp.
__device__ inline Said look_back(std::uint64_t* words, unsigned first, unsigned tile, std::uint32_t epoch) {
  const unsigned lane = lane_index();
  Said sum{0, 0};
  unsigned end = tile;
  while (end > first) {
    const bool exists = end - first > lane;
    std::uint64_t w = 0;
    unsigned complete = 0;
    bool missing = false;
    do {
      w = exists ? load_relaxed(words + end - 1 - lane) : 0;
      const bool spoken = exists && said::of_epoch(w, epoch);
      // Lane 0 is the nearest; the tiles before the first complete sum are not needed.
      complete = __ballot_sync(all_lanes, spoken && (w & said::up_to_here) != 0);
      const unsigned needed = complete != 0 ? complete & (0u - complete) : 0u;
      const unsigned through = needed != 0 ? needed | (needed - 1) : all_lanes;
      missing = __any_sync(all_lanes, exists && !spoken && (through >> lane & 1) != 0);
    } while (missing);
    const unsigned lowest = complete & (0u - complete);
    const bool counts = exists && (complete == 0 || 1u << lane <= lowest);
    sum.halves += __reduce_add_sync(all_lanes, counts ? static_cast<std::uint32_t>(w) : 0u);
    const std::uint32_t top = __reduce_max_sync(all_lanes, counts ? said::top_of(w) : 0u);
    sum.top = top > sum.top ? top : sum.top;
    if (complete != 0) break;
    end = end - first > warp_lanes ? end - warp_lanes : first;
  }
  return sum;
}

}  // namespace laconic::quant::cuda
