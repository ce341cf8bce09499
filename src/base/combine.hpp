// SPDX-License-Identifier: BSD-3-Clause
// combine() of many pairs.  The result has the same bits as combining one pair after the other, but the loops are in a
// form that compilers vectorize.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/host_device.hpp"
#include "base/op.hpp"

namespace laconic {

// combine() without branches and early returns, which would keep a loop around it scalar: compilers may not turn them
// into selects, because a comparison or an addition that is not reached could raise a floating-point exception.
template <Op op, class T>
LACONIC_HOST_DEVICE inline T combine_pair(T a, T b) {
  if constexpr (!std::is_same_v<T, float> && !std::is_same_v<T, double>) {
    return combine(op, a, b);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    if constexpr (op == Op::sum) {
      const T s = a + b;
      return s != s ? nan : s;
    } else {
      // Both r and s are the answer, except for +0 and -0, where each comparison yields its second operand.  Combining
      // their bits then gives the zero that is wanted: "and" drops the sign, "or" keeps it.
      T r = op == Op::max ? (a > b ? a : b) : (a < b ? a : b);
      const T s = op == Op::max ? (b > a ? b : a) : (b < a ? b : a);
      if constexpr (op == Op::max)
        r = std::bit_cast<T>(std::bit_cast<Bits>(r) & std::bit_cast<Bits>(s));
      else
        r = std::bit_cast<T>(std::bit_cast<Bits>(r) | std::bit_cast<Bits>(s));
      r = a != a ? nan : r;
      return b != b ? nan : r;
    }
  }
}

// Calls f with op as a constant.
template <class F>
inline void with_constant(Op op, F&& f) {
  switch (op) {
    case Op::sum: return f(std::integral_constant<Op, Op::sum>{});
    case Op::max: return f(std::integral_constant<Op, Op::max>{});
    case Op::min: return f(std::integral_constant<Op, Op::min>{});
  }
}

template <Op op, class T>
void combine_pairs(T* __restrict into, const T* __restrict other, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) into[i] = combine_pair<op>(into[i], other[i]);
}

template <Op op, class T>
void combine_pairs(const std::byte* __restrict a, const std::byte* __restrict b, std::size_t n,
                   std::byte* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) {
    T x;
    T y;
    std::memcpy(&x, a + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b + i * sizeof(T), sizeof(T));
    const T z = combine_pair<op>(x, y);
    std::memcpy(out + i * sizeof(T), &z, sizeof(T));
  }
}

// into[i] = combine(op, into[i], other[i]).  The two arrays must not overlap.
template <class T>
void combine(Op op, T* into, const T* other, std::size_t n) {
  with_constant(op, [&](auto constant) { combine_pairs<constant.value>(into, other, n); });
}

// The same for unaligned numbers, as in the payload of a frame: combines n numbers of a and b into out, which must not
// overlap either.
template <class T>
void combine(Op op, const std::byte* a, const std::byte* b, std::size_t n, std::byte* out) {
  with_constant(op, [&](auto constant) { combine_pairs<constant.value, T>(a, b, n, out); });
}

}  // namespace laconic
