// SPDX-License-Identifier: BSD-3-Clause
// Bit planes of 16 values by votes: the lanes hold the values of two sub-blocks at a time, one each, and a vote yields
// one plane of both.
#pragma once

#include "warp.hpp"

namespace votes {

// Orders, codes and the head of a block are left out; even without them this costs more than all of transpose.hpp.
template <unsigned widest>
LANE void encode(const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  const float* const numbers = work.numbers + 1024ull * block;
  float most = 0;
  std::uint32_t before = 0;
  std::uint8_t* at = shared;
#pragma unroll
  for (unsigned j = 0; j < 32; ++j) {
    const std::uint32_t m = point(numbers[32 * j + lane], work.inverse, most);
    const std::uint32_t round = shuffle(m, lane + 31);
    const std::uint32_t previous = lane == 0 ? (j == 0 ? m : before) : round;
    before = round;
    const std::uint32_t z = zigzag(m - previous);
    std::uint32_t mine = 0;  // lane k: plane k of both sub-blocks
#pragma unroll
    for (unsigned k = 0; k < widest; ++k) {
      const std::uint32_t plane = vote((z >> k & 1) != 0);
      if (lane == k) mine = plane;
    }
    const unsigned width0 = bits_needed(vote((mine & 0xffff) != 0));
    const unsigned width1 = bits_needed(vote(mine >> 16 != 0));
    if (lane < width0) store16(at + 2 * lane, mine);
    at += 2 * width0;
    if (lane < width1) store16(at + 2 * lane, mine >> 16);
    at += 2 * width1;
  }
  const unsigned size = static_cast<unsigned>(at - shared);
  if (lane == 0) work.index[block] = most <= largest_single ? static_cast<std::uint16_t>(size) : off_path;
  sync();
#pragma unroll 1
  for (unsigned i = 16 * lane; i < size; i += 512)
    *reinterpret_cast<uint4*>(work.out + work.place[block] + i) = *reinterpret_cast<const uint4*>(shared + i);
}

template <unsigned widest>
LANE void decode(const Work& work, unsigned block, unsigned lane, std::uint8_t* shared) {
  const std::uint8_t* at = work.in + work.place_in[block];
#pragma unroll 1
  for (unsigned i = 16 * lane; i < 128 * widest; i += 512)
    *reinterpret_cast<uint4*>(shared + i) = *reinterpret_cast<const uint4*>(at + i);
  sync();
  at = shared;
  std::uint32_t carry = 0;
  const std::uint32_t widths =
      work.index_in[32 * block + lane];  // widths of both sub-blocks of a row, whatever their source
#pragma unroll
  for (unsigned j = 0; j < 32; ++j) {
    const std::uint32_t both = shuffle(widths, j);
    const unsigned width = lane < 16 ? both & 0xff : both >> 8;
    const std::uint8_t* const from = at + (lane < 16 ? 0 : 2 * (both & 0xff));
    std::uint32_t z = 0;
#pragma unroll
    for (unsigned k = 0; k < widest; ++k) z |= (load16(from + 2 * k) >> lane % 16 & 1) << k;
    z &= (1u << width) - 1;
    at += 2 * ((both & 0xff) + (both >> 8));
    const std::uint32_t end = inclusive_scan(unzigzag(z), lane) + carry;
    carry = shuffle(end, 31);
    work.result[1024ull * block + 32 * j + lane] = number(end, work.step);
  }
}

}  // namespace votes
