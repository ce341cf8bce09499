// SPDX-License-Identifier: BSD-3-Clause
// Lattice points of 64 bits, for blocks of sums with points that are too far from 0 for 32 bits (docs/wire-format.md,
// far blocks).  A point q is kept as two integers, high * 2^32 + low, and a far block as two blocks of 32-bit points.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/quant/format.hpp"

namespace laconic::quant {

// The body of a far block begins with a word that is 0 and the entries of the low and of the high block.
inline constexpr std::size_t far_head_bytes = 6;
inline constexpr std::size_t largest_far_block = far_head_bytes + 2 * largest_packed_block;
static_assert(largest_far_block / 2 < 1u << 13, "its size fits an entry");

// low is signed, so that points around 0 have a high part of 0.  Sums are modulo 2^64.
LACONIC_HOST_DEVICE inline std::int32_t low_of(std::uint64_t q) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(q));
}
LACONIC_HOST_DEVICE inline std::int32_t high_of(std::uint64_t q) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>((q + 0x80000000u) >> 32));
}
LACONIC_HOST_DEVICE inline std::uint64_t far_point(std::int32_t low, std::int32_t high) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32) +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(low));
}

// Rounds one number; false, with any q, when it has no lattice point.  Numbers within Lattice::largest get the same
// point as from quantise(), so the point does not depend on the neighbours of a number.
//
// From 2^33 steps on, y may be off by more than the room that the step leaves, so r is corrected by its distance from
// the number, which is exact up to 2^-26 steps: r = r1 + r2, and the products have up to 26 + 21 bits.  A fused
// operation would do it in one step, but not every processor has it.
LACONIC_HOST_DEVICE inline bool quantise_far(double x, const Lattice& lattice, std::uint64_t& q) {
  constexpr double round = 0x1.8p52;       // rounds numbers up to 2^51 to integers when it is added and subtracted
  constexpr double round_high = 0x1.8p78;  // and to multiples of 2^26
  const double y = x * lattice.inverse;
  const double r = (y + round) - round;
  const double r1 = (r + round_high) - round_high;
  const double off = (x - r1 * lattice.step) - (r - r1) * lattice.step;
  const double moved = ((off * lattice.inverse) + round) - round;
  const double move = std::fabs(y) <= lattice.largest ? 0 : moved;
  q = std::bit_cast<std::uint64_t>((r + move) + round) - std::bit_cast<std::uint64_t>(round);
  // The products are exact, so `back` is what a decoder gets, and x - back is exact.
  const double back = r1 * lattice.step + ((r - r1) + move) * lattice.step;
  const double error = lattice.alone ? x - back : off - move * lattice.step;
  return (std::fabs(y) <= lattice.largest_far) & (std::fabs(error) <= lattice.allowance);
}

LACONIC_HOST_DEVICE inline bool quantise_far(float x, const Lattice& lattice, std::uint64_t& q) {
  constexpr float round = 0x1.8p23f;
  const float y = x * lattice.inverse_single;
  const bool single = std::fabs(y) <= reach_of_single(lattice);
  std::uint64_t other;
  const bool fits = quantise_far(static_cast<double>(x), lattice, other);
  const auto near =
      static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(y + round) - std::bit_cast<std::uint32_t>(round));
  q = single ? static_cast<std::uint64_t>(static_cast<std::int64_t>(near)) : other;
  return single | fits;
}

// The same where the step is a power of two, and division by it exact: up to a limit of at most 2^61, and with q at
// most half a step from x.  y is rounded in two parts, each an integer that fits the sum with 1.5 * 2^52.
LACONIC_HOST_DEVICE inline bool quantise_scaled(double x, double inverse, double limit, std::uint64_t& q) {
  constexpr double round = 0x1.8p52;
  const double y = x * inverse;
  const double high = y * 0x1p-32 + round;
  const double low = (y - (high - round) * 0x1p32) + round;
  q = ((std::bit_cast<std::uint64_t>(high) - std::bit_cast<std::uint64_t>(round)) << 32) +
      (std::bit_cast<std::uint64_t>(low) - std::bit_cast<std::uint64_t>(round));
  return std::fabs(y) <= limit;
}

// coarse_point() for points of 64 bits.
LACONIC_HOST_DEVICE constexpr std::uint64_t coarse_far_point(std::uint64_t q, std::uint32_t coarser) {
  const std::uint64_t below_half = (std::uint64_t{1} << (coarser - 1)) - 1;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(q + below_half + (q >> coarser & 1)) >> coarser);
}

// The products are exact, so the number is rounded once to float64.  They are halved because the first may be beyond
// float64 where the sum is not.
LACONIC_HOST_DEVICE inline double far_number(std::int32_t low, std::int32_t high, double step) {
  return 2 * (static_cast<double>(high) * step * 0x1p31 + static_cast<double>(low) * (step / 2));
}

template <class T>
LACONIC_HOST_DEVICE inline T dequantise_far(std::int32_t low, std::int32_t high, double step, double divisor) {
  const double x = far_number(low, high, step);
  return static_cast<T>(divisor == 1 ? x : x / divisor);
}

}  // namespace laconic::quant
