// SPDX-License-Identifier: BSD-3-Clause
// The CUDA primitives that the kernels use.  Other compilers get the same for a warp whose lanes are threads
// (check.cpp), so that the code whose instructions are counted is also checked.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

#define LANE __device__ __forceinline__

LANE std::uint32_t shuffle(std::uint32_t x, unsigned from) { return __shfl_sync(~0u, x, static_cast<int>(from)); }
LANE std::uint32_t shuffle_up(std::uint32_t x, unsigned by) { return __shfl_up_sync(~0u, x, by); }
LANE std::uint32_t shuffle_xor(std::uint32_t x, unsigned by) { return __shfl_xor_sync(~0u, x, static_cast<int>(by)); }
LANE std::uint32_t vote(bool yes) { return __ballot_sync(~0u, yes); }
LANE bool some_lane(bool yes) { return __any_sync(~0u, yes) != 0; }
LANE bool every_lane(bool yes) { return __all_sync(~0u, yes) != 0; }
LANE std::uint32_t or_of_lanes(std::uint32_t x) { return __reduce_or_sync(~0u, x); }
LANE void sync() { __syncwarp(); }
LANE std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  return __byte_perm(a, b, selector);
}
LANE unsigned bits_needed(std::uint32_t x) { return 32u - static_cast<unsigned>(__clz(static_cast<int>(x))); }
LANE unsigned ones(std::uint32_t x) { return static_cast<unsigned>(__popc(x)); }
LANE std::uint32_t as_bits(float x) { return __float_as_uint(x); }
LANE float as_float(std::uint32_t x) { return __uint_as_float(x); }
LANE float times(float a, float b) { return __fmul_rn(a, b); }
LANE float plus(float a, float b) { return __fadd_rn(a, b); }
LANE float times_plus(float a, float b, float c) { return __fmaf_rn(a, b, c); }
// The greater magnitude, or NaN if an operand is NaN.
LANE float greatest(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(fabsf(b)));
  return r;
}

// Bits of a where mask is set, of b elsewhere.  One instruction; the compiler makes two of the expression.
LANE std::uint32_t blend(std::uint32_t a, std::uint32_t b, std::uint32_t mask) {
  std::uint32_t r;
  asm("lop3.b32 %0, %1, %2, %3, 0xb8;" : "=r"(r) : "r"(b), "r"(mask), "r"(a));
  return r;
}

#else

#include <barrier>
#include <bit>
#include <cmath>

#define LANE inline

struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) uint4 {
  std::uint32_t x, y, z, w;
};

// The warp that is being executed.
struct Warp {
  std::barrier<> barrier{32};
  std::uint32_t slot[32];
};
inline Warp warp;
inline thread_local unsigned own_lane = 0;

inline void sync() { warp.barrier.arrive_and_wait(); }
template <class F>
std::uint32_t exchange(std::uint32_t x, F read) {
  warp.slot[own_lane] = x;
  sync();
  const std::uint32_t got = read(warp.slot);
  sync();
  return got;
}
inline std::uint32_t shuffle(std::uint32_t x, unsigned from) {
  return exchange(x, [=](const std::uint32_t* slot) { return slot[from % 32]; });
}
inline std::uint32_t shuffle_up(std::uint32_t x, unsigned by) {
  return shuffle(x, own_lane >= by ? own_lane - by : own_lane);
}
inline std::uint32_t shuffle_xor(std::uint32_t x, unsigned by) { return shuffle(x, own_lane ^ by); }
inline std::uint32_t vote(bool yes) {
  return exchange(yes, [](const std::uint32_t* slot) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 32; ++i) mask |= slot[i] << i;
    return mask;
  });
}
inline bool some_lane(bool yes) { return vote(yes) != 0; }
inline bool every_lane(bool yes) { return vote(yes) == ~0u; }
inline std::uint32_t or_of_lanes(std::uint32_t x) {
  return exchange(x, [](const std::uint32_t* slot) {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 32; ++i) mask |= slot[i];
    return mask;
  });
}
inline std::uint32_t permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = a | static_cast<std::uint64_t>(b) << 32;
  std::uint32_t r = 0;
  for (unsigned i = 0; i < 4; ++i)
    r |= ((selector >> 4 * i & 8) == 0 ? static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * i & 7) & 0xff)
          : (both >> 8 * (selector >> 4 * i & 7) & 0x80) != 0 ? 0xffu
                                                              : 0u)
         << 8 * i;
  return r;
}
inline unsigned bits_needed(std::uint32_t x) { return static_cast<unsigned>(std::bit_width(x)); }
inline unsigned ones(std::uint32_t x) { return static_cast<unsigned>(std::popcount(x)); }
inline std::uint32_t as_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float as_float(std::uint32_t x) { return std::bit_cast<float>(x); }
inline float times(float a, float b) { return a * b; }
inline float plus(float a, float b) { return a + b; }
inline float times_plus(float a, float b, float c) { return std::fma(a, b, c); }
inline float greatest(float a, float b) { return a != a || std::fabs(b) <= a ? a : std::fabs(b); }
inline std::uint32_t blend(std::uint32_t a, std::uint32_t b, std::uint32_t mask) { return (a & mask) | (b & ~mask); }

#endif

// Puts a point q with |q| < 2^22 into the low bits of a float32: adding 1.5 * 2^23 rounds to nearest even like a
// conversion, but does not use the conversion pipe.  Differences of such points need no correction.
constexpr std::uint32_t bias = 0x4b400000;
constexpr float magic = 12582912.0f;

LANE std::uint32_t point(float x, float inverse, float& most) {
  const float y = times(x, inverse);
  most = greatest(most, y);
  return as_bits(plus(y, magic));
}
constexpr float largest_single = 32000;  // above it, or with NaN, a block takes the float64 path, which is not counted

// step has 21 significant bits, so magic * step is exact and only q * step is rounded.
LANE float number(std::uint32_t q, float step) { return times_plus(as_float(q + bias), step, -(magic * step)); }

LANE std::uint32_t zigzag(std::uint32_t r) {
  return (r << 1) ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(r) >> 31);
}
LANE std::uint32_t unzigzag(std::uint32_t z) { return (z >> 1) ^ (0u - (z & 1)); }

LANE unsigned code_of(unsigned bits) {
  return (bits < 10 ? bits : 10u) + (bits > 10) + (bits > 12) + (bits > 14) + (bits > 16) + (bits > 20);
}
LANE unsigned width_of(unsigned code) {
  return code <= 10 ? code : static_cast<unsigned>(0x2014100e0cull >> 8 * (code - 11)) & 0xffu;
}

// The sum over this lane and the lanes before it.
LANE std::uint32_t inclusive_scan(std::uint32_t x, unsigned lane) {
#pragma unroll
  for (unsigned by = 1; by < 32; by *= 2) {
    const std::uint32_t left = shuffle_up(x, by);
    if (lane >= by) x += left;
  }
  return x;
}

constexpr std::uint16_t off_path = 7;  // index entry of a block that takes the float64 path

// The arguments of every kernel.  place[b] is the offset of block b in `out` or `in`.  With the index in front, it
// comes from a scan of the index when decoding, and from a look-back over the sizes of earlier tiles when encoding.
struct Work {
  const float* numbers;
  float* result;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint16_t* index;
  const std::uint16_t* index_in;
  const std::uint64_t* place;
  const std::uint64_t* place_in;
  float inverse;
  float step;
};

LANE std::uint32_t load16(const std::uint8_t* at) { return *reinterpret_cast<const std::uint16_t*>(at); }
LANE void store16(std::uint8_t* at, std::uint32_t x) {
  *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(x);
}
