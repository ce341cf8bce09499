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
#include "codec/denormals.hpp"
#include "codec/quant/block_range.hpp"
#include "codec/quant/masked_blocks.hpp"
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

// Whether blocks bounded by their range may have points of 64 bits.
template <class T>
inline constexpr bool has_far = sizeof(T) == 8;

// The exponent of the lowest bit that is set in any of n finite numbers, of which one is not 0: all are multiples of
// this power of two.  Any lower value where it is not above `least`.
template <class T>
int lowest_bit(const T* x, std::size_t n, int least) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  constexpr int stored = Limits::digits - 1;
  constexpr auto mantissa = static_cast<Bits>((Bits{1} << stored) - 1);
  int lowest = Limits::max_exponent;
  for (std::size_t i = 0; i < n && lowest > least; ++i) {
    const Bits magnitude = std::bit_cast<Bits>(x[i]) & ~(Bits{1} << (8 * sizeof(T) - 1));
    if (magnitude == 0) continue;
    const auto exponent = static_cast<int>(magnitude >> stored);
    const Bits digits = (magnitude & mantissa) | (exponent > 0 ? Bits{1} << stored : Bits{0});
    const int trailing = static_cast<int>(std::bit_width(digits & (Bits{0} - digits))) - 1;
    lowest = std::min(lowest, std::max(exponent, 1) + Limits::min_exponent - 1 - Limits::digits + trailing);
  }
  return lowest;
}

// A block of numbers, or of points, each of which stands for point * 2^exponent, beside exceptions.
template <class T>
class Scaled : public MaskedBlock<T> {
  using Base = MaskedBlock<T>;

 public:
  using Form = typename Base::Form;

  bool zero() const { return zero_; }  // all points are 0, and the exponent has no meaning
  int exponent() const { return exponent_; }
  double step() const { return zero_ ? 1 : std::ldexp(1.0, exponent_); }

  void set_exponent(int exponent, bool zero) {
    exponent_ = exponent;
    zero_ = zero;
  }

  // Makes a block of own numbers to be sent, or combined with `other`.  w: the numbers in the type that kernels take;
  // scale: scale_of(w).  error: that of the numbers, which these functions may only raise.  exact: they hold a denormal
  // number, and keep their bits.
  template <class W>
  void encode(const Kernels& k, const T* x, const W* w, std::size_t n, const Coding& coding, double scale, bool exact,
              double& error) {
    if (exact || (coding.exact_denormals && !std::isfinite(scale) && holds_payload(x, n)))
      take_numbers(x, n);
    else
      round(k, x, w, n, coding, scale, error);
  }
  template <class W>
  void round_for(const Kernels& k, const Scaled& other, const T* x, const W* w, std::size_t n, const Coding& coding,
                 double scale, double& error) {
    if (other.has_points())
      round(k, x, w, n, coding, scale, error);
    else
      take_numbers(x, n);
  }

  // Reads a block, whose exponents get(block, body) finds in front of the others; false when it is not valid.
  template <class Get>
  bool read(const Kernels& k, const Packed& in, std::size_t n, Get&& get) {
    zero_ = true;
    return this->read_with(k, in, n, [&](AnyPoints& points, const Packed& part, std::size_t count) {
      zero_ = part.entry == zero_block;
      return get(points, part, count, exponent_);
    });
  }

  // Writes a block without points.  Kernels for devices, which take frames bounded by the root mean square, know no
  // blocks but those of format 1.0.
  Entry write_numbers(const Kernels& k, std::size_t n, const Coding& coding, std::byte* out) const {
    return coding.scale == BlockScale::range ? this->write_all(k, n, out) : this->write_plain(n, out);
  }

  // Writes any block; see MaskedBlock::write() for `smallest`, and write_points() for `put`.
  template <class Put>
  Entry write(const Kernels& k, std::size_t n, const Coding& coding, bool smallest, std::byte* out, Put&& put) {
    if (this->has_points()) {
      const Entry entry = this->write_points(k, n, out, put);
      if (!smallest || !is_compound(entry) || bytes_of(entry) < n * sizeof(T)) return entry;
      this->form_ = Form::numbers;
    }
    return write_numbers(k, n, coding, out);
  }

  // Makes the exponent as large as the points and float64 allow, so that the bytes of a frame are a function of the
  // numbers that it stands for.  Otherwise sums of three frames could have different exponents when two of them cancel.
  void normalise(const Kernels& k, std::size_t n) {
    if (!this->has_points()) return;
    AnyPoints& p = this->points_;
    const FarBits set = p.far ? k.far.bits(p.points, p.high, n) : wide(k.scales.bits(p.points, n));
    zero_ = set.any == 0;
    if (zero_) return;
    const int down = std::min(trailing_zeros(set.any), greatest_exponent - exponent_);
    bits_ = static_cast<int>(std::bit_width(set.magnitudes)) - down;
    exponent_ += down;
    if (down > 0) shift(k, n, -down);
    p.far = p.far && bits_ > most_near_bits;
  }

  // Exponents are brought together where the points allow it; otherwise the blocks are combined as numbers.
  void combine_with(const Kernels& k, Scaled& other, const Coding& coding, std::size_t n) {
    if (!align(k, other, coding, n)) {
      leave_lattice(k, n);
      other.leave_lattice(k, n);
    }
    Base::combine_with(k, coding.op, other, n, step());
    normalise(k, n);
  }

 private:
  // The max widths of points of 32 bits, and of points of 64 bits whose sum fits 64 bits.
  static constexpr int most_near_bits = 31;
  static constexpr int most_far_bits = 61;

  static FarBits wide(PointBits bits) { return {bits.any, bits.magnitudes}; }

  void take_numbers(const T* x, std::size_t n) {
    std::memcpy(static_cast<void*>(Base::take_numbers()), x, n * sizeof(T));
  }

  // Rounds own numbers to points, as far as they have some.
  template <class W>
  void round(const Kernels& k, const T* x, const W* w, std::size_t n, const Coding& coding, double scale,
             double& error) {
    AnyPoints& p = this->points_;
    this->form_ = Form::points;
    p.far = false;
    if (scale == 0 && std::all_of(w, w + n, [](auto v) { return v == 0; })) return set_zero();
    Lattice own;
    const bool has_lattice = scaled::lattice_of<T>(scale, coding.relative, coding.terms, own, exponent_);
    if (has_lattice && quantise_block(k, w, n, own, p.points)) {
      error = std::max(error, own.step / 2);
      return normalise(k, n);
    }
    take_numbers(x, n);
    if (coding.scale != BlockScale::range) return;
    if (!has_lattice) return round_beside(k, w, n, coding, error);
    if (round_exactly(k, w, n, own.allowance, coding.terms)) {
      this->form_ = Form::points;
      return normalise(k, n);
    }
    round_within(k, w, n, own, coding.terms, error);
  }

  void set_zero() {
    zero_ = true;
    std::memset(this->points_.points.q, 0, sizeof this->points_.points.q);
  }

  void shift(const Kernels& k, std::size_t n, int by) {
    AnyPoints& p = this->points_;
    if (p.far)
      k.far.shift(p.points, p.high, n, by);
    else
      k.scales.shift(p.points, n, by);
  }

  void leave_lattice(const Kernels& k, std::size_t n) {
    if (!this->has_points()) return;
    T numbers[block_values];
    this->decode(k, n, step(), 1, numbers);
    take_numbers(numbers, n);
  }

  // Brings the points of two blocks to the same exponent; false when one has none, or they do not allow it.
  bool align(const Kernels& k, Scaled& other, const Coding& coding, std::size_t n) {
    if (!this->has_points() || !other.has_points()) return false;
    if (zero_) exponent_ = other.exponent_;
    if (other.zero_) other.exponent_ = exponent_;
    const int smaller = std::min(exponent_, other.exponent_);
    const auto bits_of = [&](const Scaled& s) { return s.zero_ ? 0 : s.bits_ + s.exponent_ - smaller; };
    const int most = std::max(bits_of(*this), bits_of(other));
    if (most > addend_bits) {
      if (!has_far<T> || coding.scale != BlockScale::range || most > most_far_bits) return false;
      this->points_.make_far();
      other.points_.make_far();
    }
    shift_to(k, smaller, n);
    other.shift_to(k, smaller, n);
    zero_ = false;
    return true;
  }

  void shift_to(const Kernels& k, int smaller, std::size_t n) {
    if (exponent_ > smaller) shift(k, n, exponent_ - smaller);
    exponent_ = smaller;
  }

  // Numbers far from zero with few digits have points with their lowest bit as the step, where that of their scale is
  // too small.
  template <class W>
  bool round_exactly(const Kernels& k, const W* w, std::size_t n, double allowance, std::uint32_t terms) {
    const int lowest = lowest_bit(w, n, exponent_);
    if (lowest <= exponent_ ||
        !quantise_block(k, w, n, Lattice::with_step<T>(power_of_two(lowest), allowance, terms, largest_addend),
                        this->points_.points))
      return false;
    exponent_ = lowest;
    return true;
  }

  // The same for a block with numbers that are not finite, which have no part in its scale.
  template <class W>
  void round_beside(const Kernels& k, const W* w, std::size_t n, const Coding& coding, double& error) {
    Mask mask;
    find_beyond(k, w, n, 1, std::numeric_limits<W>::max(), mask);
    const std::size_t left = n - mask.count();
    if (left == 0 || left == n) return;
    W kept[block_values];
    k.masks.take(w, sizeof(W), mask.others(n), n, kept);
    Lattice own;
    const double scale = scale_of(k, kept, left, coding.scale);
    if (scaled::lattice_of<T>(scale, coding.relative, coding.terms, own, exponent_)) {
      AnyPoints front;
      if (!quantise_block(k, kept, left, own, front.points)) return round_within(k, w, n, own, coding.terms, error);
      error = std::max(error, own.step / 2);
      return take_others(k, front, mask, n);
    }
    // They are equal, and have no range.
    exponent_ =
        std::all_of(kept, kept + left, [](W v) { return v == 0; }) ? 0 : lowest_bit(kept, left, least_exponent - 1);
    if (scale != 0 || exponent_ < least_exponent) return;
    own = Lattice::with_step<T>(power_of_two(exponent_), 0, coding.terms, largest_addend);
    double unused = 0;
    round_within(k, w, n, own, coding.terms, unused);
  }

  // Rounds the numbers that are within reach of this lattice.  Those beyond points of 32 bits are exceptions, unless
  // they are most of the block, or points that are normalised fit: else those have 64 bits.
  template <class W>
  void round_within(const Kernels& k, const W* w, std::size_t n, const Lattice& own, std::uint32_t terms,
                    double& error) {
    const int exponent = exponent_;
    Mask beyond;
    find_beyond(k, w, n, own.inverse, own.largest, beyond);
    if constexpr (has_far<T>) {
      const std::size_t far = beyond.count();
      const double limit = Lattice::with_step<T>(own.step, 0, terms, 0x1p61).largest;
      const auto round_far = [&](AnyPoints& points, const W* kept, std::size_t left) {
        points.far = true;
        return k.far.quantise_scaled(kept, left, own.inverse, limit, points.points, points.high);
      };
      Mask mask;
      if (far > 0) find_beyond(k, w, n, own.inverse, limit, mask);
      if (far > 0 && round_others(k, w, n, mask, round_far) && (!this->points_.far || 2 * far > n)) {
        error = std::max(error, own.step / 2);
        return;
      }
    }
    exponent_ = exponent;
    if (round_others(k, w, n, beyond, [&](AnyPoints& points, const W* kept, std::size_t left) {
          points.far = false;
          return quantise_block(k, kept, left, own, points.points);
        }))
      error = std::max(error, own.step / 2);
  }

  // Rounds the numbers that are not exceptions with round(points, numbers, count); false when there are none or it is.
  template <class W, class Round>
  bool round_others(const Kernels& k, const W* w, std::size_t n, const Mask& exceptions, Round&& round) {
    const std::size_t left = n - exceptions.count();
    this->form_ = Form::numbers;
    if (left == 0) return false;
    W kept[block_values];
    k.masks.take(w, sizeof(W), exceptions.others(n), n, kept);
    AnyPoints front;
    if (!round(front, kept, left)) return false;
    take_others(k, front, exceptions, n);
    return true;
  }

  // Takes the points of the numbers that are not exceptions.
  void take_others(const Kernels& k, const AnyPoints& front, const Mask& exceptions, std::size_t n) {
    this->mask_ = exceptions;
    this->spread(k, front, n);
    this->settle(n);
    normalise(k, n);
  }

  bool zero_ = false;
  int exponent_ = 0;
  int bits_ = 0;  // width of the point of the largest magnitude
};

}  // namespace laconic::quant::scaled
