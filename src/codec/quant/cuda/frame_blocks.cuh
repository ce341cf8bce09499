// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a frame that kernels read.
#pragma once

#include <cstdint>

#include "codec/device_header.hpp"
#include "codec/quant/cuda/look_back.cuh"
#include "codec/quant/cuda/numbers.cuh"
#include "codec/quant/problem.hpp"
#include "codec/quant/scaled.hpp"
#include "codec/report.hpp"
#include "wire/frame.hpp"

namespace laconic::quant::cuda {

// Thread blocks work on tiles: a tile has as many blocks as a thread block has warps.
inline constexpr unsigned tile_blocks = 8;
inline constexpr unsigned tile_threads = tile_blocks * warp_lanes;

// Up to this many blocks, a warp adds up the sizes of all blocks before its own; for more, thread blocks look back.
inline constexpr std::uint32_t few_blocks = 256;

// values: numbers in a block, full_block or scaled_block.
inline constexpr auto full_block = static_cast<std::uint32_t>(block_values);
inline constexpr auto scaled_block = static_cast<std::uint32_t>(scaled::values);

__host__ __device__ constexpr std::uint32_t count_blocks(std::uint32_t numbers, std::uint32_t values) {
  return numbers / values + (numbers % values != 0 ? 1 : 0);
}
__host__ __device__ constexpr std::uint32_t count_tiles(std::uint32_t numbers, std::uint32_t values) {
  return (count_blocks(numbers, values) + tile_blocks - 1) / tile_blocks;
}

// A frame on the device whose header the host has checked, and that has room for the index.
struct InFrame {
  static constexpr bool unread = false;
  const std::byte* bytes = nullptr;
  std::uint32_t payload = 0;
  bool lattice = false;
  std::uint64_t* words = nullptr;  // one for each tile, for looking back over the index; null: few_blocks or fewer
};

// The same where a kernel has read the header.  Its memory has room for the index.
struct UnreadFrame {
  static constexpr bool unread = true;
  const std::byte* bytes = nullptr;
  const DeviceHeader* header = nullptr;
  std::uint64_t* words = nullptr;
};

// Any of the warps that find a problem may have the last word.
__device__ inline void tell(Report* report, Problem problem) {
  store_relaxed(&report->fault, static_cast<std::uint32_t>(problem));
}

struct InBlock {
  Entry entry = zero_block;
  const std::byte* body = nullptr;
  Problem problem = Problem::none;

  __device__ bool on_lattice() const { return quant::on_lattice(kind_of(entry)); }
  __device__ bool compound() const { return quant::is_compound(entry); }
  template <class T>
  __device__ FrameNumbers<T> numbers() const {
    return {body, kind_of(entry) == Kind::fill};
  }
};

// first ? a : b, copied field by field: a reference to one of the two would put both into memory.
__device__ inline InBlock choose(bool first, const InBlock& a, const InBlock& b) {
  InBlock chosen;
  chosen.entry = first ? a.entry : b.entry;
  chosen.body = first ? a.body : b.body;
  chosen.problem = first ? a.problem : b.problem;
  return chosen;
}

__device__ inline std::uint32_t halves_of(const std::uint16_t* index, std::uint32_t begin, std::uint32_t end) {
  std::uint32_t halves = 0;
  for (std::uint32_t i = begin + lane_index(); i < end; i += warp_lanes) halves += index[i] >> 3;
  return __reduce_add_sync(all_lanes, halves);
}

// The sizes, in units of 2 bytes, of all blocks of a long frame before a tile; called by a whole warp.
template <class In>
__device__ inline std::uint32_t halves_before_tile(const In& frame, std::uint32_t tile, std::uint32_t blocks,
                                                   std::uint32_t epoch) {
  const auto* index = reinterpret_cast<const std::uint16_t*>(frame.bytes + wire::header_bytes);
  const std::uint32_t first = tile * tile_blocks;
  Said sum{halves_of(index, first, first + tile_blocks < blocks ? first + tile_blocks : blocks), 0};
  if (lane_index() == 0) say(frame.words, tile, sum, tile == 0, epoch);
  const Said before = look_back(frame.words, 0, tile, epoch);
  sum.halves += before.halves;
  if (lane_index() == 0 && tile != 0) say(frame.words, tile, sum, true, epoch);
  return before.halves;
}

// Block `block` of a frame of `count` numbers, and the problem with its size, if any.  before_tile: of a long frame,
// what halves_before_tile() says of the block's tile.
template <class T, std::uint32_t values>
__device__ inline InBlock find_block(const InFrame& frame, std::uint32_t block, std::uint32_t count,
                                     std::uint32_t before_tile) {
  const auto* index = reinterpret_cast<const std::uint16_t*>(frame.bytes + wire::header_bytes);
  const std::uint32_t blocks = count_blocks(count, values);
  const bool is_long = frame.words != nullptr;
  const std::uint32_t from = is_long ? block / tile_blocks * tile_blocks : 0;
  const std::uint32_t before = (is_long ? before_tile : 0) + halves_of(index, from, block);
  InBlock in;
  in.entry = index[block];
  const std::uint32_t bodies = frame.payload / 2 - blocks;  // there is room for the index
  const std::uint32_t halves = in.entry >> 3;
  const std::uint32_t n = block + 1 < blocks ? values : count - block * values;
  in.body = frame.bytes + wire::header_bytes + 2 * (static_cast<std::size_t>(blocks) + before);
  if (before > bodies || halves > bodies - before)
    in.problem = Problem::ends_in_block;
  else if (needs_lattice(in.entry) && !frame.lattice)
    in.problem = Problem::no_lattice;
  else if (in.on_lattice() && bytes_of(in.entry) > largest_packed_block + sizeof(scaled::Exponent))
    in.problem = Problem::bad_block;  // it would not fit the warp's memory
  else if (!in.on_lattice() && !(in.compound() && values == full_block) &&
           halves * 2 != (kind_of(in.entry) == Kind::fill ? 1 : n) * sizeof(T))
    in.problem = Problem::other_size;
  else if (block + 1 == blocks && (before + halves != bodies || frame.payload % 2 != 0))
    in.problem = Problem::bytes_after;
  return in;
}

template <class T, std::uint32_t values>
__device__ inline InBlock find_block(const UnreadFrame& frame, std::uint32_t block, std::uint32_t count,
                                     std::uint32_t before_tile) {
  const DeviceHeader& header = *frame.header;
  if (header.fault == HeaderFault::none)
    return find_block<T, values>(InFrame{frame.bytes, header.payload, header.step > 0, frame.words}, block, count,
                                 before_tile);
  InBlock in;
  in.problem = Problem::bad_header;
  return in;
}

// Fetches the lane's points of a block on the lattice.  Afterwards its body, if it has one, is in the warp's memory
// from half `begin` on.  `single` is as for read_points().
__device__ inline bool fetch_points(const InBlock& in, unsigned n, WarpMemory& memory, unsigned& begin,
                                    std::uint32_t (&v)[lane_values], bool* single = nullptr) {
  begin = fetch_body(in.body, static_cast<unsigned>(bytes_of(in.entry)), memory);
  const bool valid = read_points(in.entry, memory, begin, n, v, single);
  __syncwarp();
  return valid;
}

}  // namespace laconic::quant::cuda
