// SPDX-License-Identifier: BSD-3-Clause
// The share of a lane in a block: 32 neighbouring numbers, which are two sub-blocks, half a group.  A warp holds a
// block.  Arrays are indexed by constants only, so that kernels keep them in registers.
#pragma once

#include <bit>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/quant/format.hpp"

namespace laconic::quant::cuda {

inline constexpr unsigned warp_lanes = 32;
inline constexpr unsigned lane_values = 32;
inline constexpr unsigned lane_subs = lane_values / sub_values;
static_assert(lane_values * warp_lanes == block_values && lane_subs == 2 && group_subs == 2 * lane_subs);

// The function of three bits with this table: bit 4 a + 2 b + c of it is the result.  A GPU has one instruction for any
// of them; nvcc leaves it to ptxas to find them, and they are written here so that instructions of PTX, which tests
// count, are nearer to those of the machine.
template <unsigned table>
LACONIC_HOST_DEVICE inline std::uint32_t logic(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
#if defined(__CUDA_ARCH__)
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(table));
#else
  for (unsigned row = 0; row < 8; ++row)
    if ((table >> row & 1) != 0)
      result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
#endif
  return result;
}
inline constexpr unsigned xor_and = 0x28;  // (a ^ b) & c
inline constexpr unsigned and_xor = 0x6a;  // (a & b) ^ c

// Selects bytes of a and b, numbered 0..3 and 4..7; nibble i of the selector is the number of the byte that becomes
// byte i.
LACONIC_HOST_DEVICE inline std::uint32_t pick_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(a, b, selector);
#else
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t picked = 0;
  for (unsigned i = 0; i < 4; ++i)
    picked |= static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return picked;
#endif
}

// Byte i of the word as a signed number, with all bits of a number of 32.
LACONIC_HOST_DEVICE inline std::uint32_t signed_byte(std::uint32_t word, unsigned i) {
#if defined(__CUDA_ARCH__)
  // PTX's prmt repeats the sign of a byte whose number has bit 3 set; __byte_perm() clears this bit.
  std::uint32_t extended;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(extended) : "r"(word), "r"(i * 0x1111u | 0x8880u));
  return extended;
#else
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(word << (24 - 8 * i)) >> 24);
#endif
}

// Four signed numbers as the bytes of a word; larger ones become the signed byte nearest to them.
LACONIC_HOST_DEVICE inline std::uint32_t pack_signed_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                           std::uint32_t d) {
#if defined(__CUDA_ARCH__)
  std::uint32_t high;
  std::uint32_t all;
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(d), "r"(c));
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b), "r"(a), "r"(high));
  return all;
#else
  std::uint32_t all = 0;
  for (const std::uint32_t x : {d, c, b, a}) {
    const auto number = static_cast<std::int32_t>(x);
    all = all << 8 | (static_cast<std::uint32_t>(number < -128 ? -128 : number > 127 ? 127 : number) & 0xffu);
  }
  return all;
#endif
}

// 0xff for every byte of the word that is negative, else 0.
LACONIC_HOST_DEVICE inline std::uint32_t signs_of_bytes(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t signs;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(signs) : "r"(word));
  return signs;
#else
  return (word >> 7 & 0x01010101u) * 0xffu;
#endif
}

// The zigzag of four signed bytes.
LACONIC_HOST_DEVICE inline std::uint32_t zigzag_of_bytes(std::uint32_t word) {
  return logic<and_xor>(word << 1, 0xfefefefeu, signs_of_bytes(word));
}

// Exchanges the bits of `mask` and those `distance` above them.  The product sets both places at once, on another unit
// of a GPU than shifts.
template <unsigned distance>
LACONIC_HOST_DEVICE inline void exchange_bits(std::uint32_t& x, std::uint32_t mask) {
  x ^= logic<xor_and>(x, x >> distance, mask) * (1u + (1u << distance));
}

// `sum` and the four bytes of the word, as signed numbers.
LACONIC_HOST_DEVICE inline std::uint32_t add_signed_bytes(std::uint32_t word, std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__dp4a(static_cast<int>(word), 0x01010101, static_cast<int>(sum)));
#else
  for (unsigned i = 0; i < 4; ++i) sum += signed_byte(word, i);
  return sum;
#endif
}

// Transposes eight bytes, `low` before `high`: bit j of byte i becomes bit i of byte j.
LACONIC_HOST_DEVICE inline void transpose_8x8(std::uint32_t& low, std::uint32_t& high) {
  exchange_bits<7>(low, 0x00aa00aau);
  exchange_bits<7>(high, 0x00aa00aau);
  exchange_bits<14>(low, 0x0000ccccu);
  exchange_bits<14>(high, 0x0000ccccu);
  const std::uint32_t t = logic<xor_and>(low, high << 4, 0xf0f0f0f0u);
  low ^= t;
  high ^= t >> 4;
}

// The eight planes of one byte of a sub-block, 16 bits each, lowest first.
struct BytePlanes {
  std::uint32_t words[4];
};

// The planes of a sub-block's bytes, which are four in a word.
LACONIC_HOST_DEVICE inline BytePlanes planes_of_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                                      std::uint32_t d) {
  transpose_8x8(a, b);
  transpose_8x8(c, d);
  return {{pick_bytes(a, c, 0x5140), pick_bytes(a, c, 0x7362), pick_bytes(b, d, 0x5140), pick_bytes(b, d, 0x7362)}};
}

// The planes of bits 8 byte .. 8 byte + 7 of sub-block `sub` of the lane.
template <unsigned sub>
LACONIC_HOST_DEVICE inline BytePlanes gather_planes(const std::uint32_t (&z)[lane_values], unsigned byte) {
  const std::uint32_t pair = byte | (byte + 4) << 4;
  std::uint32_t bytes[4];
  LACONIC_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t* v = z + sub * sub_values + 4 * i;
    bytes[i] = pick_bytes(pick_bytes(v[0], v[1], pair), pick_bytes(v[2], v[3], pair), 0x5410);
  }
  return planes_of_bytes(bytes[0], bytes[1], bytes[2], bytes[3]);
}

// A byte of each number of a sub-block, four in a word.
struct SubBytes {
  std::uint32_t words[4];
};

// The inverse of gather_planes, for the planes of one byte.  `kept` has the bits of each byte that are not dropped.
LACONIC_HOST_DEVICE inline SubBytes bytes_of_planes(const BytePlanes& planes, std::uint32_t kept) {
  const std::uint32_t* w = planes.words;
  SubBytes bytes = {{pick_bytes(w[0], w[1], 0x6420), pick_bytes(w[2], w[3], 0x6420), pick_bytes(w[0], w[1], 0x7531),
                     pick_bytes(w[2], w[3], 0x7531)}};
  transpose_8x8(bytes.words[0], bytes.words[1]);
  transpose_8x8(bytes.words[2], bytes.words[3]);
  LACONIC_UNROLL
  for (unsigned i = 0; i < 4; ++i) bytes.words[i] &= kept;
  return bytes;
}

// Adds these bits to z, where they are 0.
template <unsigned sub>
LACONIC_HOST_DEVICE inline void put_bytes(const SubBytes& bytes, unsigned byte, std::uint32_t (&z)[lane_values]) {
  // Byte 4 is in the second operand, which is 0.
  const std::uint32_t place = 0x4444u ^ 0x4u << 4 * byte;
  LACONIC_UNROLL
  for (unsigned i = 0; i < sub_values; ++i)
    z[sub * sub_values + i] |= pick_bytes(bytes.words[i / 4], 0, place | i % 4 << 4 * byte);
}

// Sets the residuals of a sub-block that have 8 bits and less, whose zigzag is undone for four at a time, and adds them
// to `sum`.
template <unsigned sub>
LACONIC_HOST_DEVICE inline void set_residuals(const SubBytes& bytes, std::uint32_t (&v)[lane_values],
                                              std::uint32_t& sum) {
  LACONIC_UNROLL
  for (unsigned k = 0; k < sub_values / 4; ++k) {
    const std::uint32_t z = bytes.words[k];
    const std::uint32_t residuals = logic<and_xor>(z >> 1, 0x7f7f7f7fu, (z & 0x01010101u) * 0xffu);
    LACONIC_UNROLL
    for (unsigned i = 0; i < 4; ++i) v[sub * sub_values + 4 * k + i] = signed_byte(residuals, i);
    sum = add_signed_bytes(residuals, sum);
  }
}

// Converts points to residuals of this order.  `last` and `before_last` are the points before those of the lane; at the
// beginning of the block both are its first point.
LACONIC_HOST_DEVICE inline void subtract_neighbours(std::uint32_t (&v)[lane_values], int order, std::uint32_t last,
                                                    std::uint32_t before_last) {
  if (order == 0) return;
  const std::uint32_t difference = last - before_last;  // the residual of order 1 before the first one
  LACONIC_UNROLL
  for (unsigned i = lane_values - 1; i > 0; --i) v[i] -= v[i - 1];
  v[0] -= last;
  if (order == 1) return;
  LACONIC_UNROLL
  for (unsigned i = lane_values - 1; i > 0; --i) v[i] -= v[i - 1];
  v[0] -= difference;
}

// v[i] = start + v[0] + ... + v[i].
LACONIC_HOST_DEVICE inline void add_up(std::uint32_t (&v)[lane_values], std::uint32_t start) {
  v[0] += start;
  LACONIC_UNROLL
  for (unsigned i = 1; i < lane_values; ++i) v[i] += v[i - 1];
}

LACONIC_HOST_DEVICE inline std::uint32_t total(const std::uint32_t (&v)[lane_values]) {
  std::uint32_t sum = 0;
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) sum += v[i];
  return sum;
}

// Converts residuals to the form that is written, and back; those from `present` on are missing and count as 0.
LACONIC_HOST_DEVICE inline void zigzag_all(std::uint32_t (&v)[lane_values], unsigned present) {
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) v[i] = zigzag(v[i]);
  if (present >= lane_values) return;
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i)
    if (i >= present) v[i] = 0;
}
LACONIC_HOST_DEVICE inline void unzigzag_all(std::uint32_t (&v)[lane_values]) {
  LACONIC_UNROLL
  for (unsigned i = 0; i < lane_values; ++i) v[i] = unzigzag(v[i]);
}

// The bits that are set in any number of a sub-block.
template <unsigned sub>
LACONIC_HOST_DEVICE inline std::uint32_t bits_of(const std::uint32_t (&z)[lane_values]) {
  std::uint32_t bits = 0;
  LACONIC_UNROLL
  for (unsigned i = 0; i < sub_values; ++i) bits |= z[sub * sub_values + i];
  return bits;
}

}  // namespace laconic::quant::cuda
