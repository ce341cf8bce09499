// SPDX-License-Identifier: BSD-3-Clause
// Kernels for any processor: operations on eight bytes at a time in a 64-bit register, and loops that compilers
// vectorise for any target.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/target.hpp"
#include "codec/quant/block_range.hpp"
#include "codec/quant/far.hpp"
#include "codec/quant/kernels.hpp"
#include "codec/quant/layout.hpp"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::quant {
namespace {

// Adding and then subtracting this constant rounds a number of at most half its size to the nearest integer, ties to
// even.  It replaces nearbyint, for which many targets have no vector instruction.
constexpr float round_single = 0x1.8p23F;
constexpr double round_double = 0x1.8p52;

// Rounds all of a block in float32; false when some number needs float64.
bool quantise_single_all(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (lattice.largest_single == 0) return false;
  int bad = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float y = x[i] * lattice.inverse_single;
    bad |= !(std::fabs(y) <= lattice.largest_single);
    points.q[i] = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(y + round_single) -
                                            std::bit_cast<std::uint32_t>(round_single));
  }
  return bad == 0;
}

bool quantise_f32(const float* x, std::size_t n, const Lattice& lattice, Points& points) {
  if (quantise_single_all(x, n, lattice, points)) return true;
  for (std::size_t i = 0; i < n; ++i)
    if (!quantise(x[i], lattice, points.q[i])) return false;
  return true;
}

bool quantise_f64(const double* x, std::size_t n, const Lattice& lattice, Points& points) {
  int bad = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = x[i] * lattice.inverse;
    const double sum = y + round_double;
    const double off = std::fabs(x[i] - (sum - round_double) * lattice.step);
    bad |= !(std::fabs(y) <= lattice.largest) | !(off <= lattice.allowance);
    // The low half of the sum's bits is the integer, modulo 2^32.
    points.q[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(sum)));
  }
  return bad == 0;
}

template <class T>
void dequantise_all(const Points& points, std::size_t n, double step, double divisor, T* x) {
  if (divisor == 1) {
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(points.q[i] * step);
  } else {
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(points.q[i] * step / divisor);
  }
}

// Zigzagged residuals of the first n points; n is a multiple of sub_values.
template <int order>
void residuals(const std::int32_t* q, std::size_t n, std::uint32_t* z) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<std::uint32_t>(q[i]);
    const auto v1 = static_cast<std::uint32_t>(q[static_cast<std::ptrdiff_t>(i) - 1]);
    const auto v2 = static_cast<std::uint32_t>(q[static_cast<std::ptrdiff_t>(i) - 2]);
    z[i] = zigzag(order == 0 ? v : order == 1 ? v - v1 : v - 2 * v1 + v2);
  }
}

std::uint32_t bits_of(const std::uint32_t* z) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sub_values; ++i) bits |= z[i];
  return bits;
}

template <int order>
unsigned sampled_width(const Points& points, std::size_t subs) {
  unsigned width = 0;
  for (const std::size_t s : sampled_subs) {
    if (s >= subs) break;
    std::uint32_t z[sub_values];
    residuals<order>(points.q + s * sub_values, sub_values, z);
    width += static_cast<unsigned>(std::bit_width(bits_of(z)));
  }
  return width;
}

// Transposes 8x8 bits: byte i bit k becomes byte k bit i.  (Warren, Hacker's Delight, 7-3.)
std::uint64_t transpose_bits(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaULL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000ccccULL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ULL;
  return x ^ t ^ (t << 28);
}

// Gathers one byte of each of eight residuals, with the first in the lowest byte.
std::uint64_t gather_bytes(const std::uint32_t* z, unsigned byte) {
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < 8; ++i) bytes |= static_cast<std::uint64_t>(z[i] >> (8 * byte) & 255) << (8 * i);
  return bytes;
}

std::byte* put_planes(const std::uint32_t* z, unsigned byte, Planes part, std::byte* at) {
  const std::uint64_t low = transpose_bits(gather_bytes(z, byte));
  const std::uint64_t high = transpose_bits(gather_bytes(z + 8, byte));
  for (unsigned k = 0; k < part.count; ++k) {
    const unsigned shift = 8 * (part.first % 8 + k);
    at[2 * k] = static_cast<std::byte>(low >> shift);
    at[2 * k + 1] = static_cast<std::byte>(high >> shift);
  }
  return at + 2 * part.count;
}

template <int order>
Entry pack_order(const Points& points, std::size_t subs, std::byte* out) {
  std::uint32_t z[block_values];
  residuals<order>(points.q, subs * sub_values, z);
  std::uint32_t bits[block_subs] = {};
  for (std::size_t s = 0; s < subs; ++s) bits[s] = bits_of(z + s * sub_values);
  const Head head = write_head(order, points.q[0], bits, out);
  std::byte* at = out + head.bytes;
  for (std::size_t g = 0; g < block_groups; ++g)
    for (unsigned byte = 0; byte < 4; ++byte)
      for (std::size_t s = g * group_subs; s < (g + 1) * group_subs; ++s) {
        const Planes part = part_of(head.planes[s], byte);
        if (part.count != 0) at = put_planes(z + s * sub_values, byte, part, at);
      }
  return make_entry(head.kind, static_cast<std::size_t>(at - out));
}

void add_planes(const std::byte* at, unsigned byte, Planes part, std::uint32_t* z) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (unsigned k = 0; k < part.count; ++k) {
    const unsigned shift = 8 * (part.first % 8 + k);
    low |= static_cast<std::uint64_t>(at[2 * k]) << shift;
    high |= static_cast<std::uint64_t>(at[2 * k + 1]) << shift;
  }
  low = transpose_bits(low);
  high = transpose_bits(high);
  for (unsigned i = 0; i < 8; ++i) {
    z[i] |= static_cast<std::uint32_t>(low >> (8 * i) & 255) << (8 * byte);
    z[i + 8] |= static_cast<std::uint32_t>(high >> (8 * i) & 255) << (8 * byte);
  }
}

template <int order>
void unpack_planes(const Head& head, const std::byte* at, const std::byte* /*end*/, std::size_t subs, Points& points) {
  std::uint32_t z[block_values] = {};
  for (std::size_t g = 0; g < block_groups; ++g)
    for (unsigned byte = 0; byte < 4; ++byte)
      for (std::size_t s = g * group_subs; s < (g + 1) * group_subs; ++s) {
        const Planes part = part_of(head.planes[s], byte);
        if (part.count == 0) continue;
        add_planes(at, byte, part, z + s * sub_values);
        at += 2 * part.count;
      }
  auto last = static_cast<std::uint32_t>(head.base);
  std::uint32_t difference = 0;
  for (std::size_t i = 0; i < subs * sub_values; ++i) {
    std::uint32_t r = unzigzag(z[i]);
    if constexpr (order == 2) r = difference += r;
    if constexpr (order != 0) r = last += r;
    points.q[i] = static_cast<std::int32_t>(r);
  }
}

bool read_block(const Packed& in, std::size_t n, Head& head) { return read_head(in.entry, in.body, n, head); }

#include "codec/quant/combine.inl"
#include "codec/quant/far.inl"
#include "codec/quant/masks.inl"
#include "codec/quant/pack.inl"
#include "codec/quant/unpack.inl"

template <class T>
constexpr auto find_range = block_range<T>;
#include "codec/quant/scales.inl"

}  // namespace

const Kernels& generic_kernels() {
  static const Kernels table{
      "generic", quantise_f32,   quantise_f64, dequantise_all<float>, dequantise_all<double>, pack,
      unpack,    combine_points, far_kernels,  mask_kernels,          scale_kernels,          {}};
  return table;
}

}  // namespace laconic::quant
