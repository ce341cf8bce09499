// SPDX-License-Identifier: BSD-3-Clause
// A block of a scaled frame in memory: how it is rounded, normalised and combined.  quant and dense write the same
// blocks in different bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/trailing_zeros.hpp"
#include "codec/codec.hpp"
#include "codec/quant/block_range.hpp"
#include "codec/quant/numbers.hpp"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::quant::scaled {

// The data written after the header of a frame, and the error bound of its numbers.
struct Payload {
  Status status;
  const std::byte* end = nullptr;
  double error = 0;
};

// The scale of a block, of which its bound is a share; infinite or NaN when some number is.
inline double scale_of(const Kernels& k, const float* x, std::size_t n, BlockScale scale) {
  if (scale == BlockScale::range) return k.scales.range_f32(x, n);
  return root_mean_square<false>([&](double factor) { return k.scales.squares_f32(x, n, factor); }, n);
}
inline double scale_of(const Kernels& k, const double* x, std::size_t n, BlockScale scale) {
  if (scale == BlockScale::range) return k.scales.range_f64(x, n);
  return root_mean_square<true>([&](double factor) { return k.scales.squares_f64(x, n, factor); }, n);
}

// The exponent of the lowest bit that is set in any of n finite numbers, of which one is not 0: all are multiples of
// this power of two.
template <class T>
int lowest_bit(const T* x, std::size_t n) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  constexpr int stored = Limits::digits - 1;
  constexpr auto mantissa = static_cast<Bits>((Bits{1} << stored) - 1);
  int lowest = Limits::max_exponent;
  for (std::size_t i = 0; i < n; ++i) {
    const Bits magnitude = std::bit_cast<Bits>(x[i]) & ~(Bits{1} << (8 * sizeof(T) - 1));
    if (magnitude == 0) continue;
    const auto exponent = static_cast<int>(magnitude >> stored);
    const Bits digits = (magnitude & mantissa) | (exponent > 0 ? Bits{1} << stored : Bits{0});
    const int trailing = static_cast<int>(std::bit_width(digits & (Bits{0} - digits))) - 1;
    lowest = std::min(lowest, std::max(exponent, 1) + Limits::min_exponent - 1 - Limits::digits + trailing);
  }
  return lowest;
}

// A block of numbers or of points; a point stands for point * 2^exponent.
template <class T>
struct Scaled : Block<T> {
  bool zero = false;  // all points are 0, and the exponent has no meaning
  int exponent = 0;
  int bits = 0;  // width of the point of the largest magnitude

  // Makes the exponent as large as the points and float64 allow, so that the bytes of a frame are a function of the
  // numbers that it stands for.  Otherwise sums of three frames could have different exponents when two of them cancel.
  void normalise(const Kernels& k, std::size_t n) {
    const PointBits set = k.scales.bits(this->points, n);
    zero = set.any == 0;
    if (zero) return;
    const int down = std::min(trailing_zeros(set.any), greatest_exponent - exponent);
    bits = static_cast<int>(std::bit_width(set.magnitudes)) - down;
    exponent += down;
    if (down > 0) k.scales.shift(this->points, n, -down);
  }

  void set_zero() {
    zero = true;
    std::memset(this->points.q, 0, sizeof this->points.q);
  }

  // Rounds the numbers to points; false when some number has no point.  error: the error of the numbers, which this
  // function may only raise.
  bool round(const Kernels& k, const T* x, std::size_t n, const Coding& coding, Wide<T>& wide, double& error) {
    const auto* w = wide.of(x, n);
    return round(k, w, n, coding, scale_of(k, w, n, coding.scale), error);
  }

  // The same for numbers of this scale.
  template <class W>
  bool round(const Kernels& k, const W* w, std::size_t n, const Coding& coding, double scale, double& error) {
    this->lattice = true;
    // Equal numbers have no range, but a lattice only if they are 0.
    if (scale == 0 && std::all_of(w, w + n, [](auto v) { return v == 0; })) {
      set_zero();
      return true;
    }
    Lattice own;
    if (!scaled::lattice_of<T>(scale, coding.relative, coding.terms, own, exponent)) return this->lattice = false;
    if (quantise_block(k, w, n, own, this->points))
      error = std::max(error, own.step / 2);
    else if (coding.scale != BlockScale::range || !round_exactly(k, w, n, own.allowance, coding.terms))
      return this->lattice = false;
    normalise(k, n);
    return true;
  }

  // Numbers far from zero with few digits have points with their lowest bit as the step, where that of their scale is
  // too small.
  template <class W>
  bool round_exactly(const Kernels& k, const W* w, std::size_t n, double allowance, std::uint32_t terms) {
    const int lowest = lowest_bit(w, n);
    if (lowest <= exponent) return false;
    exponent = lowest;
    return quantise_block(k, w, n, Lattice::with_step<T>(power_of_two(exponent), allowance, terms, largest_addend),
                          this->points);
  }

  void leave_lattice(const Kernels& k, std::size_t n) {
    Block<T>::leave_lattice(k, n, zero ? 1 : std::ldexp(1.0, exponent));
  }

  // Shifts the points, which are not all 0, to a smaller exponent.
  void shift_to(const Kernels& k, int smaller, std::size_t n) {
    if (exponent > smaller) k.scales.shift(this->points, n, exponent - smaller);
    exponent = smaller;
  }

  void combine_with(const Kernels& k, Scaled& other, Op op, std::size_t n) {
    if (this->lattice && other.lattice) {
      if (zero) exponent = other.exponent;
      if (other.zero) other.exponent = exponent;
      const int smaller = std::min(exponent, other.exponent);
      const auto fits = [&](const Scaled& s) { return s.zero || s.bits + s.exponent - smaller <= addend_bits; };
      if (fits(*this) && fits(other)) {
        shift_to(k, smaller, n);
        other.shift_to(k, smaller, n);
        k.combine(op, this->points, other.points, n);
        return normalise(k, n);
      }
    }
    leave_lattice(k, n);
    other.leave_lattice(k, n);
    combine(op, this->numbers, other.numbers, n);
  }
};

}  // namespace laconic::quant::scaled
