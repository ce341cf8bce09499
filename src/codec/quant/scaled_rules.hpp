// SPDX-License-Identifier: BSD-3-Clause
// The rules that decide the bytes of scaled frames, for the host and for kernels: docs/wire-format.md.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/quant/format.hpp"

namespace laconic::quant::scaled {

inline constexpr std::size_t values = 512;  // in a block

// The base-2 exponent of the step of a block; the body of the block begins with it.
using Exponent = std::int16_t;

// Points that are added have at most this many bits besides their sign, so that 32 bits hold the sum of two.
inline constexpr int addend_bits = 30;
inline constexpr std::int32_t largest_addend = (1 << addend_bits) - 1;

// The exponents of steps that are normal float64 numbers.
inline constexpr int least_exponent = -1022;
inline constexpr int greatest_exponent = 1023;

// Squares are added in this many lanes, then the lanes are added in pairs.
inline constexpr unsigned sum_lanes = 16;

// The root mean square, computed from sum(factor), the sum of the squares of n numbers, each times `factor`.  It is
// infinite or NaN when some number is.  is_double: squares of float64 numbers can leave its range; those of float32
// numbers, multiplied by 1, cannot.
template <bool is_double, class Sum>
LACONIC_HOST_DEVICE inline double root_mean_square(Sum&& sum_of_squares, std::size_t n) {
  double factor = 1;
  double sum = sum_of_squares(factor);
  if (!(sum >= 0x1p-900 && sum <= 0x1p1000) && is_double) {
    factor = sum < 0x1p-900 ? 0x1p600 : 0x1p-600;
    sum = sum_of_squares(factor);
  }
  return std::sqrt(sum / static_cast<double>(n)) / factor;
}

// 2^exponent, which must be a normal number.
LACONIC_HOST_DEVICE inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// True if no point of a packed block of n values, times 2^up, can be larger than largest_addend.  base: that of the
// block if its order is not 0; width: that of the zigzag of its largest residual.
inline bool fits_addend(int order, std::int32_t base, int width, std::size_t n, int up) {
  const std::uint64_t largest = width == 0 ? 0 : std::uint64_t{1} << (width - 1);
  const std::uint64_t moves = order == 0 ? 1 : order == 1 ? n : n * n / 2;
  const std::uint64_t start =
      order == 0 ? 0 : static_cast<std::uint64_t>(base < 0 ? -static_cast<std::int64_t>(base) : base);
  return (start + moves * largest) << up <= static_cast<std::uint64_t>(largest_addend);
}

// Finds the lattice of a block with this root mean square or range, and its exponent; false when it has none.
template <class T>
LACONIC_HOST_DEVICE inline bool lattice_of(double scale, double relative, std::uint32_t terms, Lattice& lattice,
                                           int& exponent) {
  // The factor leaves room for the rounding of the scale itself; multiplying by a power of two does not
  // round.
  const double allowance = relative * scale * (1 - 0x1p-18);
  if (!(allowance > 0x1p-1000 && allowance < 0x1p999)) return false;
  exponent = static_cast<int>(std::bit_cast<std::uint64_t>(2 * allowance) >> 52) - 1023;
  lattice = Lattice::with_step<T>(power_of_two(exponent), allowance, terms, largest_addend);
  // Division by a power of two is exact in float32, too, so only nearest() limits the numbers rounded there.
  if (lattice.largest_single > 0)
    lattice.largest_single = static_cast<float>(lattice.largest < 0x1p22 ? lattice.largest : 0x1p22);
  return true;
}

}  // namespace laconic::quant::scaled
