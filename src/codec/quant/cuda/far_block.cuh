// SPDX-License-Identifier: BSD-3-Clause
// Far blocks (docs/wire-format.md), and blocks off the lattice that come of them.  A warp makes such a block twice:
// once to know its size, and once to write it.  So it needs no registers or shared memory beyond those of other blocks,
// in kernels where both are scarce.  Functions are not inlined for the same reason; each lane works on its own points,
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

// The entry of the block, or the problem that its input has.
struct FarEntry {
  Entry entry = zero_block;
  Problem problem = Problem::none;
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
  if (!is_far(entry)) {
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
  store_points(v, memory);
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

// coarser: 0, or the points are a result that is rounded to multiples of 2^coarser.
__device__ LACONIC_NO_INLINE inline void combine_far(Op op, std::uint32_t coarser, FarLane& points,
                                                     const FarLane& other) {
  for (unsigned i = 0; i < lane_values; ++i) {
    const auto point = [i](const FarLane& p) {
      return far_point(static_cast<std::int32_t>(p.low[i]), static_cast<std::int32_t>(p.high[i]));
    };
    const std::uint64_t a = point(points);
    const std::uint64_t b = point(other);
    const bool greater = static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b);
    std::uint64_t q = op == Op::sum ? a + b : (op == Op::max) == greater ? a : b;
    if (coarser > 0) q = coarse_far_point(q, coarser);
    points.low[i] = static_cast<std::uint32_t>(low_of(q));
    points.high[i] = static_cast<std::uint32_t>(high_of(q));
  }
}

// Rounds the lane's own numbers, of n in the block; false, on all lanes, when some number has no point.
template <class T>
__device__ LACONIC_NO_INLINE bool round_far(const T* numbers, unsigned n, const Lattice& lattice, FarLane& points) {
  using Wide = std::conditional_t<sizeof(T) == 8, double, float>;
  bool good = lattice.largest_far > 0;
  for (unsigned i = 0; i < lane_values; ++i) {
    const unsigned at = lane_index() * lane_values + i;
    std::uint64_t q = 0;
    if (at < n) good &= quantise_far(static_cast<Wide>(numbers[at]), lattice, q);
    points.low[i] = static_cast<std::uint32_t>(low_of(q));
    points.high[i] = static_cast<std::uint32_t>(high_of(q));
  }
  return __all_sync(all_lanes, good);
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

// The numbers that the points of the lane stand for.
template <class T>
struct FarNumbers {
  const FarLane& points;
  double step;
  double divisor;
  __device__ T operator()(unsigned i) const {
    const unsigned k = i % lane_values;
    return dequantise_far<T>(static_cast<std::int32_t>(points.low[k]), static_cast<std::int32_t>(points.high[k]), step,
                             divisor);
  }
};

// A block of own numbers.
template <class T>
__device__ LACONIC_NO_INLINE FarEntry encode_far(const T* numbers, unsigned n, const Lattice& lattice,
                                                 WarpMemory& memory, std::byte* out) {
  FarLane points;
  if (round_far(numbers, n, lattice, points)) return {put_far(points, n, memory, out), Problem::none};
  return {put_lane_numbers<T>(n, out, OwnNumbers<T>{numbers}), Problem::none};
}

// The combination of a block on the lattice and own numbers.
template <class T>
__device__ LACONIC_NO_INLINE FarEntry fold_far(Entry entry, const std::byte* body, const T* numbers, unsigned n, Op op,
                                               std::uint32_t coarser, const Lattice& lattice, WarpMemory& memory,
                                               std::byte* out) {
  FarLane points;
  if (!fetch_far(entry, body, n, memory, points)) return {zero_block, Problem::bad_block};
  FarLane own;
  if (round_far(numbers, n, lattice, own)) {
    combine_far(op, coarser, points, own);
    return {put_far(points, n, memory, out), Problem::none};
  }
  const FarNumbers<T> decoded{points, lattice.step, 1};
  return {put_lane_numbers<T>(n, out, combined<T>(decoded, OwnNumbers<T>{numbers}, op)), Problem::none};
}

// The combination of a far block and any other.
template <class T>
__device__ LACONIC_NO_INLINE FarEntry add_far(Entry far, const std::byte* far_body, Entry other,
                                              const std::byte* other_body, unsigned n, Op op, std::uint32_t coarser,
                                              double step, WarpMemory& memory, std::byte* out) {
  FarLane points;
  if (!fetch_far(far, far_body, n, memory, points)) return {zero_block, Problem::bad_block};
  if (!has_points(other)) {
    const FarNumbers<T> decoded{points, step, 1};
    const FrameNumbers<T> numbers{other_body, kind_of(other) == Kind::fill};
    return {put_lane_numbers<T>(n, out, combined<T>(decoded, numbers, op)), Problem::none};
  }
  if (op == Op::sum && coarser == 0 && other == zero_block) {  // the far block stays as it is, byte for byte
    const auto* from = reinterpret_cast<const std::uint16_t*>(far_body);
    auto* to = reinterpret_cast<std::uint16_t*>(out);
    for (unsigned k = lane_index(); out != nullptr && k < bytes_of(far) / 2; k += warp_lanes) to[k] = from[k];
    return {far, Problem::none};
  }
  FarLane others;
  if (!fetch_far(other, other_body, n, memory, others)) return {zero_block, Problem::bad_block};
  combine_far(op, coarser, points, others);
  return {put_far(points, n, memory, out), Problem::none};
}

}  // namespace laconic::quant::cuda
