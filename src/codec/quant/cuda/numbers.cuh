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

// Copies a body, which begins at half `begin` of the warp's memory, to memory aligned to 2 bytes.
__device__ inline void put_body(const WarpMemory& memory, unsigned begin, unsigned bytes, std::byte* out) {
  constexpr unsigned batch = 4;  // words of a lane; a body at a ratio of 8 has as many
  if (bytes == 0) return;
  const unsigned lane = lane_index();
  const unsigned halves = bytes / 2;
  const unsigned ahead = (reinterpret_cast<std::uintptr_t>(out) & 2) != 0 ? 1 : 0;  // halves before the first word
  const unsigned whole = (halves - ahead) / 2;
  const unsigned from = begin + ahead;
  // Words of the output may straddle those of the memory.
  const std::uint32_t two_halves = from % 2 == 0 ? 0x3210 : 0x5432;
  const std::uint32_t* words = memory.words + from / 2 + lane;
  auto* to = reinterpret_cast<std::uint32_t*>(out + 2 * ahead) + lane;
  LACONIC_NO_UNROLL
  for (unsigned first = 0; first < whole; first += batch * warp_lanes) {
    const unsigned left = whole - first;
    LACONIC_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      if (lane + k * warp_lanes < left)
        to[k * warp_lanes] = pick_bytes(words[k * warp_lanes], words[k * warp_lanes + 1], two_halves);
    words += batch * warp_lanes;
    to += batch * warp_lanes;
  }
  auto* out_halves = reinterpret_cast<std::uint16_t*>(out);
  if (lane == 0 && ahead != 0) out_halves[0] = memory.half(begin);
  if (lane == 1 && (halves - ahead) % 2 != 0) out_halves[halves - 1] = memory.half(begin + halves - 1);
}

// Copies a body to the warp's memory, by whole words of the frame; returns the half at which it begins there.
__device__ inline unsigned fetch_body(const std::byte* body, unsigned bytes, WarpMemory& memory) {
  constexpr unsigned batch = 4;  // loads that are in flight together; a body at a ratio of 8 has as many
  static_assert(sizeof(WarpMemory) % (4 * batch * warp_lanes) == 0,
                "the words of a batch are stored even if some are missing");
  const unsigned lane = lane_index();
  // The half before a body belongs to the frame.  The one after it may not be allocated.
  const unsigned begin = (reinterpret_cast<std::uintptr_t>(body) & 2) != 0 ? 1 : 0;
  const unsigned halves = begin + bytes / 2;
  const unsigned whole = halves / 2;
  const auto* from = reinterpret_cast<const std::uint32_t*>(body - 2 * begin);
  const std::uint32_t* words = from + lane;
  std::uint32_t* to = memory.words + lane;
  LACONIC_NO_UNROLL
  for (unsigned first = 0; first < whole; first += batch * warp_lanes) {
    const unsigned left = whole - first;
    std::uint32_t loaded[batch];
    LACONIC_UNROLL
    for (unsigned k = 0; k < batch; ++k) loaded[k] = lane + k * warp_lanes < left ? words[k * warp_lanes] : 0;
    LACONIC_UNROLL
    for (unsigned k = 0; k < batch; ++k) to[k * warp_lanes] = loaded[k];
    words += batch * warp_lanes;
    to += batch * warp_lanes;
  }
  __syncwarp();
  if (halves % 2 != 0) {
    if (lane == 0) memory.words[whole] = *reinterpret_cast<const std::uint16_t*>(from + whole);
    __syncwarp();
  }
  return begin;
}

// The steps from which on product_to_odd() finds out whether a product is exact: what is dropped must not underflow.
inline constexpr double least_step_to_odd = 0x1p-80;

// The product in float32; one that is not exact is rounded to the neighbour with an odd significand.
__device__ inline float product_to_odd(float a, float b) {
#if defined(__CUDA_ARCH__)
  const float product = __fmul_rz(a, b);
  const bool exact = __fmaf_rn(a, b, -product) == 0;
#else
  const double wide = static_cast<double>(a) * b;
  auto product = static_cast<float>(wide);
  const bool exact = product == wide;
  if (std::fabs(static_cast<double>(product)) > std::fabs(wide))
    product = std::bit_cast<float>(std::bit_cast<std::uint32_t>(product) - 1);
#endif
  return exact ? product : std::bit_cast<float>(std::bit_cast<std::uint32_t>(product) | 1u);
}

// The greater number, or NaN if one of them is NaN.
__device__ inline float greater_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__)
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
  return greater;
#else
  return a > b || a != a ? a : b;
#endif
}

// quantise_own() with accesses to `length` neighbours at a time.
template <unsigned together, unsigned length, unsigned values, class T>
__device__ inline bool quantise_vectors(const T* numbers, unsigned n, const Lattice& lattice, WarpMemory& memory) {
  constexpr unsigned vectors = together / length;
  constexpr unsigned stored = length < 4 ? length : 4;  // points that are stored at a time
  const float reach = reach_of_single(lattice);
  bool ok = true;
  LACONIC_NO_UNROLL
  for (unsigned first = length * lane_index(); first < values; first += together * warp_lanes) {
    Vector<T, length> x[vectors];
    if (length > 1 || n == values) {
      LACONIC_UNROLL
      for (unsigned r = 0; r < vectors; ++r)
        x[r] = *reinterpret_cast<const Vector<T, length>*>(numbers + first + r * length * warp_lanes);
    } else {
      LACONIC_UNROLL
      for (unsigned r = 0; r < vectors; ++r)
        x[r].items[0] = first + r * warp_lanes < n ? numbers[first + r * warp_lanes] : T(0.0f);
    }
    // There are no branches as long as float32 suffices, which is nearly always.
    std::uint32_t* points = memory.words + WarpMemory::place(first);
    float most = 0;  // steps from 0
    LACONIC_UNROLL
    for (unsigned i = 0; i < together; i += stored) {
      Vector<std::uint32_t, stored> some;
      LACONIC_UNROLL
      for (unsigned k = 0; k < stored; ++k) {
        const T number = x[i / length].items[i % length + k];
        std::int32_t q = 0;
        if constexpr (sizeof(T) <= 4) {
          const float steps = static_cast<float>(number) * lattice.inverse_single;
          q = __float2int_rn(steps);  // as nearest(), where it counts
          most = greater_or_nan(most, fabsf(steps));
        } else {
          ok &= quantise(number, lattice, q);
        }
        some.items[k] = static_cast<std::uint32_t>(q);
      }
      *reinterpret_cast<Vector<std::uint32_t, stored>*>(points + i / length * length * WarpMemory::row_words +
                                                        i % length) = some;
    }
    if constexpr (sizeof(T) <= 4) {
      if (__all_sync(all_lanes, most <= reach)) continue;
      LACONIC_NO_UNROLL
      for (unsigned k = 0; k < together; ++k) {
        const unsigned i = first + k / length * length * warp_lanes + k % length;
        if (i >= n) break;
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

// Rounds own numbers to points in the warp's memory; false, on all lanes, when one of them has none.  The loads of
// `together` numbers of each lane are in flight together.
template <unsigned together, unsigned values = block_values, class T>
__device__ inline bool quantise_own(const T* numbers, unsigned n, const Lattice& lattice, WarpMemory& memory) {
  if (lattice.step == 0) return false;
  if (n == values && reinterpret_cast<std::uintptr_t>(numbers) % 16 == 0)
    return quantise_vectors<together, 16 / sizeof(T), values>(numbers, n, lattice, memory);
  return quantise_vectors<together, 1, values>(numbers, n, lattice, memory);
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
