// SPDX-License-Identifier: BSD-3-Clause
// The competing layout: values packed in the 32 lanes of a row, a width for every block of 128 values, 8 blocks in a
// segment of 1024.  With `quad` a lane holds four consecutive values instead of one value of each of four rows.
#pragma once

#include "warp.hpp"

namespace lanes {

// Loads value r of block b of this lane into m[4 * b + r].
template <bool quad>
LANE void load_points(const float* numbers, float inverse, unsigned lane, float& most, std::uint32_t (&m)[32]) {
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    if (quad) {
      const float4 v = reinterpret_cast<const float4*>(numbers)[b * 32 + lane];
      m[4 * b] = point(v.x, inverse, most);
      m[4 * b + 1] = point(v.y, inverse, most);
      m[4 * b + 2] = point(v.z, inverse, most);
      m[4 * b + 3] = point(v.w, inverse, most);
    } else {
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) m[4 * b + r] = point(numbers[b * 128 + r * 32 + lane], inverse, most);
    }
  }
}

// Takes differences in place; the first value is subtracted from itself.
template <bool quad>
LANE void differences(std::uint32_t (&m)[32], unsigned lane) {
  std::uint32_t carry = 0;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    if (quad) {
      const std::uint32_t round = shuffle(m[4 * b + 3], lane + 31);
      std::uint32_t before = lane == 0 ? carry : round;
      if (b == 0 && lane == 0) before = m[0];
      carry = round;
      m[4 * b + 3] -= m[4 * b + 2];
      m[4 * b + 2] -= m[4 * b + 1];
      m[4 * b + 1] -= m[4 * b];
      m[4 * b] -= before;
    } else {
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) {
        const std::uint32_t round = shuffle(m[4 * b + r], lane + 31);
        std::uint32_t before = lane == 0 ? carry : round;
        if (b == 0 && r == 0 && lane == 0) before = m[0];
        carry = round;
        m[4 * b + r] -= before;
      }
    }
  }
}

// Writes the residuals to their place, after a width for each block and the anchor.
template <unsigned widest>
LANE void encode_residuals(std::uint32_t (&r)[32], std::uint32_t anchor, const Work& work, unsigned segment,
                           unsigned lane) {
  std::uint8_t* to = work.out + work.place[segment];
  unsigned widths[8];
  unsigned total = 0;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    std::uint32_t bits = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) bits |= r[4 * b + i] = zigzag(r[4 * b + i]);
    widths[b] = bits_needed(or_of_lanes(bits));
    total += widths[b];
  }
  if (lane == 0) {
    work.index[segment] = static_cast<std::uint16_t>(total);
    reinterpret_cast<uint4*>(to)[0] = uint4{anchor, 0, widths[0] | widths[1] << 8 | widths[2] << 16 | widths[3] << 24,
                                            widths[4] | widths[5] << 8 | widths[6] << 16 | widths[7] << 24};
  }
  to += 16;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    const unsigned w = widths[b];
    std::uint32_t t[4] = {};  // the bits of four values
    if constexpr (widest == 8) {
      t[0] = (r[4 * b] | r[4 * b + 1] << w) | (r[4 * b + 2] | r[4 * b + 3] << w) << 2 * w;
    } else {
      const std::uint64_t low = r[4 * b] | static_cast<std::uint64_t>(r[4 * b + 1]) << w;
      const std::uint64_t high = r[4 * b + 2] | static_cast<std::uint64_t>(r[4 * b + 3]) << w;
      const std::uint64_t t0 = low | high << 2 * w;
      t[0] = static_cast<std::uint32_t>(t0);
      t[1] = static_cast<std::uint32_t>(t0 >> 32);
      if constexpr (widest > 16) {
        const std::uint64_t t1 = w == 0 ? 0 : high >> (64 - 2 * w);
        t[2] = static_cast<std::uint32_t>(t1);
        t[3] = static_cast<std::uint32_t>(t1 >> 32);
      }
    }
    auto* rows = reinterpret_cast<std::uint32_t*>(to);
#pragma unroll
    for (unsigned k = 0; k < widest / 8 && k < 3; ++k)
      if (w >= 8 * k + 8) rows[32 * k + lane] = t[k];
    std::uint32_t rest = t[0];
#pragma unroll
    for (unsigned k = 1; k < widest / 8; ++k)
      if (w >= 8 * k) rest = t[k];
    std::uint8_t* at = to + w / 8 * 128;
    if (w & 4) {
      store16(at + 2 * lane, rest);
      rest >>= 16;
      at += 64;
    }
    if (w & 2) {
      at[lane] = static_cast<std::uint8_t>(rest);
      rest >>= 8;
      at += 32;
    }
    if (w & 1) {
      const std::uint32_t other = shuffle(rest, lane + 16);
      if (lane < 16) at[lane] = static_cast<std::uint8_t>((rest & 15) | other << 4);
    }
    to += 16 * w;
  }
}

template <unsigned widest>
LANE std::uint32_t decode_residuals(std::uint32_t (&r)[32], const Work& work, unsigned segment, unsigned lane) {
  const std::uint8_t* from = work.in + work.place_in[segment];
  const uint4 head = *reinterpret_cast<const uint4*>(from);
  from += 16;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    const unsigned w = (b < 4 ? head.z : head.w) >> 8 * (b % 4) & 0xff;
    const auto* rows = reinterpret_cast<const std::uint32_t*>(from);
    std::uint32_t t[4] = {};
#pragma unroll
    for (unsigned k = 0; k < widest / 8 && k < 3; ++k)
      if (w >= 8 * k + 8) t[k] = rows[32 * k + lane];
    const std::uint8_t* at = from + w / 8 * 128;
    std::uint32_t rest = 0;
    unsigned shift = 0;
    if (w & 4) {
      rest = load16(at + 2 * lane);
      at += 64;
      shift = 16;
    }
    if (w & 2) {
      rest |= static_cast<std::uint32_t>(at[lane]) << shift;
      at += 32;
      shift += 8;
    }
    if (w & 1) rest |= (static_cast<std::uint32_t>(at[lane % 16]) >> lane / 16 * 4 & 15) << shift;
    const std::uint32_t mask = (1u << w) - 1;
    if constexpr (widest == 8) {
      if (w < 8) t[0] = rest;
      const std::uint32_t high = t[0] >> w >> w;
      r[4 * b] = unzigzag(t[0] & mask);
      r[4 * b + 1] = unzigzag(t[0] >> w & mask);
      r[4 * b + 2] = unzigzag(high & mask);
      r[4 * b + 3] = unzigzag(high >> w & mask);
    } else {
#pragma unroll
      for (unsigned k = 0; k < widest / 8; ++k)
        if (w / 8 == k) t[k] = rest;
      const std::uint64_t t0 = t[0] | static_cast<std::uint64_t>(t[1]) << 32;
      const std::uint64_t t1 = t[2] | static_cast<std::uint64_t>(t[3]) << 32;
      const std::uint64_t high = w == 0 ? 0 : t0 >> 2 * w | (widest > 16 ? t1 << (64 - 2 * w) : 0);
      r[4 * b] = unzigzag(static_cast<std::uint32_t>(t0) & mask);
      r[4 * b + 1] = unzigzag(static_cast<std::uint32_t>(t0 >> w) & mask);
      r[4 * b + 2] = unzigzag(static_cast<std::uint32_t>(high) & mask);
      r[4 * b + 3] = unzigzag(static_cast<std::uint32_t>(high >> w) & mask);
    }
    from += 16 * w;
  }
  return head.x;
}

template <bool quad, unsigned widest>
LANE void encode(const Work& work, unsigned segment, unsigned lane, std::uint8_t*) {
  std::uint32_t m[32];
  float most = 0;
  load_points<quad>(work.numbers + 1024ull * segment, work.inverse, lane, most, m);
  if (!every_lane(most <= largest_single)) {
    if (lane == 0) work.index[segment] = off_path;
    return;
  }
  const std::uint32_t anchor = m[0] - bias;
  differences<quad>(m, lane);
  encode_residuals<widest>(m, anchor, work, segment, lane);
}

template <bool quad, unsigned widest>
LANE void decode(const Work& work, unsigned segment, unsigned lane, std::uint8_t*) {
  std::uint32_t q[32];
  std::uint32_t carry = decode_residuals<widest>(q, work, segment, lane);
  float* const result = work.result + 1024ull * segment;
#pragma unroll
  for (unsigned b = 0; b < 8; ++b) {
    if (quad) {
#pragma unroll
      for (unsigned r = 1; r < 4; ++r) q[4 * b + r] += q[4 * b + r - 1];
      const std::uint32_t end = inclusive_scan(q[4 * b + 3], lane);
      const std::uint32_t add = carry + end - q[4 * b + 3];
      carry += shuffle(end, 31);
      float4 v;
      v.x = number(q[4 * b] + add, work.step);
      v.y = number(q[4 * b + 1] + add, work.step);
      v.z = number(q[4 * b + 2] + add, work.step);
      v.w = number(q[4 * b + 3] + add, work.step);
      reinterpret_cast<float4*>(result)[b * 32 + lane] = v;
    } else {
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) {
        const std::uint32_t end = inclusive_scan(q[4 * b + r], lane) + carry;
        carry = shuffle(end, 31);
        result[b * 128 + r * 32 + lane] = number(end, work.step);
      }
    }
  }
}

// Differences can be added directly, without prefix sums.
template <bool quad, unsigned widest>
LANE void fold(const Work& work, unsigned segment, unsigned lane, std::uint8_t*) {
  std::uint32_t r[32];
  const std::uint32_t anchor_in = decode_residuals<widest>(r, work, segment, lane);
  std::uint32_t m[32];
  float most = 0;
  load_points<quad>(work.numbers + 1024ull * segment, work.inverse, lane, most, m);
  if (!every_lane(most <= largest_single)) {
    if (lane == 0) work.index[segment] = off_path;
    return;
  }
  const std::uint32_t anchor = m[0] - bias + anchor_in;
  differences<quad>(m, lane);
#pragma unroll
  for (unsigned i = 0; i < 32; ++i) m[i] += r[i];
  encode_residuals<widest>(m, anchor, work, segment, lane);
}

}  // namespace lanes
