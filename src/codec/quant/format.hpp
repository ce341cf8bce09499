// The integer lattice and the layout of one block, as docs/wire-format.md specifies them.  Everything that decides
// a byte or a bit of a result is here, once; kernels for other instruction sets only go faster.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/dtype.hpp"

namespace laconic::quant {

inline constexpr std::size_t block_values = 1024;  // numbers that share a kind; a frame's last block may have fewer
inline constexpr std::size_t sub_values = 16;      // numbers that share a width: one bit plane is one 16-bit word
inline constexpr std::size_t group_subs = 4;       // sub-blocks whose widths share a word, absent when all are 0
inline constexpr std::size_t block_subs = block_values / sub_values;
inline constexpr std::size_t block_groups = block_subs / group_subs;

enum class Kind : std::uint8_t {
  zero = 0,    // every lattice point is 0
  order0 = 1,  // lattice points
  order1 = 2,  // the first lattice point, and differences
  raw = 3,     // numbers uncompressed
  fill = 4,    // one uncompressed number, repeated
};

constexpr bool on_lattice(Kind kind) { return kind <= Kind::order1; }

// Widths a sub-block may have, by their 4-bit code.  Every width up to 10 is exact; above, what is lost by rounding
// up is a small share of what is sent.
inline constexpr std::uint8_t width_of_code[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 32};

// The smallest code that holds `bits` bits, 0..32.
inline constexpr std::uint8_t code_of_bits[33] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 11, 12, 12, 13, 13,
                                                  14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};

constexpr std::uint32_t zigzag(std::uint32_t r) {
  return (r << 1) ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(r) >> 31);
}
constexpr std::uint32_t unzigzag(std::uint32_t z) { return (z >> 1) ^ (0u - (z & 1u)); }
constexpr std::uint8_t code_of(std::uint32_t or_of_zigzags) {
  return code_of_bits[static_cast<std::size_t>(std::bit_width(or_of_zigzags))];
}

// Differences are used when they make the sampled sub-blocks smaller.
inline constexpr std::size_t sample_stride = 16;

// Kind, base, bitmap, codes and planes of a block whose widths are all 32.
inline constexpr std::size_t largest_packed_block = 1 + 4 + 2 + 2 * block_groups + 2 * 32 * block_subs;

// Kernels store whole vectors: room that capacity() keeps behind the last block.
inline constexpr std::size_t store_slack = 64;

// Where numbers are rounded to.  A lattice point q stands for the number q * step.
struct Lattice {
  double step = 0;     // 0: no lattice, every block is raw
  double inverse = 0;  // 1 / step
  double allowance = 0;
  double largest = 0;  // |q| of one contribution, so that a sum of all contributions fits 31 bits and the number type

  // For float32, rounding in float32: with |q| <= largest_single the error of x * inverse_single is below
  // 2^15 * 2^-23 = 2^-8 steps, which the step leaves room for.  0: never.
  float inverse_single = 0;
  float largest_single = 0;

  // step is just below twice the allowance and has 21 significant bits, so q * step is exact in double for every
  // 32-bit q.  Rounding x * inverse to the nearest integer then errs by at most step (1/2 + room) < allowance
  // (docs/error-model.md).
  static Lattice make(double allowance, std::uint32_t terms, Dtype dtype) {
    Lattice l;
    l.allowance = allowance;
    const double room = dtype == Dtype::f32 ? 0x1p-7 : 0x1p-18;
    int exponent = 0;
    const double mantissa = std::frexp(2 * allowance * (1 - room), &exponent);
    const double step = std::ldexp(std::floor(std::ldexp(mantissa, 21)), exponent - 21);
    // Below 2^-1000 the inverse or the exactness of q * step would be lost to the edge of the exponent range.
    if (!(step > 0x1p-1000) || !std::isfinite(step) || !(1 / step > 0x1p-1000)) return l;
    l.step = step;
    l.inverse = 1 / step;
    // A finite number must not come back infinite because the lattice point nearest to it, or to a sum, lies beyond the
    // largest number of the type.
    const double most = dispatch(dtype, [](auto zero) -> double { return std::numeric_limits<decltype(zero)>::max(); });
    const double points = std::min<double>(std::numeric_limits<std::int32_t>::max(), most / step);
    l.largest = std::floor(points / std::max<std::uint32_t>(terms, 1));
    // Step and inverse must be normal float32 numbers.
    if (dtype == Dtype::f32 && step >= 0x1p-126 && step <= 0x1p126) {
      l.inverse_single = static_cast<float>(l.inverse);
      l.largest_single = static_cast<float>(std::min(l.largest, 32000.0));
    }
    return l;
  }
};

// Rounds one number; false when it has no lattice point within the allowance.  A function of the number alone, not of
// its neighbours: results do not depend on how the data is cut.
inline bool quantise(double x, const Lattice& lattice, std::int32_t& q) {
  const double y = x * lattice.inverse;
  if (!(std::fabs(y) <= lattice.largest)) return false;  // NaN fails too
  const double r = std::nearbyint(y);
  q = static_cast<std::int32_t>(r);
  return std::fabs(x - r * lattice.step) <= lattice.allowance;
}

inline bool quantise(float x, const Lattice& lattice, std::int32_t& q) {
  const float y = x * lattice.inverse_single;
  if (!(lattice.largest_single > 0 && std::fabs(y) <= lattice.largest_single))
    return quantise(static_cast<double>(x), lattice, q);
  q = static_cast<std::int32_t>(std::nearbyint(y));
  return true;
}

// Below this a point is a float32 number.  With a step that is one too, step * point, which float32 rounds once, has
// the bits that rounding the exact product of float64 gives.
inline constexpr std::int32_t largest_exact_single = 1 << 24;
inline bool single_step(double step) {
  return step >= 0x1p-126 && step <= 0x1p126 && static_cast<double>(static_cast<float>(step)) == step;
}

template <class T>
inline T dequantise(std::int32_t q, double step, double divisor) {
  const double x = static_cast<double>(q) * step;  // exact
  return static_cast<T>(divisor == 1 ? x : x / divisor);
}

}  // namespace laconic::quant
