// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a block in memory: rounding to points, blocks off the lattice, and bytes at any alignment.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/dtype.hpp"
#include "codec/denormals.hpp"
#include "codec/quant/cuda/warp_block.cuh"

namespace laconic::quant::cuda {

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

// Loads from memory that is aligned to 2 bytes only, as bodies are.
template <class Bits>
__device__ inline Bits load_bits(const std::byte* from) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
  Bits bits = 0;
  LACONIC_UNROLL
  for (unsigned i = 0; i < sizeof(Bits) / 2; ++i) bits |= static_cast<Bits>(static_cast<Bits>(halves[i]) << 16 * i);
  return bits;
}

// Writes `bytes` bytes, an even number, to memory aligned to 2 bytes; word(k) is the k-th word of the data.
template <class Word>
__device__ inline void write_words(std::byte* out, unsigned bytes, Word&& word) {
  const unsigned lane = lane_index();
  if (bytes == 0) return;
  if ((reinterpret_cast<std::uintptr_t>(out) & 2) == 0) {
    auto* words = reinterpret_cast<std::uint32_t*>(out);
    for (unsigned k = lane; k < bytes / 4; k += warp_lanes) words[k] = word(k);
    if (lane == 0 && bytes % 4 != 0)
      *reinterpret_cast<std::uint16_t*>(out + bytes - 2) = static_cast<std::uint16_t>(word(bytes / 4));
  } else {
    // Words of memory straddle those of the source.
    auto* words = reinterpret_cast<std::uint32_t*>(out + 2);
    const unsigned whole = (bytes - 2) / 4;
    for (unsigned k = lane; k < whole; k += warp_lanes) words[k] = word(k) >> 16 | word(k + 1) << 16;
    if (lane == 0) {
      *reinterpret_cast<std::uint16_t*>(out) = static_cast<std::uint16_t>(word(0));
      if (bytes % 4 == 0)
        *reinterpret_cast<std::uint16_t*>(out + bytes - 2) = static_cast<std::uint16_t>(word(whole) >> 16);
    }
  }
}

// Copies a body to the warp's memory, by whole words of the frame; returns the half at which it begins there.
__device__ inline unsigned fetch_body(const std::byte* body, unsigned bytes, WarpMemory& memory) {
  constexpr unsigned batch = 4;  // loads that are in flight together; a body at a ratio of 8 has as many
  const unsigned lane = lane_index();
  const unsigned begin = (reinterpret_cast<std::uintptr_t>(body) & 2) != 0 ? 1 : 0;
  const std::byte* from = body - 2 * begin;
  const unsigned end = 2 * begin + bytes;
  const auto* words = reinterpret_cast<const std::uint32_t*>(from);
  // No byte before or after the body is accessed, since it may not be allocated.
  const unsigned whole = end / 4;
  for (unsigned first = begin; first < whole; first += batch * warp_lanes) {
    const unsigned last = first + (batch - 1) * warp_lanes;
    std::uint32_t loaded[batch];
    if (last + warp_lanes <= whole) {
      LACONIC_UNROLL
      for (unsigned k = 0; k < batch; ++k) loaded[k] = words[first + k * warp_lanes + lane];
      LACONIC_UNROLL
      for (unsigned k = 0; k < batch; ++k) memory.words[first + k * warp_lanes + lane] = loaded[k];
      continue;
    }
    LACONIC_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const unsigned at = first + k * warp_lanes + lane;
      loaded[k] = at < whole ? words[at] : 0;
    }
    LACONIC_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const unsigned at = first + k * warp_lanes + lane;
      if (at < whole) memory.words[at] = loaded[k];
    }
  }
  const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
  if (lane == 0 && begin != 0 && bytes > 0) memory.words[0] = static_cast<std::uint32_t>(halves[1]) << 16;
  if (lane == 1 && end % 4 != 0 && whole >= begin) memory.words[whole] = halves[2 * whole];
  __syncwarp();
  return begin;
}

// Rounds own numbers to points in the warp's memory; false, on all lanes, when one of them has none.  The loads of
// `rows` rows, with one number per lane each, are in flight together.
template <unsigned rows, unsigned values = block_values, class T>
__device__ inline bool quantise_own(const T* numbers, unsigned n, const Lattice& lattice, WarpMemory& memory) {
  if (lattice.step == 0) return false;
  const float reach = reach_of_single(lattice);
  bool ok = true;
  LACONIC_NO_UNROLL
  for (unsigned first = lane_index(); first < values; first += rows * warp_lanes) {
    T x[rows];
    if (n == values) {
      LACONIC_UNROLL
      for (unsigned k = 0; k < rows; ++k) x[k] = numbers[first + k * warp_lanes];
    } else {
      LACONIC_UNROLL
      for (unsigned k = 0; k < rows; ++k) x[k] = first + k * warp_lanes < n ? numbers[first + k * warp_lanes] : T(0.0f);
    }
    // There are no branches as long as float32 suffices, which is nearly always.
    const unsigned place = WarpMemory::place(first);
    bool near = true;
    LACONIC_UNROLL
    for (unsigned k = 0; k < rows; ++k) {
      std::int32_t q = 0;
      if constexpr (sizeof(T) <= 4)
        near &= quantise_single(static_cast<float>(x[k]), lattice.inverse_single, reach, q);
      else
        ok &= quantise(x[k], lattice, q);
      memory.words[place + k * (warp_lanes + 1)] = static_cast<std::uint32_t>(q);
    }
    if constexpr (sizeof(T) <= 4) {
      if (__all_sync(all_lanes, near)) continue;
      LACONIC_NO_UNROLL
      for (unsigned i = first; i < first + rows * warp_lanes && i < n; i += warp_lanes) {
        std::int32_t q = 0;
        ok &= quantise(static_cast<float>(numbers[i]), lattice, q);
        memory.point(i) = static_cast<std::uint32_t>(q);
      }
    }
  }
  ok = __all_sync(all_lanes, ok);
  __syncwarp();
  return ok;
}

// The numbers as the caller gave them.
template <class T>
struct OwnNumbers {
  const T* numbers;
  __device__ T operator()(unsigned i) const { return numbers[i]; }
};

// The numbers of a block in a frame.
template <class T>
struct FrameNumbers {
  const std::byte* body;
  bool fill;
  __device__ T operator()(unsigned i) const {
    return std::bit_cast<T>(load_bits<BitsOf<T>>(body + (fill ? 0 : i * sizeof(T))));
  }
};

// The numbers for which the points in the warp's memory stand.
template <class T>
struct PointNumbers {
  WarpMemory* memory;
  double step;
  __device__ T operator()(unsigned i) const {
    return dequantise<T>(static_cast<std::int32_t>(memory->point(i)), step, 1);
  }
};

// True if all numbers of the block have equal bits, so that storing one of them is enough.
template <class T, class Numbers>
__device__ inline bool all_same(const Numbers& numbers, unsigned n) {
  using Bits = BitsOf<T>;
  const auto first = std::bit_cast<Bits>(static_cast<T>(numbers(0)));
  bool same = n > 1;
  for (unsigned i = lane_index(); i < n; i += warp_lanes)
    if (std::bit_cast<Bits>(static_cast<T>(numbers(i))) != first) same = false;
  return __all_sync(all_lanes, same);
}

// True if any number of the block is denormal.
template <class T>
__device__ inline bool holds_denormal(const OwnNumbers<T>& numbers, unsigned n) {
  bool found = false;
  for (unsigned i = lane_index(); i < n; i += warp_lanes) found |= is_denormal(numbers(i));
  return __any_sync(all_lanes, found);
}

// True if any number of the block is NaN with a payload.
template <class T>
__device__ inline bool holds_payload(const OwnNumbers<T>& numbers, unsigned n) {
  bool found = false;
  for (unsigned i = lane_index(); i < n; i += warp_lanes) found |= has_payload(numbers(i));
  return __any_sync(all_lanes, found);
}

// Writes the body of a block of kind raw or fill.
template <class T, class Numbers>
__device__ inline void write_numbers(const Numbers& numbers, unsigned bytes, std::byte* out) {
  using Bits = BitsOf<T>;
  const auto bits = [&](unsigned i) { return std::bit_cast<Bits>(static_cast<T>(numbers(i))); };
  write_words(out, bytes, [&](unsigned k) -> std::uint32_t {
    if constexpr (sizeof(T) == 2)
      return bits(2 * k) | (4 * k + 2 < bytes ? static_cast<std::uint32_t>(bits(2 * k + 1)) << 16 : 0);
    else if constexpr (sizeof(T) == 4)
      return bits(k);
    else
      return static_cast<std::uint32_t>(bits(k / 2) >> 32 * (k % 2));
  });
}

}  // namespace laconic::quant::cuda
