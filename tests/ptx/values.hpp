// SPDX-License-Identifier: BSD-3-Clause
// What the instructions of PTX do with numbers, from NVIDIA's "PTX ISA".  Every function object takes and returns the
// types that the instruction names; it cannot be called with types that the instruction does not have.
//
// A result that is not a number is the one number that single-precision instructions return, or, in double precision,
// an operand that is none, made quiet.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace laconic::ptx {

template <class T>
concept Whole = std::integral<T>;
template <class T>
concept Real = std::floating_point<T>;

// The bits of a value as a register holds them, and back.
template <class T>
std::uint64_t bits(T x) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(x);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(x);
  else
    return static_cast<std::make_unsigned_t<T>>(x);
}
template <class T>
T as(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

inline float quiet(float result, float, float) { return result != result ? std::bit_cast<float>(0x7fffffffu) : result; }
inline double quiet(double result, double a, double b) {
  constexpr std::uint64_t is_quiet = std::uint64_t{1} << 51;
  if (a != a) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) | is_quiet);
  if (b != b) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(b) | is_quiet);
  return result != result ? std::bit_cast<double>(0xfff8000000000000u) : result;
}

template <Whole T>
T wrapped(std::uint64_t x) {
  return static_cast<T>(x);
}
template <Whole T>
std::uint64_t wide(T x) {
  return static_cast<std::uint64_t>(x);  // signed ones are extended by their sign
}
template <class T>
bool negative(T x) {
  if constexpr (Real<T>)
    return std::signbit(x);
  else
    return x < T{0};
}

struct Add {
  template <Whole T>
  T operator()(T a, T b) const {
    return wrapped<T>(wide(a) + wide(b));
  }
  template <Real T>
  T operator()(T a, T b) const {
    return quiet(a + b, a, b);
  }
};
struct Subtract {
  template <Whole T>
  T operator()(T a, T b) const {
    return wrapped<T>(wide(a) - wide(b));
  }
  template <Real T>
  T operator()(T a, T b) const {
    return quiet(a - b, a, b);
  }
};
struct Multiply {  // mul.lo of integers
  template <Whole T>
  T operator()(T a, T b) const {
    return wrapped<T>(wide(a) * wide(b));
  }
  template <Real T>
  T operator()(T a, T b) const {
    return quiet(a * b, a, b);
  }
};
struct MultiplyWide {
  template <Whole T>
  std::uint64_t operator()(T a, T b) const requires(sizeof(T) < 8) {
    return wide(a) * wide(b);
  }
};
struct MultiplyHigh {
  template <Whole T>
  T operator()(T a, T b) const requires(sizeof(T) >= 4) {
    __extension__ using Product = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((Product{a} * Product{b}) >> (8 * sizeof(T)));
  }
};
struct MultiplyAdd {  // mad.lo
  template <Whole T>
  T operator()(T a, T b, T c) const {
    return wrapped<T>(wide(a) * wide(b) + wide(c));
  }
};
struct Fused {
  template <Real T>
  T operator()(T a, T b, T c) const {
    const T result = std::fma(a, b, c);
    return a != a || b != b ? quiet(result, a, b) : quiet(result, c, c);
  }
};
struct Divide {  // Of integers by zero: unspecified, all bits set as on devices.
  template <Whole T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
      if (b == T{-1}) return wrapped<T>(0 - wide(a));
    return static_cast<T>(a / b);
  }
  template <Real T>
  T operator()(T a, T b) const {
    return quiet(a / b, a, b);
  }
};
struct Remainder {
  template <Whole T>
  T operator()(T a, T b) const {
    return wrapped<T>(wide(a) - wide(b) * wide(Divide{}(a, b)));
  }
};
struct Reciprocal {
  template <Real T>
  T operator()(T a) const {
    return quiet(T{1} / a, a, a);
  }
};
struct Root {
  template <Real T>
  T operator()(T a) const {
    return quiet(std::sqrt(a), a, a);
  }
};
struct And {
  template <Whole T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <Whole T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <Whole T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <Whole T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct Negate {
  template <Whole T>
  T operator()(T a) const {
    return wrapped<T>(0 - wide(a));
  }
  template <Real T>
  T operator()(T a) const {
    return -a;
  }  // no more than the sign, of any bits
};
struct Absolute {
  template <Whole T>
  T operator()(T a) const {
    return negative(a) ? Negate{}(a) : a;
  }
  template <Real T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};
struct Least {  // of a number and none: the number
  template <Whole T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
  template <Real T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return a != a && b != b ? quiet(a, a, b) : a != a ? b : a;
    return a < b || (a == b && negative(a)) ? a : b;
  }
};
struct Greatest {
  template <Whole T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
  template <Real T>
  T operator()(T a, T b) const {
    if (a != a || b != b) return a != a && b != b ? quiet(a, a, b) : a != a ? b : a;
    return a > b || (a == b && negative(b)) ? a : b;
  }
};
struct ShiftLeft {
  template <Whole T>
  T operator()(T a, std::uint32_t by) const {
    return by >= 8 * sizeof(T) ? T{0} : wrapped<T>(wide(a) << by);
  }
};
struct ShiftRight {
  template <Whole T>
  T operator()(T a, std::uint32_t by) const {
    const std::uint32_t most = 8 * sizeof(T) - 1;
    if (by > most) return negative(a) ? static_cast<T>(~T{0}) : T{0};
    return static_cast<T>(a >> by);
  }
};
template <bool left, bool wrap>
struct FunnelShift {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    const std::uint32_t n = wrap ? by % 32 : std::min(by, 32u);
    return static_cast<std::uint32_t>(left ? both << n >> 32 : both >> n);
  }
};
struct LeadingZeros {
  template <Whole T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(std::make_unsigned_t<T>(a)));
  }
};
struct Ones {
  template <Whole T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(std::make_unsigned_t<T>(a)));
  }
};
struct Reversed {
  template <Whole T>
  T operator()(T a) const {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) result = result << 1 | (wide(a) >> i & 1);
    return wrapped<T>(result);
  }
};
template <bool as_shift>
struct HighestBit {  // bfind: of negative numbers, the highest that is not set
  template <Whole T>
  std::uint32_t operator()(T a) const {
    const auto u = static_cast<std::make_unsigned_t<T>>(negative(a) ? static_cast<T>(~a) : a);
    if (u == 0) return ~0u;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(u));
    return as_shift ? zeros : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};
struct GreatestOrNan {  // max.NaN
  float operator()(float a, float b) const {
    return a != a || b != b ? std::bit_cast<float>(0x7fffffffu) : Greatest()(a, b);
  }
};
struct MultiplyTowardsZero {  // mul.rz.f32
  float operator()(float a, float b) const {
    const double wide = static_cast<double>(a) * b;  // exact
    const auto near = static_cast<float>(wide);
    return quiet(std::abs(static_cast<double>(near)) > std::abs(wide) ? std::nextafter(near, 0.0f) : near, a, b);
  }
};
struct ToFloat16 {  // cvt.rn.f16.f32
  std::uint16_t operator()(float x) const {
    return x != x ? 0x7fff : std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
  }
};
struct FromFloat16 {  // cvt.f32.f16
  float operator()(std::uint16_t x) const {
    const auto number = static_cast<float>(std::bit_cast<_Float16>(x));
    return quiet(number, number, number);
  }
};
struct ToBfloat16 {  // cvt.rn.bf16.f32: the upper half, rounded by a sum that ties to even
  std::uint16_t operator()(float x) const {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return x != x ? 0x7fff : static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};
struct Logic {  // lop3.b32
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) const {
    std::uint32_t result = 0;
    for (unsigned row = 0; row < 8; ++row)
      if ((table >> row & 1) != 0)
        result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
    return result;
  }
};
struct PackSignedBytes {  // cvt.pack.sat.s8.s32.b32
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t above) const {
    return above << 16 | byte(a) << 8 | byte(b);
  }
  static std::uint32_t byte(std::uint32_t x) {
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(x), -128, 127)) & 0xff;
  }
};
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t selector) const {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t nibble = selector >> 4 * i & 15;
      std::uint32_t byte = static_cast<std::uint32_t>(both >> 8 * (nibble & 7)) & 0xff;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << 8 * i;
    }
    return result;
  }
};
struct DotOfBytes {  // dp4a
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    auto sum = static_cast<std::uint32_t>(c);
    for (unsigned i = 0; i < 4; ++i)
      sum += static_cast<std::uint32_t>(static_cast<std::int8_t>(a >> 8 * i) * static_cast<std::int8_t>(b >> 8 * i));
    return static_cast<std::int32_t>(sum);
  }
};
struct Insert {  // bfi
  template <Whole T>
  T operator()(T a, T b, std::uint32_t at, std::uint32_t count) const {
    at &= 255;
    count = std::min(count & 255, 64u);
    if (at >= 8 * sizeof(T)) return b;
    const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    return wrapped<T>((wide(b) & ~(ones << at)) | (wide(a) & ones) << at);
  }
};

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct LessOrEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct GreaterOrEqual {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct NotNumbers {  // nan
  template <Real T>
  bool operator()(T a, T b) const {
    return a != a || b != b;
  }
};
template <class F, bool result = true>
struct Unordered {  // equ, ltu and so on: true, too, where one is not a number
  template <Real T>
  bool operator()(T a, T b) const {
    return a != a || b != b || F{}(a, b);
  }
};
struct Numbers {  // num
  template <Real T>
  bool operator()(T a, T b) const {
    return a == a && b == b;
  }
};

// Conversions between real numbers, and to integers: .rni, .rzi, .rmi, .rpi.
enum class Rounding { none, nearest, zero, down, up };

template <Real T>
T rounded(T x, Rounding how) {
  switch (how) {
    case Rounding::nearest: return std::nearbyint(x);
    case Rounding::zero: return std::trunc(x);
    case Rounding::down: return std::floor(x);
    case Rounding::up: return std::ceil(x);
    case Rounding::none: break;
  }
  return x;
}

inline double widened(float x) { return x != x ? std::bit_cast<double>(0x7fffffffe0000000u) : static_cast<double>(x); }
inline float narrowed(double x) { return quiet(static_cast<float>(x), 0, 0); }

// The nearest integer in range; what is not a number becomes 0, or, where 64 bits are involved, 2^63.
template <Whole T, Real F>
T to_integer(F x) {
  constexpr bool large = sizeof(T) == 8;
  if (x != x)
    return large ? wrapped<T>(std::uint64_t{1} << 63)
                 : (sizeof(F) == 8 ? wrapped<T>(std::uint64_t{1} << (8 * sizeof(T) - 1)) : T{0});
  // 2 to the power of the number of value bits, which every F holds exactly.
  const F end = std::ldexp(F{1}, std::numeric_limits<T>::digits);
  if (x >= end) return std::numeric_limits<T>::max();
  if (x <= static_cast<F>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(x);
}

// The lane that a shuffle reads; `inside`: whether it is in range, the shuffle's predicate.
enum class Shuffle { up, down, bfly, idx };

inline unsigned source_of(Shuffle mode, unsigned lane, std::uint32_t b, std::uint32_t c, bool& inside) {
  const unsigned clamp = c & 31, segment = c >> 8 & 31;
  const unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  const int by = static_cast<int>(b & 31), me = static_cast<int>(lane);
  int from = 0;
  switch (mode) {
    case Shuffle::up: from = me - by; break;
    case Shuffle::down: from = me + by; break;
    case Shuffle::bfly: from = me ^ by; break;
    case Shuffle::idx: from = static_cast<int>(least | (b & 31 & ~segment)); break;
  }
  inside = mode == Shuffle::up ? from >= static_cast<int>(most) : from <= static_cast<int>(most);
  return inside ? static_cast<unsigned>(from) : lane;
}

}  // namespace laconic::ptx
