// SPDX-License-Identifier: BSD-3-Clause
// Kernels that write frames: encode, fold, add, and encode of several arrays at once.  They make one pass over the
// numbers: a warp makes a block, a thread block makes a tile of them and looks back for its place in the frame.
#pragma once

#include "codec/quant/cuda/block_maker.cuh"
#include "codec/quant/cuda/scaled_maker.cuh"

namespace laconic::quant::cuda {

__device__ inline std::uint32_t greater(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

// The index of the array that a tile belongs to.
template <class T, unsigned most_outputs, class In>
__device__ inline unsigned output_of(const MakeArguments<T, most_outputs, In>& arguments, std::uint32_t tile) {
  unsigned low = 0;
  if constexpr (most_outputs > 1) {
    unsigned high = arguments.output_count;
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (arguments.outputs[middle].first_tile <= tile ? low : high) = middle;
    }
  }
  return low;
}

// Writes the header and the report for the host.
template <class Maker, class T, unsigned most_outputs, class In>
__device__ inline void finish_frame(const Maker& maker, const MakeArguments<T, most_outputs, In>& arguments,
                                    const Output<T>& output, Said all) {
  const std::uint32_t payload = 2 * (count_blocks(output.count, Maker::values) + all.halves);
  const bool rounded = all.top != 0;
  const bool sets_error = In::unread || rounded;  // otherwise the header has it
  const auto error = std::bit_cast<std::uint64_t>(rounded ? maker.error(all.top) : error_inherited(arguments));
  auto* words = reinterpret_cast<std::uint32_t*>(output.out);
  auto* told = reinterpret_cast<std::uint32_t*>(output.report->header);
  LACONIC_UNROLL
  for (unsigned i = 0; i < wire::header_bytes / 4; ++i) {
    std::uint32_t word = arguments.header[i];
    if (i == wire::count_offset / 4) word = output.count;
    if (i == wire::payload_offset / 4) word = payload;
    if (i == wire::error_offset / 4 && sets_error) word = static_cast<std::uint32_t>(error);
    if (i == wire::error_offset / 4 + 1 && sets_error) word = static_cast<std::uint32_t>(error >> 32);
    words[i] = word;
    told[i] = word;
  }
  output.report->bytes = wire::header_bytes + std::uint64_t{payload};
  output.report->rounded = rounded;
}

template <class Maker, Input input, class T, unsigned most_outputs, class In>
__device__ inline void make_tile(const MakeArguments<T, most_outputs, In>& arguments) {
  constexpr std::uint32_t values = Maker::values;
  LACONIC_SHARED(TileMemory, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  const unsigned lane = lane_index();
  if (threadIdx.x == 0) shared.tile = take_ticket(arguments.turn);
  __syncthreads();
  const std::uint32_t tile = shared.tile;
  const Output<T>& output = arguments.outputs[output_of(arguments, tile)];
  const std::uint32_t blocks = count_blocks(output.count, values);
  const std::uint32_t block = (tile - output.first_tile) * tile_blocks + warp;

  std::uint32_t v[lane_values];
  Measured measured;
  Content content;
  if constexpr (input != Input::numbers) {
    if (arguments.frames[0].words != nullptr) {
      for (unsigned k = warp; k < arguments.frame_count; k += tile_blocks) {
        const std::uint32_t before = halves_before_tile(arguments.frames[k], tile, blocks, arguments.turn.epoch);
        if (lane == 0) shared.before_tile[k] = before;
      }
      __syncthreads();
    }
  }
  const Maker maker{arguments, output, block, shared.warps[warp], v, measured, shared.before_tile};
  if (block < blocks) content = maker.template make<input>();
  if (lane == 0) {
    shared.halves[warp] = content.entry >> 3;
    shared.tops[warp] = content.top;
    if (content.problem != Problem::none) tell(output.report, content.problem);
  }
  __syncthreads();

  const std::uint32_t halves = lane < tile_blocks ? shared.halves[lane] : 0;
  const std::uint32_t before = __reduce_add_sync(all_lanes, lane < warp ? halves : 0);  // in the tile
  const bool first = tile == output.first_tile;
  Said tile_says{0, 0};
  if (warp == 0) {
    tile_says.halves = __reduce_add_sync(all_lanes, halves);
    tile_says.top = __reduce_max_sync(all_lanes, lane < tile_blocks ? shared.tops[lane] : 0);
    if (lane == 0) say(arguments.words, tile, tile_says, first, arguments.turn.epoch);
  }
  // Meanwhile earlier thread blocks may publish their sums.
  if (content.form == Content::Form::packed) maker.write_body();
  if (warp == 0) {
    Said earlier = look_back(arguments.words, output.first_tile, tile, arguments.turn.epoch);
    if (lane == 0) {
      shared.before = earlier;
      earlier.halves += tile_says.halves;
      earlier.top = greater(earlier.top, tile_says.top);
      if (!first) say(arguments.words, tile, earlier, true, arguments.turn.epoch);
      if (block + tile_blocks >= blocks) finish_frame(maker, arguments, output, earlier);
    }
  }
  __syncthreads();

  if (block >= blocks) return;
  std::byte* index = output.out + wire::header_bytes;
  if (lane == 0) reinterpret_cast<std::uint16_t*>(index)[block] = content.entry;
  maker.template write<input>(content, index + 2 * (std::size_t{blocks} + shared.before.halves + before));
}

template <template <class, unsigned, class> class Maker, class T, Input input, unsigned most_outputs>
__global__ void __launch_bounds__(tile_threads, Maker<T, most_outputs, InFrame>::resident(input))
    make_frames(const __grid_constant__ MakeArguments<T, most_outputs> arguments) {
  make_tile<Maker<T, most_outputs, InFrame>, input>(arguments);
}

// From frames whose headers a kernel has read.
template <template <class, unsigned, class> class Maker, class T, Input input>
__global__ void __launch_bounds__(tile_threads, Maker<T, 1, UnreadFrame>::resident(input))
    make_from_unread(const __grid_constant__ MakeArguments<T, 1, UnreadFrame> arguments) {
  make_tile<Maker<T, 1, UnreadFrame>, input>(arguments);
}

}  // namespace laconic::quant::cuda
