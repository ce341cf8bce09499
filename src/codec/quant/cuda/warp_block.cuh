// SPDX-License-Identifier: BSD-3-Clause
// A block on the lattice, processed by one warp: conversion of points to a body and back (docs/wire-format.md, quant).
#pragma once

#include <cstring>

#include "codec/quant/cuda/lane_block.hpp"
#include "device/cuda/language.hpp"

namespace laconic::quant::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline unsigned lane_index() { return threadIdx.x % warp_lanes; }

// A warp's shared memory: the points of its block, or a body.
struct WarpMemory {
  // Four extra words for every 32 points avoid bank conflicts when lanes access four of their own points, or four
  // neighbours each, at a time.
  static constexpr unsigned row_words = warp_lanes + 4;
  alignas(16) std::uint32_t words[block_values / warp_lanes * row_words];

  __device__ static constexpr unsigned place(unsigned i) { return i + i / warp_lanes * (row_words - warp_lanes); }
  __device__ std::uint32_t& point(unsigned i) { return words[place(i)]; }
  __device__ std::uint16_t half(unsigned i) const {
    std::uint16_t half;
    memcpy(&half, reinterpret_cast<const char*>(words) + 2 * i,
           sizeof half);  // one load: the place is known to be even
    return half;
  }
  __device__ void set_half(unsigned i, std::uint32_t value) {
    const auto half = static_cast<std::uint16_t>(value);
    memcpy(reinterpret_cast<char*>(words) + 2 * i, &half, sizeof half);  // one store: the place is known to be even
  }
};
// A body that begins at the second half of a word also fits, with an exponent before it, and read_planes() reads up to
// this many words that begin in it.
inline constexpr unsigned words_of_byte = 5;
static_assert(sizeof(WarpMemory) >= largest_packed_block + 8 + 4 * words_of_byte);

// Neighbouring numbers or points that one vector access moves.
template <class T, unsigned count>
struct alignas(count * sizeof(T) <= 16 ? count * sizeof(T) : 16) Vector {
  T items[count];
};

// The lane's points, where those of the block begin at this word of the warp's memory.
__device__ inline void load_points(const std::uint32_t* words, std::uint32_t (&v)[lane_values]) {
  const auto* vectors = reinterpret_cast<const Vector<std::uint32_t, 4>*>(words + lane_index() * WarpMemory::row_words);
  LACONIC_UNROLL
  for (unsigned r = 0; r < lane_values / 4; ++r) {
    const Vector<std::uint32_t, 4> points = vectors[r];
    LACONIC_UNROLL
    for (unsigned k = 0; k < 4; ++k) v[4 * r + k] = points.items[k];
  }
}
__device__ inline void store_points(const std::uint32_t (&v)[lane_values], std::uint32_t* words) {
  auto* vectors = reinterpret_cast<Vector<std::uint32_t, 4>*>(words + lane_index() * WarpMemory::row_words);
  LACONIC_UNROLL
  for (unsigned r = 0; r < lane_values / 4; ++r) vectors[r] = {{v[4 * r], v[4 * r + 1], v[4 * r + 2], v[4 * r + 3]}};
}
static_assert(lane_values == warp_lanes);

// The sum over the lanes before this one; `all` is the sum over all lanes.
__device__ inline std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
  const unsigned lane = lane_index();
  std::uint32_t sum = value;
  LACONIC_UNROLL
  for (unsigned distance = 1; distance < warp_lanes; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(all_lanes, sum, distance);
    if (lane >= distance) sum += other;
  }
  all = __shfl_sync(all_lanes, sum, warp_lanes - 1);
  return sum - value;
}

// The planes of a sub-block, as Planes, in registers, which hold no bytes.
struct SubPlanes {
  unsigned first;
  unsigned count;
};
__device__ inline SubPlanes sub_planes_of_code(unsigned code, GroupKind kind) {
  const Planes planes = planes_of_code(code, kind);
  return {planes.first, planes.count};
}

// The part of a block's head that a lane knows: the planes of its two sub-blocks, and the start of its group's planes
// among all planes.
struct LanePlanes {
  SubPlanes sub[lane_subs];
  std::uint32_t group_begin;
};

// The greatest width of a residual of the block.
__device__ inline unsigned greatest_width(const LanePlanes& planes) {
  const unsigned a = planes.sub[0].first + planes.sub[0].count;
  const unsigned b = planes.sub[1].first + planes.sub[1].count;
  return __reduce_max_sync(all_lanes, a > b ? a : b);
}
static_assert(lane_subs == 2);

// The planes of one byte that are before those of the lane in its group, where the lane has `own` of them; `all` are
// those of the group.
__device__ inline unsigned planes_before(unsigned own, unsigned& all) {
  const unsigned partner = __shfl_xor_sync(all_lanes, own, 1);
  all = own + partner;
  return (lane_index() & 1) != 0 ? partner : 0;
}

// Calls visit(byte, first place, second place) for every byte of which the block has planes.  The places are those of
// the lane's two sub-blocks, counted in planes.  All lanes call this function together.
template <class Visit>
__device__ inline void each_byte(const LanePlanes& planes, Visit&& visit) {
  std::uint32_t begin = planes.group_begin;
  for (unsigned byte = 0; byte < 4; ++byte) {
    const unsigned first = part_of(planes.sub[0], byte).count;
    const unsigned both = first + part_of(planes.sub[1], byte).count;
    unsigned all;
    const unsigned own = begin + planes_before(both, all);
    if (!__any_sync(all_lanes, both != 0))
      break;  // if there are planes of a higher byte, there are planes of all lower ones
    visit(byte, own, own + first);
    begin += all;
  }
}

// The order whose residuals are shortest in the sampled sub-blocks.
__device__ inline int best_order(WarpMemory& points, unsigned n) {
  constexpr auto values = static_cast<unsigned>(sub_values);
  const unsigned lane = lane_index();
  const unsigned part = lane / values;
  const unsigned lanes = part == 0 ? 0x0000ffffu : 0xffff0000u;
  unsigned width[3] = {};
  const unsigned at_first = (2 * part + 1) * values + lane % values;
  LACONIC_UNROLL
  for (unsigned pair = 0; pair < 2; ++pair) {
    // Sub-blocks 1 and 3, then 5 and 7.  The two points before those of an odd sub-block are in the same row.
    const unsigned at = 4 * pair * values + at_first;
    const std::uint32_t* point = points.words + WarpMemory::place(at_first) + WarpMemory::place(4 * pair * values);
    const std::uint32_t q0 = point[0];
    const std::uint32_t q1 = *(point - 1);
    const std::uint32_t d0 = q0 - q1;
    const std::uint32_t d1 = q1 - *(point - 2);
    const std::uint32_t residual[3] = {q0, d0, d0 - d1};
    LACONIC_UNROLL
    for (unsigned order = 0; order < 3; ++order) {
      const std::uint32_t z = at < n ? zigzag(residual[order]) : 0;
      width[order] += static_cast<unsigned>(std::bit_width(__reduce_or_sync(lanes, z)));
    }
  }
  int best = 0;
  unsigned least = all_lanes;
  LACONIC_UNROLL
  for (int order = 0; order < 3; ++order) {
    const unsigned w = width[order] + __shfl_xor_sync(all_lanes, width[order], values);
    if (w < least) best = order;
    least = w < least ? w : least;
  }
  return best;
}
static_assert(sampled_subs[0] == 1 && sampled_subs[1] == 3 && sampled_subs[2] == 5 && sampled_subs[3] == 7);

// The measurements of a block, taken before it is written.
struct Measured {
  LanePlanes planes;
  std::uint32_t base;
  std::uint32_t word;        // the codes of the lane's group
  std::uint32_t bitmaps[2];  // of groups
  int order;
  bool narrow;  // the zigzagged residuals are bytes, four in a word
  Entry entry;
  int exponents[2];  // of scaled blocks: the exponent written, or those of two operands that are no longer points
};

// The halves before the planes: those of base, bitmaps and codes of the groups in `present`.
__device__ inline unsigned head_halves(int order, bool is_wide, unsigned present) {
  return (order != 0 ? 2 : 0) + (is_wide ? 2 : 1) + static_cast<unsigned>(__popc(present));
}

// Replaces the lane's residuals, of which either all or none are there, by zigzagged bytes, four in a word, and sets
// the bits that are set in any of a sub-block.  False, on all lanes and with the residuals unchanged, if any of the
// block does not fit 7 bits.
__device__ inline bool zigzag_bytes(std::uint32_t (&v)[lane_values], unsigned n, std::uint32_t (&bits)[lane_subs]) {
  std::uint32_t words[lane_values / 4];
  LACONIC_UNROLL
  for (unsigned k = 0; k < lane_values / 4; ++k)
    words[k] = zigzag_of_bytes(pack_signed_bytes(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]));
  if (n < block_values) {
    LACONIC_UNROLL
    for (unsigned k = 0; k < lane_values / 4; ++k) words[k] = lane_index() * lane_values < n ? words[k] : 0;
  }
  std::uint32_t any[lane_subs];
  LACONIC_UNROLL
  for (unsigned s = 0; s < lane_subs; ++s) {
    const std::uint32_t* w = words + s * (sub_values / 4);
    any[s] = w[0] | w[1] | w[2] | w[3];
  }
  if (!__all_sync(all_lanes, ((any[0] | any[1]) & 0x80808080u) == 0)) return false;
  LACONIC_UNROLL
  for (unsigned s = 0; s < lane_subs; ++s) {
    any[s] |= any[s] >> 16;
    bits[s] = (any[s] | any[s] >> 8) & 0xffu;
  }
  LACONIC_UNROLL
  for (unsigned k = 0; k < lane_values / 4; ++k) v[k] = words[k];
  return true;
}
static_assert(lane_subs == 2 && sub_values == 16);

// code_of() and planes_of_code() for a sub-block of a narrow group, in fewer steps.
__host__ __device__ constexpr unsigned narrow_code(std::uint32_t bits, SubPlanes& planes) {
  const auto width = static_cast<unsigned>(std::bit_width(bits));
  planes.first = width >= 2 ? ~bits & 1 : 0;
  planes.count = width - planes.first;
  return planes.first != 0 ? narrow_bits - 1 + width : width;
}
static_assert([] {
  for (std::uint32_t bits = 0; bits >> narrow_bits == 0; ++bits) {
    SubPlanes mine{};
    const unsigned code = narrow_code(bits, mine);
    const Planes planes = planes_of_code(code, GroupKind::narrow_group);
    if (code != code_of(bits, GroupKind::narrow_group) || mine.first != planes.first || mine.count != planes.count)
      return false;
  }
  return true;
}());

// Measures the residuals with these bits, once the order is known.  narrow: all groups are.
template <bool narrow>
__device__ inline void measure_planes(const std::uint32_t (&bits)[lane_subs], Measured& m) {
  const unsigned lane = lane_index();
  std::uint32_t any = bits[0] | bits[1];
  any |= __shfl_xor_sync(all_lanes, any, 1);
  const GroupKind kind = narrow ? GroupKind::narrow_group : group_kind_of(any);
  std::uint32_t word = 0;
  std::uint32_t count = 0;
  LACONIC_UNROLL
  for (unsigned s = 0; s < lane_subs; ++s) {
    unsigned code;
    if constexpr (narrow) {
      code = narrow_code(bits[s], m.planes.sub[s]);
    } else {
      code = code_of(bits[s], kind);
      m.planes.sub[s] = sub_planes_of_code(code, kind);
    }
    count += m.planes.sub[s].count;
    word |= code << 4 * s;
  }
  word <<= 8 * (lane & 1);
  m.word = word | __shfl_xor_sync(all_lanes, word, 1);
  // Lane g fetches the bits of group g.
  const std::uint32_t of_group = __shfl_sync(all_lanes, any, 2 * lane % warp_lanes);
  const GroupKind of_lane = narrow ? GroupKind::narrow_group : group_kind_of(of_group);
  const bool some = lane < block_groups && of_group != 0;
  m.bitmaps[0] = __ballot_sync(all_lanes, some && in_first_bitmap(of_lane));
  m.bitmaps[1] = narrow ? 0 : __ballot_sync(all_lanes, some && in_second_bitmap(of_lane));
  const unsigned present = m.bitmaps[0] | m.bitmaps[1];
  const bool wide = m.bitmaps[1] != 0;
  std::uint32_t planes;
  const std::uint32_t before = sum_before(count, planes);
  const unsigned head = head_halves(m.order, wide, present);
  m.planes.group_begin = head + __shfl_sync(all_lanes, before, lane & ~1u);
  m.entry = m.order == 0 && present == 0 ? zero_block : make_entry(kind_of(m.order, wide), 2 * (head + planes));
}

// v: the lane's points, which are replaced by their zigzagged residuals.  `memory` holds at least the points of the
// sampled groups of the block, which decide the order.
__device__ inline Measured measure(std::uint32_t (&v)[lane_values], unsigned n, WarpMemory& memory) {
  const unsigned lane = lane_index();
  Measured m;
  m.order = best_order(memory, n);
  m.base = __shfl_sync(all_lanes, v[0], 0);
  std::uint32_t last = __shfl_up_sync(all_lanes, v[lane_values - 1], 1);
  std::uint32_t before_last = __shfl_up_sync(all_lanes, v[lane_values - 2], 1);
  if (lane == 0) last = before_last = v[0];
  subtract_neighbours(v, m.order, last, before_last);
  std::uint32_t bits[lane_subs];
  m.narrow = n % lane_values == 0 && zigzag_bytes(v, n, bits);
  if (m.narrow) {
    measure_planes<true>(bits, m);
  } else {
    zigzag_all(v, n > lane * lane_values ? n - lane * lane_values : 0);
    bits[0] = bits_of<0>(v);
    bits[1] = bits_of<1>(v);
    measure_planes<false>(bits, m);
  }
  return m;
}

// part: the planes of the byte that are written, the first of them at half `place`.  most: there are no higher ones.
template <unsigned most = 8>
__device__ inline void write_planes(const BytePlanes& all, SubPlanes part, unsigned byte, unsigned place,
                                    WarpMemory& body) {
  const unsigned skipped = part.first - 8 * byte;
  const std::uint32_t there = ((1u << part.count) - 1) << skipped;
  char* to = reinterpret_cast<char*>(body.words) + 2 * (static_cast<int>(place) - static_cast<int>(skipped));
  LACONIC_UNROLL
  for (unsigned k = 0; k < most; ++k) {
    const auto half = static_cast<std::uint16_t>(all.words[k / 2] >> 16 * (k % 2));
    if ((there >> k & 1) != 0) memcpy(to + 2 * k, &half, sizeof half);  // one store: the place is known to be even
  }
}

// z: the output of measure() for the points.  The body begins at half `begin` of the memory.
__device__ inline void write_body(const std::uint32_t (&z)[lane_values], const Measured& m, unsigned begin,
                                  WarpMemory& body) {
  if (m.entry == zero_block) return;
  const unsigned lane = lane_index();
  const bool wide = m.bitmaps[1] != 0;
  const unsigned present = m.bitmaps[0] | m.bitmaps[1];
  const unsigned bitmaps = begin + (m.order != 0 ? 2 : 0);
  if (lane == 0) {
    if (m.order != 0) {
      body.set_half(begin, m.base);
      body.set_half(begin + 1, m.base >> 16);
    }
    body.set_half(bitmaps, m.bitmaps[0]);
    if (wide) body.set_half(bitmaps + 1, m.bitmaps[1]);
  }
  const unsigned group = lane / 2;
  if (lane % 2 == 0 && (present >> group & 1) != 0)
    body.set_half(begin + head_halves(m.order, wide, present & ((1u << group) - 1)), m.word);
  if (m.narrow) {
    unsigned all;
    const unsigned of_first = m.planes.sub[0].count;
    const unsigned first = begin + m.planes.group_begin + planes_before(of_first + m.planes.sub[1].count, all);
    write_planes<7>(planes_of_bytes(z[0], z[1], z[2], z[3]), m.planes.sub[0], 0, first, body);
    write_planes<7>(planes_of_bytes(z[4], z[5], z[6], z[7]), m.planes.sub[1], 0, first + of_first, body);
    return;
  }
  each_byte(m.planes, [&](unsigned byte, unsigned first, unsigned second) {
    write_planes(gather_planes<0>(z, byte), part_of(m.planes.sub[0], byte), byte, begin + first, body);
    write_planes(gather_planes<1>(z, byte), part_of(m.planes.sub[1], byte), byte, begin + second, body);
  });
}

// Reads all eight planes of the byte, without a branch for each, and drops the bits of those that are not there.
// `part`: the planes of the byte.
__device__ inline SubBytes read_planes(const WarpMemory& body, unsigned begin, SubPlanes part, unsigned byte,
                                       unsigned place) {
  const unsigned skipped = part.first - 8 * byte;
  const unsigned half = begin + place - skipped;  // not before the body, because bitmaps precede the planes
  const std::uint32_t* words = body.words + half / 2;
  const std::uint32_t two_halves = half % 2 == 0 ? 0x3210 : 0x5432;
  BytePlanes all;
  LACONIC_UNROLL
  for (unsigned k = 0; k + 1 < words_of_byte; ++k) all.words[k] = pick_bytes(words[k], words[k + 1], two_halves);
  const std::uint32_t there = ((1u << part.count) - 1) << skipped;
  return bytes_of_planes(all, there * 0x01010101u);
}

// Reads the head of a block of n numbers whose body begins at half `begin` of `body`; false, on all lanes, when it does
// not fit the size in the entry.
__device__ inline bool read_head(Entry entry, const WarpMemory& body, unsigned begin, unsigned n, LanePlanes& planes) {
  const unsigned lane = lane_index();
  const unsigned halves = static_cast<unsigned>(bytes_of(entry) / 2);
  const Kind kind = kind_of(entry);
  const int order = order_of(kind);
  unsigned at = order != 0 ? 2 : 0;
  if (halves < at + (is_wide(kind) ? 2 : 1)) return false;
  const unsigned first = body.half(begin + at++);
  const unsigned second = is_wide(kind) ? body.half(begin + at++) : 0;
  const unsigned present = first | second;
  const unsigned groups = static_cast<unsigned>(__popc(present));
  if (halves < at + groups) return false;
  const unsigned group = lane / 2;
  const bool here = (present >> group & 1) != 0;
  const unsigned earlier = static_cast<unsigned>(__popc(present & ((1u << group) - 1)));
  const unsigned word = here ? body.half(begin + at + earlier) >> 8 * (lane & 1) : 0u;
  const GroupKind of_group = group_kind_of((first >> group & 1) != 0, (second >> group & 1) != 0);
  bool valid = true;
  std::uint32_t count = 0;
  LACONIC_UNROLL
  for (unsigned s = 0; s < lane_subs; ++s) {
    const unsigned code = word >> 4 * s & 15u;
    if (code != 0 && (lane * lane_subs + s) * sub_values >= n) valid = false;
    planes.sub[s] = sub_planes_of_code(code, of_group);
    count += planes.sub[s].count;
  }
  std::uint32_t all;
  const std::uint32_t before = sum_before(count, all);
  planes.group_begin = at + groups + __shfl_sync(all_lanes, before, lane & ~1u);
  return __all_sync(all_lanes, valid && halves == at + groups + all);
}

// Whether all points of a block are exact float32 numbers, by its order, its first point and the greatest width of a
// residual.  A residual is at most half of 2^width, and a point is further from the first one by at most 2^10 residuals
// with order 1, and 2^20 with order 2.
__device__ inline bool surely_single(int order, std::uint32_t base, unsigned width) {
  return width + 10 * static_cast<unsigned>(order) <= 24 && base + (1u << 23) <= 1u << 24;
}

// Reads the lane's points of such a block, or of a zero block; false, on all lanes, when it is not valid.  Sets
// `single`, if given, where all points are known to be exact float32 numbers.
__device__ inline bool read_points(Entry entry, const WarpMemory& body, unsigned begin, unsigned n,
                                   std::uint32_t (&v)[lane_values], bool* single = nullptr) {
  LanePlanes planes = {};
  if (entry != zero_block && !read_head(entry, body, begin, n, planes)) return false;
  const unsigned width = greatest_width(planes);
  std::uint32_t sum = 0;  // of the lane's residuals
  if (width <= 8) {
    unsigned all_planes;
    const unsigned first = planes.group_begin + planes_before(planes.sub[0].count + planes.sub[1].count, all_planes);
    set_residuals<0>(read_planes(body, begin, planes.sub[0], 0, first), v, sum);
    set_residuals<1>(read_planes(body, begin, planes.sub[1], 0, first + planes.sub[0].count), v, sum);
  } else {
    LACONIC_UNROLL
    for (unsigned i = 0; i < lane_values; ++i) v[i] = 0;
    each_byte(planes, [&](unsigned byte, unsigned first, unsigned second) {
      put_bytes<0>(read_planes(body, begin, part_of(planes.sub[0], byte), byte, first), byte, v);
      put_bytes<1>(read_planes(body, begin, part_of(planes.sub[1], byte), byte, second), byte, v);
    });
    unzigzag_all(v);
    sum = total(v);
  }
  const int order = order_of(kind_of(entry));
  const std::uint32_t base = order != 0 ? body.half(begin) | static_cast<std::uint32_t>(body.half(begin + 1)) << 16 : 0;
  if (single != nullptr) *single = surely_single(order, base, width);
  if (order == 0) return true;
  std::uint32_t all;
  if (order == 2) {
    add_up(v, sum_before(sum, all));
    sum = total(v);
  }
  add_up(v, base + sum_before(sum, all));
  return true;
}

}  // namespace laconic::quant::cuda
