// SPDX-License-Identifier: BSD-3-Clause
// Floating-point types of 16 bits: IEEE 754 binary16, and bfloat16, the upper half of a binary32.  They only store
// numbers; arithmetic is done in float and rounded once.  Conversions work on bits alone, so that no compiler,
// processor or floating-point mode (denormals flushed) can change them.  In kernels, instructions without such modes
// give the same bits for all numbers; NaN are left to the other code.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace laconic {

// A number of `Exponent` and `Fraction` bits, with a sign bit above them.
template <int Exponent, int Fraction>
class SmallFloat {
 public:
  SmallFloat() = default;
  constexpr explicit SmallFloat(float x) : bits_(narrowed(x)) {}
  // Converts a double directly, because a conversion by way of float would round twice.
  constexpr explicit SmallFloat(double x) : bits_(narrow<11, 52>(std::bit_cast<std::uint64_t>(x))) {}

  constexpr explicit operator float() const { return std::bit_cast<float>(widen()); }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  constexpr explicit operator long double() const { return static_cast<long double>(static_cast<float>(*this)); }

  static constexpr SmallFloat of_bits(std::uint16_t bits) { return std::bit_cast<SmallFloat>(bits); }
  constexpr std::uint16_t bits() const { return bits_; }

  // Comparison as numbers: NaN is equal to nothing, and +0 is equal to -0.
  friend constexpr bool operator==(SmallFloat a, SmallFloat b) { return float(a) == float(b); }
  friend constexpr auto operator<=>(SmallFloat a, SmallFloat b) { return float(a) <=> float(b); }
  friend constexpr SmallFloat operator-(SmallFloat a) {
    return of_bits(static_cast<std::uint16_t>(a.bits_ ^ sign_bit));
  }

  static constexpr int fraction = Fraction;
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr std::uint16_t sign_bit = 0x8000;
  static constexpr std::uint16_t infinity_bits = static_cast<std::uint16_t>(((1 << Exponent) - 1) << Fraction);
  static constexpr std::uint16_t quiet_bit = 1 << (Fraction - 1);

 private:
  static constexpr std::uint16_t narrowed(float x) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated() && x == x) {
      std::uint16_t bits;
      if constexpr (Exponent == 5)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
      else
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
      return bits;
    }
#endif
    return narrow<8, 23>(std::bit_cast<std::uint32_t>(x));
  }

  // Rounds to nearest, ties to even.  A NaN becomes a quiet NaN with the upper bits of its payload.
  template <int FromExponent, int FromFraction, class Bits>
  static constexpr std::uint16_t narrow(Bits from) {
    constexpr int from_bias = (1 << (FromExponent - 1)) - 1;
    constexpr Bits from_exponents = (Bits{1} << FromExponent) - 1;
    constexpr int dropped = FromFraction - Fraction;
    const auto sign = static_cast<std::uint16_t>(from >> (FromExponent + FromFraction) << 15);
    const Bits payload = from & ((Bits{1} << FromFraction) - 1);
    const auto from_exponent = static_cast<int>(from >> FromFraction & from_exponents);
    if (from_exponent == static_cast<int>(from_exponents)) {
      const auto kept = static_cast<std::uint16_t>(payload >> dropped);
      return static_cast<std::uint16_t>(sign | infinity_bits | (payload == 0 ? 0 : kept | quiet_bit));
    }
    // The number is significand * 2^(exponent - FromFraction).
    const Bits significand = from_exponent == 0 ? payload : payload | Bits{1} << FromFraction;
    const int exponent = (from_exponent == 0 ? 1 : from_exponent) - from_bias;
    if (exponent > bias) return sign | infinity_bits;
    // Denormal results drop more bits, because their exponent is that of the smallest normal number.
    const int below = exponent < 1 - bias ? 1 - bias - exponent : 0;
    const int shift = dropped + below;
    if (shift > FromFraction + 1) return sign;  // less than half of the smallest number
    const Bits odd = significand >> shift & 1;
    const Bits rounded = (significand + (Bits{1} << (shift - 1)) - 1 + odd) >> shift;
    // The leading bit of a normal significand adds one to the exponent field, and so does a carry from rounding.
    const int base = below > 0 ? 0 : exponent + bias - 1;
    return static_cast<std::uint16_t>(sign |
                                      static_cast<std::uint16_t>((base << Fraction) + static_cast<int>(rounded)));
  }

  constexpr std::uint32_t widen() const {
    constexpr int added = 23 - Fraction;
    constexpr int bias_added = 127 - bias;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits_ & sign_bit) << 16;
    const std::uint32_t magnitude = bits_ & 0x7fffu;
#if defined(__CUDA_ARCH__)
    if (Exponent == 5 && !std::is_constant_evaluated() && magnitude <= infinity_bits) {
      float x;
      asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits_));
      return std::bit_cast<std::uint32_t>(x);
    }
#endif
    if (magnitude >= infinity_bits) {
      const std::uint32_t quiet = magnitude == infinity_bits ? 0 : quiet_bit;
      return sign | 0x7f800000u | ((magnitude & (infinity_bits - 1u) & ~std::uint32_t{infinity_bits}) | quiet) << added;
    }
    if (bias_added == 0 || magnitude >= (1u << Fraction))
      return sign | ((magnitude << added) + (static_cast<std::uint32_t>(bias_added) << 23));
    if (magnitude == 0) return sign;
    // A denormal number is normal in float: its leading bit becomes the implicit leading bit of the float.
    const int leading = static_cast<int>(std::bit_width(magnitude)) - 1;
    const auto exponent = static_cast<std::uint32_t>(leading - Fraction + 1 - bias + 127);
    return sign | exponent << 23 | ((magnitude << (23 - leading)) & 0x7fffffu);
  }

  std::uint16_t bits_;
};

using Float16 = SmallFloat<5, 10>;
using Bfloat16 = SmallFloat<8, 7>;

template <class T>
inline constexpr bool is_small_float = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

static_assert(sizeof(Float16) == 2 && sizeof(Bfloat16) == 2);

}  // namespace laconic

// The numeric_limits members that the templates of codecs and tests use.
template <int Exponent, int Fraction>
class std::numeric_limits<laconic::SmallFloat<Exponent, Fraction>> {
  using T = laconic::SmallFloat<Exponent, Fraction>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int digits = Fraction + 1;
  static constexpr int max_exponent = T::bias + 1;
  static constexpr int min_exponent = 2 - T::bias;
  static constexpr T infinity() { return T::of_bits(T::infinity_bits); }
  static constexpr T quiet_NaN() { return T::of_bits(T::infinity_bits | T::quiet_bit); }
  static constexpr T max() { return T::of_bits(T::infinity_bits - 1); }
  static constexpr T lowest() { return -max(); }
  static constexpr T min() { return T::of_bits(1 << Fraction); }
  static constexpr T denorm_min() { return T::of_bits(1); }
};
