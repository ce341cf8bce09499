// SPDX-License-Identifier: BSD-3-Clause
// CUDA's single-thread functions: bits, integers, and arithmetic with explicit rounding.  The host compiler rounds to
// nearest and contracts nothing (-ffp-contract=off), as nvcc does with -fmad=false.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline int __ffsll(long long x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1; }

inline unsigned __brev(unsigned x) {
  x = x >> 16 | x << 16;
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  return (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

// Byte i of the result is the byte that the lower three bits of nibble i of the selector name.  (PTX's prmt looks at
// the fourth one, too; nvcc clears it.)
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t both = x | static_cast<std::uint64_t>(y) << 32;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= (static_cast<unsigned>(both >> 8 * (selector >> 4 * i & 7)) & 0xff) << 8 * i;
  return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

inline unsigned __umulhi(unsigned x, unsigned y) { return static_cast<unsigned>(std::uint64_t{x} * y >> 32); }
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<std::int64_t>(x) * y >> 32); }
__extension__ inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}

inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

namespace laconic::emulator {

// PTX's cvt to a signed integer: the nearest integer in range.  NaN becomes `nan`.
template <class Integer, class Real>
Integer nearest(Real rounded, Integer nan) {
  constexpr Real end = static_cast<Real>(std::uint64_t{1} << (8 * sizeof(Integer) - 1));
  if (rounded != rounded) return nan;
  if (rounded >= end) return std::numeric_limits<Integer>::max();
  if (rounded < -end) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(rounded);
}

}  // namespace laconic::emulator

inline int __float2int_rn(float x) { return laconic::emulator::nearest<int>(std::nearbyint(x), 0); }
inline int __float2int_rz(float x) { return laconic::emulator::nearest<int>(std::trunc(x), 0); }
inline int __float2int_rd(float x) { return laconic::emulator::nearest<int>(std::floor(x), 0); }
inline int __float2int_ru(float x) { return laconic::emulator::nearest<int>(std::ceil(x), 0); }
inline int __double2int_rn(double x) {
  return laconic::emulator::nearest<int>(std::nearbyint(x), std::numeric_limits<int>::min());
}
inline int __double2int_rz(double x) {
  return laconic::emulator::nearest<int>(std::trunc(x), std::numeric_limits<int>::min());
}
inline long long __float2ll_rn(float x) {
  return laconic::emulator::nearest<long long>(std::nearbyint(x), std::numeric_limits<long long>::min());
}
inline long long __double2ll_rn(double x) {
  return laconic::emulator::nearest<long long>(std::nearbyint(x), std::numeric_limits<long long>::min());
}
inline long long __double2ll_rz(double x) {
  return laconic::emulator::nearest<long long>(std::trunc(x), std::numeric_limits<long long>::min());
}
