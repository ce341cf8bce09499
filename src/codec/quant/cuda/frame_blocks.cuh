// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a frame that kernels read.
#pragma once

#include <cstdint>

#include "codec/device_header.hpp"
#include "codec/quant/cuda/numbers.cuh"
#include "codec/quant/problem.hpp"
#include "codec/quant/scaled.hpp"
#include "codec/report.hpp"
#include "wire/frame.hpp"

namespace laconic::quant::cuda {

// Thread blocks work on tiles: a tile has as many blocks as a thread block has warps.
inline constexpr unsigned tile_blocks = 8;
inline constexpr unsigned tile_threads = tile_blocks * warp_lanes;

// Up to this many blocks, a warp adds up the sizes of all blocks before its own; for more, an earlier launch provides
// the sums for tiles.
inline constexpr std::uint32_t few_blocks = 1024;

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
  const std::uint32_t* halves_before = nullptr;  // for each tile, sizes in units of 2 bytes; null: few_blocks or fewer
};

// The same where a kernel has read the header.  Its memory has room for the index.
struct UnreadFrame {
  static constexpr bool unread = true;
  const std::byte* bytes = nullptr;
  const DeviceHeader* header = nullptr;
  const std::uint32_t* halves_before = nullptr;
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

// Block `block` of a frame of `count` numbers, and the problem with its size, if any.
template <class T, std::uint32_t values>
__device__ inline InBlock find_block(const InFrame& frame, std::uint32_t block, std::uint32_t count) {
  const auto* index = reinterpret_cast<const std::uint16_t*>(frame.bytes + wire::header_bytes);
  const std::uint32_t blocks = count_blocks(count, values);
  const std::uint32_t tile = block / tile_blocks;
  std::uint32_t before = 0;
  std::uint32_t from = 0;
  if (frame.halves_before != nullptr) {
    before = frame.halves_before[tile];
    from = tile * tile_blocks;
  }
  before += halves_of(index, from, block);
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
__device__ inline InBlock find_block(const UnreadFrame& frame, std::uint32_t block, std::uint32_t count) {
  const DeviceHeader& header = *frame.header;
  if (header.fault == HeaderFault::none)
    return find_block<T, values>(InFrame{frame.bytes, header.payload, header.step > 0, frame.halves_before}, block,
                                 count);
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
