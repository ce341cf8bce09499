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
  float step_single = 0;  // the step where float32 suffices for points that it represents, else 0
  bool whole = false;     // the numbers of whole blocks are written by accesses of 16 bytes, and `with` is null
  Op op = Op::sum;
  Report* report = nullptr;
  Turn turn;  // of a long frame
};

// The same for a frame whose header a kernel has read; `frame` has the address and the words alone.
template <class T>
struct ReadUnreadArguments : ReadArguments<T> {
  const DeviceHeader* header = nullptr;
};

// The frame to find blocks in, and the step of one that is not scaled.
template <class T>
__device__ inline const InFrame& frame_of(const ReadArguments<T>& arguments) {
  return arguments.frame;
}
template <class T>
__device__ inline UnreadFrame frame_of(const ReadUnreadArguments<T>& arguments) {
  return {arguments.frame.bytes, arguments.header, arguments.frame.words};
}
template <class T>
__device__ inline double step_of(const ReadArguments<T>& arguments) {
  return arguments.step;
}
template <class T>
__device__ inline double step_of(const ReadUnreadArguments<T>& arguments) {
  return arguments.header->step;
}

struct ReadMemory {
  WarpMemory warps[tile_blocks];
  std::uint32_t tile;
  std::uint32_t before_tile;
};

// Writes the numbers of a whole block, whose points are in the warp's memory: number(q) is that of point q.
template <unsigned values, class T, class Number>
__device__ inline void put_whole(T* out, const WarpMemory& memory, const Number& number) {
  constexpr unsigned length = 16 / sizeof(T);  // neighbours in a row of points
  const std::uint32_t* points = memory.words + WarpMemory::place(length * lane_index());
  auto* vectors = reinterpret_cast<Vector<T, length>*>(out) + lane_index();
  LACONIC_UNROLL
  for (unsigned row = 0; row < values / (length * warp_lanes); ++row) {
    const auto q =
        *reinterpret_cast<const Vector<std::uint32_t, length>*>(points + WarpMemory::place(row * length * warp_lanes));
    Vector<T, length> some;
    LACONIC_UNROLL
    for (unsigned k = 0; k < length; ++k) some.items[k] = number(static_cast<std::int32_t>(q.items[k]));
    vectors[row * warp_lanes] = some;
  }
}

// The step where float32 suffices for points below largest_exact_single, else 0.
template <class T>
LACONIC_HOST_DEVICE inline float step_in_single(double step, double divisor) {
  const bool suits = sizeof(T) < sizeof(double) && divisor == 1 && single_step(step) && step >= least_step_to_odd;
  return suits ? static_cast<float>(step) : 0;
}

// point * step, from a point and a step for which float32 suffices.  A 16-bit number must not be rounded twice, so that
// the product, if it is not exact, is rounded to an odd one: then rounding that gives the same bits as rounding the
// exact product (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).  Steps of scaled frames are
// powers of two, with which it is exact.
template <bool is_scaled, class T>
__device__ inline T dequantise_single(float point, float step) {
  return static_cast<T>(sizeof(T) < sizeof(float) && !is_scaled ? product_to_odd(point, step) : point * step);
}

// In float32, which gives the same bits unless a point is too large for it: then false, and the numbers are wrong.
template <unsigned values, bool is_scaled, class T>
__device__ inline bool put_whole_checked(T* out, const WarpMemory& memory, float step) {
  float most = 0;
  put_whole<values>(out, memory, [&](std::int32_t q) {
    const auto exact = static_cast<float>(q);
    most = fmaxf(most, fabsf(exact));
    return dequantise_single<is_scaled, T>(exact, step);
  });
  return __all_sync(all_lanes, most < static_cast<float>(largest_exact_single));
}

template <class T>
__device__ inline float step_single_of(const ReadArguments<T>& arguments) {
  return arguments.step_single;
}
template <class T>
__device__ inline float step_single_of(const ReadUnreadArguments<T>& arguments) {
  return step_in_single<T>(arguments.header->step, arguments.divisor);
}

// single: all points are known to be exact float32 numbers.
template <unsigned values, bool is_scaled, class T>
__device__ inline void put_whole_points(const ReadArguments<T>& arguments, std::size_t begin, double step,
                                        float step_single, bool single, const WarpMemory& memory) {
  T* out = arguments.numbers + begin;
  if constexpr (sizeof(T) < sizeof(double))
    if (step_single > 0) {
      if (single)
        return put_whole<values>(out, memory, [&](std::int32_t q) {
          return dequantise_single<is_scaled, T>(static_cast<float>(q), step_single);
        });
      if (put_whole_checked<values, is_scaled>(out, memory, step_single)) return;
    }
  if (arguments.divisor != 1)
    put_whole<values>(out, memory, [&](std::int32_t q) { return dequantise<T>(q, step, arguments.divisor); });
  else
    put_whole<values>(out, memory, [&](std::int32_t q) { return dequantise<T>(q, step, 1); });
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
template <class T, class Arguments>
__device__ LACONIC_NO_INLINE bool read_compound(const Arguments& arguments, Entry entry, const std::byte* body,
                                                std::size_t begin, unsigned n, WarpMemory& memory) {
  AnyLane<T> block;
  if (!fetch_any(entry, body, n, memory, block)) return false;
  for (unsigned k = 0; k < lane_values; ++k) {
    const unsigned i = lane_index() * lane_values + k;
    if (i >= n) break;
    T x;
    if ((block.mask >> k & 1) == 0)
      x = number_of_lane(block, k, step_of(arguments), arguments.divisor);
    else
      x = arguments.divisor == 1 ? block.numbers[k] : divide(block.numbers[k], arguments.divisor);
    T& out = arguments.numbers[begin + i];
    out = arguments.with == nullptr ? x : combine(arguments.op, arguments.with[begin + i], x);
  }
  return true;
}

// is_scaled: each block has its own step.
template <class T, bool is_scaled, class Arguments>
__device__ inline void read_tile(const Arguments& arguments) {
  constexpr std::uint32_t values = is_scaled ? scaled_block : full_block;
  LACONIC_SHARED(ReadMemory, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  const std::uint32_t blocks = count_blocks(arguments.count, values);
  std::uint32_t tile = blockIdx.x;
  std::uint32_t before_tile = 0;
  if (arguments.turn.tickets != nullptr) {
    if (threadIdx.x == 0) shared.tile = take_ticket(arguments.turn);
    __syncthreads();
    tile = shared.tile;
    if (warp == 0) before_tile = halves_before_tile(arguments.frame, tile, blocks, arguments.turn.epoch);
    if (threadIdx.x == 0) shared.before_tile = before_tile;
    __syncthreads();
    before_tile = shared.before_tile;
  }
  const std::uint32_t block = tile * tile_blocks + warp;
  if (block >= blocks) return;
  const InBlock in = find_block<T, values>(frame_of(arguments), block, arguments.count, before_tile);
  const std::size_t begin = std::size_t{block} * values;
  const unsigned n = arguments.count - begin < values ? static_cast<unsigned>(arguments.count - begin) : values;
  Problem problem = in.problem;
  if (problem == Problem::none && in.on_lattice()) {
    WarpMemory& memory = shared.warps[warp];
    std::uint32_t v[lane_values];
    double step = step_of(arguments);
    float step_single = step_single_of(arguments);
    bool single = false;
    if constexpr (is_scaled) {
      Scale scale;
      problem = fetch_scaled(in, n, memory, v, scale);
      step = scaled::power_of_two(scale.zero ? 0 : scale.exponent);
      step_single = step_in_single<T>(step, arguments.divisor);
    } else {
      unsigned where;
      if (!fetch_points(in, n, memory, where, v, &single)) problem = Problem::bad_block;
    }
    if (problem == Problem::none) {
      store_points(v, memory.words);
      __syncwarp();
      if (arguments.whole && n == values)
        put_whole_points<values, is_scaled>(arguments, begin, step, step_single, single, memory);
      else
        put_numbers<T>(arguments, begin, n, [&](unsigned i) {
          return dequantise<T>(static_cast<std::int32_t>(memory.point(i)), step, arguments.divisor);
        });
    }
  } else if (problem == Problem::none && !is_scaled && in.compound()) {
    if (!read_compound<T>(arguments, in.entry, in.body, begin, n, shared.warps[warp])) problem = Problem::bad_block;
  } else if (problem == Problem::none) {
    const FrameNumbers<T> numbers = in.numbers<T>();
    put_numbers<T>(arguments, begin, n, [&](unsigned i) {
      return arguments.divisor == 1 ? numbers(i) : divide(numbers(i), arguments.divisor);
    });
  }
  if (problem != Problem::none && lane_index() == 0) tell(arguments.report, problem);
}

template <class T, bool is_scaled>
__global__ void __launch_bounds__(tile_threads, is_scaled ? 3 : 4)
    read_frame(const __grid_constant__ ReadArguments<T> arguments) {
  read_tile<T, is_scaled>(arguments);
}

template <class T, bool is_scaled>
__global__ void __launch_bounds__(tile_threads, is_scaled ? 3 : 4)
    read_unread(const __grid_constant__ ReadUnreadArguments<T> arguments) {
  read_tile<T, is_scaled>(arguments);
}

}  // namespace laconic::quant::cuda
