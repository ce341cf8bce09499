// SPDX-License-Identifier: BSD-3-Clause
// Blocks of scaled frames: points with an exponent per block (docs/wire-format.md, scaled frames).  Such a block has
// half as many numbers, so half of the lanes of a warp have none.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "codec/quant/cuda/frame_blocks.cuh"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::quant::cuda {

// The properties of a block's points that all lanes know; a point stands for point * 2^exponent.
struct Scale {
  int exponent = 0;
  int bits = 0;      // width of the point of the largest magnitude
  bool zero = true;  // all points are 0, and the exponent has no meaning
};

// The points of another block are stored after those of the first.
inline constexpr unsigned second_points = WarpMemory::place(scaled_block);
static_assert(sizeof(WarpMemory) >= 4 * 2 * second_points);

__device__ inline unsigned present_in_lane(unsigned n) {
  const unsigned first = lane_index() * lane_values;
  return n > first ? n - first : 0;
}

__device__ inline void clear_missing(std::uint32_t (&v)[lane_values], unsigned n) {
  const unsigned present = present_in_lane(n);
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i)
    if (i >= present) v[i] = 0;
}

// Makes the exponent as large as points and float64 allow.  Points that are missing are 0.
__device__ inline Scale normalise(std::uint32_t (&v)[lane_values], int exponent) {
  std::uint32_t any = 0;
  std::uint32_t magnitudes = 0;
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) {
    any |= v[i];
    magnitudes |= v[i] ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(v[i]) >> 31);
  }
  any = __reduce_or_sync(all_lanes, any);
  magnitudes = __reduce_or_sync(all_lanes, magnitudes);
  Scale scale;
  scale.exponent = exponent;
  scale.zero = any == 0;
  if (scale.zero) return scale;
  const int room = scaled::greatest_exponent - exponent;
  const int zeros = static_cast<int>(std::bit_width(any & (0u - any))) - 1;
  const int down = zeros < room ? zeros : room;
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) v[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(v[i]) >> down);
  scale.bits = static_cast<int>(std::bit_width(magnitudes)) - down;
  scale.exponent += down;
  return scale;
}

// The points of a block on the lattice of a scaled frame, normalised.
__device__ inline Problem fetch_scaled(const InBlock& in, unsigned n, WarpMemory& memory,
                                       std::uint32_t (&v)[lane_values], Scale& scale) {
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) v[i] = 0;
  scale = {};
  if (in.entry == zero_block) return Problem::none;
  const auto bytes = static_cast<unsigned>(bytes_of(in.entry));
  if (bytes <= sizeof(scaled::Exponent)) return Problem::ends_in_exponent;
  const unsigned begin = fetch_body(in.body, bytes, memory);
  const auto exponent = static_cast<std::int16_t>(memory.half(begin));
  if (exponent < scaled::least_exponent || exponent > scaled::greatest_exponent) return Problem::bad_exponent;
  const Entry rest = make_entry(kind_of(in.entry), bytes - sizeof(scaled::Exponent));
  if (!read_points(rest, memory, begin + 1, n, v)) return Problem::bad_block;
  __syncwarp();
  clear_missing(v, n);
  scale = normalise(v, exponent);
  return Problem::none;
}

// The sum of the squares of n numbers, each times `factor`, in the order of the format: lane l of 16 has numbers l, l +
// 16, ...
template <class T>
__device__ inline double sum_of_squares(const T* numbers, unsigned n, double factor) {
  using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
  double sum = 0;
  if (lane_index() < scaled::sum_lanes)
    for (unsigned i = lane_index(); i < n; i += scaled::sum_lanes) {
      const double v = static_cast<double>(static_cast<Wide>(numbers[i])) * factor;
      sum += v * v;
    }
  LACONIC_UNROLL
  for (unsigned half = scaled::sum_lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(all_lanes, sum, half);
  return __shfl_sync(all_lanes, sum, 0);
}

template <class T>
__device__ inline double root_mean_square(const T* numbers, unsigned n) {
  return scaled::root_mean_square<sizeof(T) == 8>([&](double factor) { return sum_of_squares(numbers, n, factor); }, n);
}

// Rounds own numbers to points in the warp's memory, not normalised; false when they have none.
template <class T>
__device__ inline bool round_scaled(const T* numbers, unsigned n, double relative, std::uint32_t terms,
                                    WarpMemory& memory, int& exponent, bool& zero) {
  const double rms = root_mean_square(numbers, n);
  zero = rms == 0;
  exponent = 0;
  if (zero) return true;
  Lattice lattice;
  if (!scaled::lattice_of<T>(rms, relative, terms, lattice, exponent)) return false;
  return quantise_own<8, scaled_block>(numbers, n, lattice, memory);
}

}  // namespace laconic::quant::cuda
