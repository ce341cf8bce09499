// SPDX-License-Identifier: BSD-3-Clause
// Kernels that read frames: decode, and decode with a reduction into existing numbers.
#pragma once

#include "base/op.hpp"
#include "codec/device_codec.hpp"
#include "codec/quant/cuda/masked_block.cuh"
#include "codec/quant/cuda/scaled_points.cuh"

namespace laconic::quant::cuda {

template <class T>
struct ReadArguments {
  InFrame frame;
  std::uint32_t count = 0;
  const T* with = nullptr;  // null: numbers = decoded numbers; otherwise numbers = with op decoded numbers
  T* numbers = nullptr;
  double step = 0;
  double divisor = 1;
  float step_single = 0;  // the step if float32 can represent it, else 0
  Op op = Op::sum;
  Report* report = nullptr;
};

struct ReadMemory {
  WarpMemory warps[tile_blocks];
};

// The number that a point stands for; it is computed in float32 where that gives the same bits.
template <class T>
__device__ inline T number_of(std::uint32_t point, double step, const ReadArguments<T>& arguments) {
  const auto q = static_cast<std::int32_t>(point);
  if constexpr (std::is_same_v<T, float>)
    if (arguments.step_single > 0 && q <= largest_exact_single && q >= -largest_exact_single)
      return static_cast<float>(q) * arguments.step_single;
  return dequantise<T>(q, step, arguments.divisor);
}

// The number of rows whose loads are in flight together.
inline constexpr unsigned read_rows = 8;

template <class T, class Numbers>
__device__ inline void put_numbers(const ReadArguments<T>& arguments, std::size_t begin, unsigned n,
                                   const Numbers& numbers) {
  T* out = arguments.numbers + begin;
  const T* with = arguments.with + begin;
  const bool combines = arguments.with != nullptr;
  LACONIC_NO_UNROLL
  for (unsigned first = 0; first < lane_values; first += read_rows) {
    T x[read_rows];
    LACONIC_UNROLL
    for (unsigned k = 0; k < read_rows; ++k) {
      const unsigned i = (first + k) * warp_lanes + lane_index();
      x[k] = combines && i < n ? with[i] : T(0.0f);
    }
    LACONIC_UNROLL
    for (unsigned k = 0; k < read_rows; ++k) {
      const unsigned i = (first + k) * warp_lanes + lane_index();
      if (i >= n) continue;
      const T decoded = numbers(i);
      out[i] = combines ? combine(arguments.op, x[k], decoded) : decoded;
    }
  }
}

// Decodes a compound block; false when it is not valid.
template <class T>
__device__ LACONIC_NO_INLINE bool read_compound(const ReadArguments<T>& arguments, Entry entry, const std::byte* body,
                                                std::size_t begin, unsigned n, WarpMemory& memory) {
  AnyLane<T> block;
  if (!fetch_any(entry, body, n, memory, block)) return false;
  for (unsigned k = 0; k < lane_values; ++k) {
    const unsigned i = lane_index() * lane_values + k;
    if (i >= n) break;
    T x;
    if ((block.mask >> k & 1) == 0)
      x = number_of_lane(block, k, arguments.step, arguments.divisor);
    else
      x = arguments.divisor == 1 ? block.numbers[k] : divide(block.numbers[k], arguments.divisor);
    T& out = arguments.numbers[begin + i];
    out = arguments.with == nullptr ? x : combine(arguments.op, arguments.with[begin + i], x);
  }
  return true;
}

// is_scaled: each block has its own step.
template <class T, bool is_scaled>
__global__ void __launch_bounds__(tile_threads, is_scaled ? 3 : 4)
    read_frame(const __grid_constant__ ReadArguments<T> arguments) {
  constexpr std::uint32_t values = is_scaled ? scaled_block : full_block;
  LACONIC_SHARED(ReadMemory, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  const std::uint32_t block = blockIdx.x * tile_blocks + warp;
  if (block >= count_blocks(arguments.count, values)) return;
  const InBlock in = find_block<T, values>(arguments.frame, block, arguments.count);
  const std::size_t begin = std::size_t{block} * values;
  const unsigned n = arguments.count - begin < values ? static_cast<unsigned>(arguments.count - begin) : values;
  Problem problem = in.problem;
  if (problem == Problem::none && in.on_lattice()) {
    WarpMemory& memory = shared.warps[warp];
    std::uint32_t v[lane_values];
    double step = arguments.step;
    if constexpr (is_scaled) {
      Scale scale;
      problem = fetch_scaled(in, n, memory, v, scale);
      step = scaled::power_of_two(scale.zero ? 0 : scale.exponent);
    } else {
      unsigned where;
      if (!fetch_points(in, n, memory, where, v)) problem = Problem::bad_block;
    }
    if (problem == Problem::none) {
      store_points(v, memory);
      __syncwarp();
      put_numbers<T>(arguments, begin, n, [&](unsigned i) { return number_of<T>(memory.point(i), step, arguments); });
    }
  } else if (problem == Problem::none && !is_scaled && in.compound()) {
    if (!read_compound(arguments, in.entry, in.body, begin, n, shared.warps[warp])) problem = Problem::bad_block;
  } else if (problem == Problem::none) {
    const FrameNumbers<T> numbers = in.numbers<T>();
    put_numbers<T>(arguments, begin, n, [&](unsigned i) {
      return arguments.divisor == 1 ? numbers(i) : divide(numbers(i), arguments.divisor);
    });
  }
  if (problem != Problem::none && lane_index() == 0) arguments.report->fault = static_cast<std::uint32_t>(problem);
}

}  // namespace laconic::quant::cuda
