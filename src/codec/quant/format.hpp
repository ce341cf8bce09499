// SPDX-License-Identifier: BSD-3-Clause
// The integer lattice and the layout of one block, as docs/wire-format.md specifies them.  Every rule that decides a
// byte or a bit of a result is defined here once; kernels for other instruction sets are only faster.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/dtype.hpp"
#include "base/host_device.hpp"
#include "codec/block_shape.hpp"

namespace laconic::quant {

using block_shape::block_groups;
using block_shape::block_subs;
using block_shape::block_values;
using block_shape::group_subs;
using block_shape::group_values;
using block_shape::sub_values;

// Bits 0 and 1 are the order of the residuals, 3 where the block is not on the lattice.
enum class Kind : std::uint8_t {
  order0 = 0,       // lattice points
  order1 = 1,       // the first lattice point, and differences
  order2 = 2,       // the first lattice point, and differences of differences
  raw = 3,          // numbers uncompressed
  order0_wide = 4,  // as above, with groups that are wide or long
  order1_wide = 5,
  order2_wide = 6,
  fill = 7,  // one uncompressed number, repeated; or a compound block
};

constexpr Kind kind_of(int order, bool wide) { return static_cast<Kind>(order + (wide ? 4 : 0)); }
constexpr int order_of(Kind kind) { return static_cast<int>(kind) & 3; }
constexpr bool is_wide(Kind kind) { return kind >= Kind::order0_wide; }
constexpr bool on_lattice(Kind kind) { return order_of(kind) != 3; }

// An index entry: the kind of a block and the size of its body in bytes.
using Entry = std::uint16_t;
inline constexpr Entry zero_block = 0;  // every lattice point is 0: order 0, and no body
constexpr Entry make_entry(Kind kind, std::size_t bytes) {
  return static_cast<Entry>(static_cast<std::size_t>(kind) | bytes / 2 << 3);
}
constexpr Kind kind_of(Entry entry) { return static_cast<Kind>(entry & 7); }
constexpr std::size_t bytes_of(Entry entry) { return 2 * static_cast<std::size_t>(entry >> 3); }

// A compound block holds other blocks: a far block two of points (far.hpp), a masked block one beside its exceptions
// (mask.hpp).  The first word of its body tells which it is.  No number has the size of that body.
constexpr bool is_compound(Entry entry) {
  const std::size_t bytes = bytes_of(entry);
  return kind_of(entry) == Kind::fill && bytes > 4 && bytes != 8;
}
constexpr bool needs_lattice(Entry entry) { return on_lattice(kind_of(entry)) || is_compound(entry); }

// The number of bits that the zigzagged residuals of a group need: up to 8, up to 16, or more.  It decides what the
// codes of the group mean.
enum class GroupKind : std::uint8_t { narrow_group, wide_group, long_group };
inline constexpr std::size_t group_kinds = 3;
inline constexpr unsigned narrow_bits = 8;
inline constexpr unsigned wide_bits = 16;
constexpr GroupKind group_kind_of(std::uint32_t bits) {
  return static_cast<GroupKind>((bits >> narrow_bits != 0 ? 1 : 0) + (bits >> wide_bits != 0 ? 1 : 0));
}

// Two bitmaps tell the kind of a group that has bits.  Without the second one, in kinds of blocks that are not wide, it
// counts as 0.
constexpr bool in_first_bitmap(GroupKind kind) { return kind != GroupKind::long_group; }
constexpr bool in_second_bitmap(GroupKind kind) { return kind != GroupKind::narrow_group; }
constexpr GroupKind group_kind_of(bool in_first, bool in_second) {
  return !in_second ? GroupKind::narrow_group : in_first ? GroupKind::wide_group : GroupKind::long_group;
}

// In narrow groups codes 9..15 are widths 2..8 whose plane 0, the signs, is left out because it is 0: smooth rises and
// falls cost a bit less.  Wide groups have the widths 0, 2, 3 .. 16.  Long groups have 0, 12, 14, 15 .. 25, 28, 32.
constexpr unsigned width_of_code(unsigned code, GroupKind kind) {
  if (code == 0) return 0;
  if (kind == GroupKind::narrow_group) return code <= narrow_bits ? code : code - (narrow_bits - 1);
  if (kind == GroupKind::wide_group) return code + 1;
  return code == 1 ? 12 : code < 14 ? code + 12 : code == 14 ? 28 : 32;
}

// The smallest code of a wide or a long group whose width is not below this one.
constexpr unsigned wide_code(unsigned width) { return width < 2 ? width : width - 1; }
constexpr unsigned long_code(unsigned width) {
  if (width <= 12) return width == 0 ? 0 : 1;
  if (width <= 25) return width <= 14 ? 2 : width - 12;
  return width <= 28 ? 14 : 15;
}

// The planes of a sub-block: `count` of them, from plane `first` on.
struct Planes {
  std::uint8_t first;
  std::uint8_t count;
};
constexpr Planes planes_of_code(unsigned code, GroupKind kind) {
  const unsigned width = width_of_code(code, kind);
  const unsigned first = kind == GroupKind::narrow_group && code > narrow_bits ? 1 : 0;
  return {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(width - first)};
}

// Planes are written byte by byte: those of bits 0..7 of the four sub-blocks of a group, then those of bits 8..15, and
// so on.  This function returns the planes of one byte.
template <class SomePlanes>
constexpr SomePlanes part_of(SomePlanes planes, unsigned byte) {
  using Number = decltype(planes.first);
  const unsigned first = std::max<unsigned>(planes.first, 8 * byte);
  const unsigned end = std::min<unsigned>(planes.first + planes.count, 8 * byte + 8);
  return {static_cast<Number>(first), static_cast<Number>(end > first ? end - first : 0)};
}

// The code for a sub-block whose zigzagged residuals have these bits set.
constexpr std::uint8_t code_of(std::uint32_t bits, GroupKind kind) {
  const auto width = static_cast<unsigned>(std::bit_width(bits));
  unsigned code = width;
  if (kind == GroupKind::narrow_group && width >= 2 && (bits & 1) == 0) code = narrow_bits - 1 + width;
  if (kind == GroupKind::wide_group) code = wide_code(width);
  if (kind == GroupKind::long_group) code = long_code(width);
  return static_cast<std::uint8_t>(code);
}

constexpr std::uint32_t zigzag(std::uint32_t r) {
  return (r << 1) ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(r) >> 31);
}
constexpr std::uint32_t unzigzag(std::uint32_t z) { return (z >> 1) ^ (0u - (z & 1u)); }

// The order is the one that makes these sub-blocks smallest.  They lie close to the beginning so that adding frames
// needs the points of two groups only, and four that are not neighbours choose nearly as well as all.
inline constexpr std::size_t sampled_subs[4] = {1, 3, 5, 7};
inline constexpr std::size_t sampled_groups = 2;

// Base, two bitmaps, codes and planes of a block whose widths are all 32.
inline constexpr std::size_t largest_packed_block = 4 + 2 + 2 + 2 * block_groups + 2 * 32 * block_subs;

// Kernels store whole vectors: capacity() reserves this room after the last block.
inline constexpr std::size_t store_slack = 64;

// The points to which numbers are rounded.  A lattice point q stands for the number q * step.
struct Lattice {
  double step = 0;     // 0: no lattice, every block is raw
  double inverse = 0;  // 1 / step
  double allowance = 0;
  double largest = 0;  // bound of |q| for one contribution: a sum of all contributions, rounded to a multiple of
                       // 2^coarser, fits 31 bits and the number type

  // The same bound for points of 64 bits; 0: there are none.  float64 and sums have them.  Where smaller types are not
  // added, a raw block is as exact and smaller.
  double largest_far = 0;

  // Nothing is added to float64 numbers, so points of 64 bits keep the allowance after the rounding of decoding, too.
  bool alone = false;

  // The limits for rounding float32 and 16-bit numbers in float32.  With |q| <= largest_single the error of x *
  // inverse_single is below 2^15 * 2^-23 = 2^-8 steps, for which the step leaves room.  0: float32 is never used.
  float inverse_single = 0;
  float largest_single = 0;

  // step is just below twice the allowance and has 21 significant bits, so q * step is exact in double for every 32-bit
  // q.  The remainder leaves room for the rounding of x * inverse and, where possible, for that of q * step to the
  // number type (docs/error-model.md): for float32 this holds up to 99,000 steps, and for every number when the
  // greatest magnitude among them is known (0: unknown).
  static Lattice make(double allowance, std::uint32_t terms, Dtype dtype, double greatest = 0,
                      std::uint32_t coarser = 0) {
    return dispatch(FloatingTypes{}, dtype,
                    [&](auto zero) { return make_as<decltype(zero)>(allowance, terms, greatest, coarser); });
  }

  // Makes a lattice with a given step, 2^-1000 < step < 2^1000, with a significand of at most 21 bits.  No point of a
  // contribution is beyond `reach`.
  template <class T>
  LACONIC_HOST_DEVICE static Lattice with_step(double step, double allowance, std::uint32_t terms, double reach,
                                               std::uint32_t coarser = 0) {
    Lattice l;
    l.step = step;
    l.inverse = 1 / step;
    l.allowance = allowance;
    l.largest = share_of<T>(reach, step, terms, coarser);
    // Step and inverse must be normal float32 numbers.
    if (sizeof(T) <= 4 && step >= 0x1p-126 && step <= 0x1p126) {
      l.inverse_single = static_cast<float>(l.inverse);
      l.largest_single = static_cast<float>(std::min(l.largest, 32000.0));
    }
    return l;
  }

 private:
  // The largest point of one of `terms` contributions whose sum, rounded to a multiple of 2^coarser, is at most
  // `reach`. A finite number must not come back infinite because the lattice point nearest to it, or to a sum, lies
  // beyond the largest number of the type.
  template <class T>
  LACONIC_HOST_DEVICE static double share_of(double reach, double step, std::uint32_t terms, std::uint32_t coarser) {
    const double points = std::min<double>(reach, static_cast<double>(std::numeric_limits<T>::max()) / step);
    const double away = coarser > 0 ? static_cast<double>(std::uint64_t{1} << (coarser - 1)) : 0;
    return std::floor(std::max(points - away, 0.0) / std::max<std::uint32_t>(terms, 1));
  }

  // The largest number with 21 significant bits up to `most`.  For rounding in float32, 64 candidates just below `most`
  // are tried: the first whose inverse is a float32 number up to a relative error of 2^-29 is chosen, or else the one
  // with the smallest error.  That error has the same sign for all numbers of one sign, so it would be visible in a sum
  // of many: 2^-24 of 32000 steps, times 256, is half a step.  The candidates are spaced further and further apart,
  // since the inverses of neighbours may have nearly the same error.
  static double step_below(double most, bool single) {
    if (!(most > 0)) return 0;
    int exponent = 0;
    const double digits = std::floor(std::ldexp(std::frexp(most, &exponent), 21));
    double best = digits;
    double least = 1;
    for (int k = 0; single && k < 64 && least > 0x1p-29; ++k) {
      const double d = digits - 0.5 * k * (k + 1);
      // This product is exact: 24 bits times 21.
      const double missing = std::fabs(static_cast<double>(static_cast<float>(1 / d)) * d - 1);
      if (missing < least) best = d;
      least = std::min(least, missing);
    }
    return std::ldexp(best, exponent - 21);
  }

  template <class T>
  static Lattice make_as(double allowance, std::uint32_t terms, double greatest, std::uint32_t coarser) {
    double half = allowance * (1 - 0x1p-18);
    if (sizeof(T) <= 4) half = std::min(half, allowance * (1 - 0x3p-8));
    if (greatest > 0) {
      const double left = std::max(allowance - half_unit<T>(greatest + allowance), allowance / 2);
      // Where numbers have fewer digits than float32, half a unit of a few thousand steps is more than the rounding of
      // x * inverse to float32: there must be room for both.
      half = std::min(half, left * (sizeof(T) < 4 ? 1 - 0x3p-8 : 1 - 0x1p-18));
    }
    const double step = step_below(2 * half, sizeof(T) <= 4);
    // Below 2^-1000 the inverse or the exactness of q * step would be lost at the limit of the exponent range.
    if (!(step > 0x1p-1000) || !std::isfinite(step) || !(1 / step > 0x1p-1000)) {
      Lattice none;
      none.allowance = allowance;
      return none;
    }
    Lattice l = with_step<T>(step, allowance, terms, std::numeric_limits<std::int32_t>::max(), coarser);
    l.alone = terms <= 1 && sizeof(T) == 8;
    if (terms > 1 || l.alone) l.largest_far = std::min(0x1p51, share_of<T>(0x1p62, step, terms, coarser));
    return l;
  }

  // Half a unit in the last place of a number of the type and this magnitude.
  template <class T>
  static double half_unit(double x) {
    using Limits = std::numeric_limits<T>;
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1.0, std::max(exponent, Limits::min_exponent) - Limits::digits - 1);
  }
};

// Rounds to the nearest integer, ties to even, where |y| <= 2^22; elsewhere the result is arbitrary.  The sum rounds to
// an integer, which is in its last bits.  This takes two additions; conversions are slow on many processors.
LACONIC_HOST_DEVICE inline std::int32_t nearest(float y) {
  constexpr float shift = 0x1.8p23f;
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(y + shift) - std::bit_cast<std::uint32_t>(shift));
}

// Rounds one number; false when it has no lattice point within the allowance.  The result depends on the number alone,
// not on its neighbours, so it does not depend on how the data is split.
LACONIC_HOST_DEVICE inline bool quantise(double x, const Lattice& lattice, std::int32_t& q) {
  const double y = x * lattice.inverse;
  if (!(std::fabs(y) <= lattice.largest)) return false;  // NaN fails too
  const double r = std::nearbyint(y);
  q = static_cast<std::int32_t>(r);
  return std::fabs(x - r * lattice.step) <= lattice.allowance;
}

// The largest number of steps from 0 at which float32 rounding is used; below 0: it is never used.
LACONIC_HOST_DEVICE inline float reach_of_single(const Lattice& lattice) {
  return lattice.largest_single > 0 ? lattice.largest_single : -1;
}

// Rounds in float32; false, with any q, when the number is further away than `reach` steps.
LACONIC_HOST_DEVICE inline bool quantise_single(float x, float inverse, float reach, std::int32_t& q) {
  const float y = x * inverse;
  q = nearest(y);
  return std::fabs(y) <= reach;
}

LACONIC_HOST_DEVICE inline bool quantise(float x, const Lattice& lattice, std::int32_t& q) {
  return quantise_single(x, lattice.inverse_single, reach_of_single(lattice), q) ||
         quantise(static_cast<double>(x), lattice, q);
}

// The point nearest to q on a lattice that is 2^coarser times as coarse; ties go to even points.  Wraps around for
// points that no sum of valid contributions reaches.
LACONIC_HOST_DEVICE constexpr std::int32_t coarse_point(std::int32_t q, std::uint32_t coarser) {
  const auto bits = static_cast<std::uint32_t>(q);
  const std::uint32_t below_half = (1u << (coarser - 1)) - 1;
  return static_cast<std::int32_t>(bits + below_half + (bits >> coarser & 1)) >> coarser;
}

// Points below this are exact float32 numbers.  If the step is one too, step * point, which float32 rounds once, has
// the same bits as the exact float64 product after rounding.
inline constexpr std::int32_t largest_exact_single = 1 << 24;
LACONIC_HOST_DEVICE inline bool single_step(double step) {
  return step >= 0x1p-126 && step <= 0x1p126 && static_cast<double>(static_cast<float>(step)) == step;
}

template <class T>
LACONIC_HOST_DEVICE inline T dequantise(std::int32_t q, double step, double divisor) {
  const double x = static_cast<double>(q) * step;  // exact
  return static_cast<T>(divisor == 1 ? x : x / divisor);
}

}  // namespace laconic::quant
