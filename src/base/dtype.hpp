// The number types that codecs understand.  Inside a kernel the type is a template parameter; everywhere
// else it is this enum, and dispatch() is the one bridge between the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace laconic {

// The values are those of the frame header (docs/wire-format.md).
enum class Dtype : std::uint8_t { f32 = 1, f64 = 2 };

constexpr std::size_t size_of(Dtype dtype) { return dtype == Dtype::f32 ? 4 : 8; }

// Calls f(T{}) with the C++ type of dtype.
template <class F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  if (dtype == Dtype::f32) return f(float{});
  return f(double{});
}

}  // namespace laconic
