// SPDX-License-Identifier: BSD-3-Clause
// The number types that codecs understand.  Inside a kernel the type is a template parameter; everywhere
// else it is this enum, and dispatch() is the one bridge between the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/small_float.hpp"

namespace laconic {

// The values are those of the frame header (docs/wire-format.md).
enum class Dtype : std::uint8_t {
  f32 = 1,
  f64 = 2,
  f16 = 3,
  bf16 = 4,
  i8 = 5,
  u8 = 6,
  i16 = 7,
  u16 = 8,
  i32 = 9,
  u32 = 10,
  i64 = 11,
  u64 = 12,
};

template <class T>
inline constexpr Dtype dtype_of = [] {
  if constexpr (std::is_same_v<T, float>) return Dtype::f32;
  if constexpr (std::is_same_v<T, double>) return Dtype::f64;
  if constexpr (std::is_same_v<T, Float16>) return Dtype::f16;
  if constexpr (std::is_same_v<T, Bfloat16>) return Dtype::bf16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return std::is_signed_v<T> ? Dtype::i8 : Dtype::u8;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 2) return std::is_signed_v<T> ? Dtype::i16 : Dtype::u16;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return std::is_signed_v<T> ? Dtype::i32 : Dtype::u32;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return std::is_signed_v<T> ? Dtype::i64 : Dtype::u64;
}();

// A set of types, and the sets that codecs usually support.
template <class... T>
struct TypeList {
  static constexpr bool has(Dtype dtype) { return ((dtype_of<T> == dtype) || ...); }
};
using SingleAndDouble = TypeList<float, double>;
using FloatingTypes = TypeList<float, double, Float16, Bfloat16>;
using AllTypes = TypeList<float, double, Float16, Bfloat16, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                          std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;

// Calls f(T{}) with the C++ type of dtype, which must be in the list.
template <class First, class... Rest, class F>
constexpr decltype(auto) dispatch(TypeList<First, Rest...>, Dtype dtype, F&& f) {
  if constexpr (sizeof...(Rest) == 0) {
    return f(First{});
  } else {
    if (dtype == dtype_of<First>) return f(First{});
    return dispatch(TypeList<Rest...>{}, dtype, f);
  }
}

template <class F>
constexpr decltype(auto) dispatch(Dtype dtype, F&& f) {
  return dispatch(SingleAndDouble{}, dtype, f);
}

constexpr bool known(Dtype dtype) { return AllTypes::has(dtype); }

constexpr std::size_t size_of(Dtype dtype) {
  return dispatch(AllTypes{}, dtype, [](auto zero) { return sizeof zero; });
}

constexpr bool is_integer(Dtype dtype) { return dtype >= Dtype::i8; }

// The name of a type ("f32", "bf16", "u64") as files, messages and the command laconic spell it.
constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32: return "f32";
    case Dtype::f64: return "f64";
    case Dtype::f16: return "f16";
    case Dtype::bf16: return "bf16";
    case Dtype::i8: return "i8";
    case Dtype::u8: return "u8";
    case Dtype::i16: return "i16";
    case Dtype::u16: return "u16";
    case Dtype::i32: return "i32";
    case Dtype::u32: return "u32";
    case Dtype::i64: return "i64";
    case Dtype::u64: return "u64";
  }
  return "?";
}

inline constexpr Dtype all_dtypes[] = {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::i8,  Dtype::u8,
                                       Dtype::i16, Dtype::u16, Dtype::i32, Dtype::u32,  Dtype::i64, Dtype::u64};

}  // namespace laconic
