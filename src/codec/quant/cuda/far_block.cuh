// SPDX-License-Identifier: BSD-3-Clause
// The points of far blocks (docs/wire-format.md), and numbers off the lattice.  A warp makes such a block twice: once
// to know its size, and once to write it.  So it needs no registers or shared memory beyond those of other blocks, in
// kernels where both are scarce.  Functions are not inlined for the same reason; each lane works on its own points,
// which are in local memory.
#pragma once

#include "codec/quant/cuda/make_arguments.cuh"
#include "codec/quant/far.hpp"

namespace laconic::quant::cuda {

// The lane's points.  `high` is 0 for points of 32 bits.
struct FarLane {
  std::uint32_t low[lane_values];
  std::uint32_t high[lane_values];
};

// Reads the points of a block that is not far.
__device__ LACONIC_NO_INLINE inline bool fetch_part(Entry entry, const std::byte* body, unsigned n, WarpMemory& memory,
                                                    std::uint32_t (&v)[lane_values]) {
  // The sizes that find_block() checks are those of whole blocks.
  if (bytes_of(entry) > largest_packed_block) return false;
  InBlock in;
  in.entry = entry;
  in.body = body;
  unsigned begin;
  return fetch_points(in, n, memory, begin, v);
}

// Reads the points of any block on the lattice; false, on all lanes, when it is not valid.
__device__ LACONIC_NO_INLINE inline bool fetch_far(Entry entry, const std::byte* body, unsigned n, WarpMemory& memory,
                                                   FarLane& points) {
  if (!is_compound(entry)) {
    for (unsigned i = 0; i < lane_values; ++i) points.high[i] = 0;
    return fetch_part(entry, body, n, memory, points.low);
  }
  const auto* head = reinterpret_cast<const std::uint16_t*>(body);
  const Entry low = head[1];
  const Entry high = head[2];
  const std::byte* at = body + far_head_bytes;
  return head[0] == 0 && on_lattice(kind_of(low)) && on_lattice(kind_of(high)) &&
         bytes_of(entry) == far_head_bytes + bytes_of(low) + bytes_of(high) &&
         fetch_part(low, at, n, memory, points.low) && fetch_part(high, at + bytes_of(low), n, memory, points.high);
}

// Packs one of the two parts, and writes its body to `out` unless that is null.
__device__ LACONIC_NO_INLINE inline Entry put_part(const std::uint32_t (&part)[lane_values], unsigned n,
                                                   WarpMemory& memory, std::byte* out) {
  std::uint32_t v[lane_values];
  for (unsigned i = 0; i < lane_values; ++i) v[i] = part[i];
  __syncwarp();
  store_points(v, memory.words);
  __syncwarp();
  const Measured measured = measure(v, n, memory);
  if (out == nullptr) return measured.entry;
  __syncwarp();
  write_body(v, measured, 0, memory);
  __syncwarp();
  write_words(out, static_cast<unsigned>(bytes_of(measured.entry)), [&](unsigned k) { return memory.words[k]; });
  __syncwarp();
  return measured.entry;
}

__device__ LACONIC_NO_INLINE inline Entry put_far(const FarLane& points, unsigned n, WarpMemory& memory,
                                                  std::byte* out) {
  std::byte* at = out == nullptr ? nullptr : out + far_head_bytes;
  const Entry low = put_part(points.low, n, memory, at);
  const Entry high = put_part(points.high, n, memory, at == nullptr ? nullptr : at + bytes_of(low));
  if (out != nullptr && lane_index() == 0) {
    auto* head = reinterpret_cast<std::uint16_t*>(out);
    head[0] = 0;
    head[1] = low;
    head[2] = high;
  }
  return make_entry(Kind::fill, far_head_bytes + bytes_of(low) + bytes_of(high));
}

// Writes numbers off the lattice to `out` unless that is null; number(i) is number i of the block, one of the lane.
template <class T, class Number>
__device__ inline Entry put_lane_numbers(unsigned n, std::byte* out, const Number& number) {
  using Bits = BitsOf<T>;
  const unsigned first = lane_index() * lane_values;
  const unsigned end = n < first ? first : n < first + lane_values ? n : first + lane_values;
  Bits of_block = 0;
  if (lane_index() == 0) of_block = std::bit_cast<Bits>(static_cast<T>(number(0)));
  const auto wide = static_cast<std::uint64_t>(of_block);
  const std::uint32_t low = __shfl_sync(all_lanes, static_cast<std::uint32_t>(wide), 0);
  const std::uint32_t high = __shfl_sync(all_lanes, static_cast<std::uint32_t>(wide >> 32), 0);
  of_block = static_cast<Bits>(static_cast<std::uint64_t>(high) << 32 | low);
  bool same = n > 1;
  for (unsigned i = first; i < end; ++i) same &= std::bit_cast<Bits>(static_cast<T>(number(i))) == of_block;
  same = __all_sync(all_lanes, same);
  for (unsigned i = first; i < end && out != nullptr; ++i) {
    if (same && i != 0) break;
    const auto bits = std::bit_cast<Bits>(static_cast<T>(number(i)));
    auto* halves = reinterpret_cast<std::uint16_t*>(out + i * sizeof(T));
    for (unsigned k = 0; k < sizeof(T) / 2; ++k) halves[k] = static_cast<std::uint16_t>(bits >> 16 * k);
  }
  return make_entry(same ? Kind::fill : Kind::raw, (same ? 1 : n) * sizeof(T));
}

}  // namespace laconic::quant::cuda
