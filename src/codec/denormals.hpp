// SPDX-License-Identifier: BSD-3-Clause
// Detection of integers and addresses that are sent as floating-point numbers: most are denormal numbers, negative ones
// are NaN with a payload that no arithmetic gives.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/dtype.hpp"
#include "base/host_device.hpp"

namespace laconic {

// The highest bit of the result says whether x is denormal; the other bits have no meaning.  The test works on the bits
// because a processor may be set to treat denormal numbers as 0.  It uses no comparisons because not every processor
// has them for vectors of 64-bit lanes.
template <class T>
LACONIC_HOST_DEVICE constexpr auto denormal_bit(T x) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  constexpr auto least_normal = static_cast<Bits>(Bits{1} << (std::numeric_limits<T>::digits - 1));
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  const auto magnitude = static_cast<Bits>(std::bit_cast<Bits>(x) & ~sign);
  return static_cast<Bits>((magnitude - least_normal) & ~(magnitude - 1));
}

template <class T>
LACONIC_HOST_DEVICE constexpr bool is_denormal(T x) {
  return denormal_bit(x) >> (8 * sizeof(T) - 1) != 0;
}

template <class T>
bool holds_denormal(const T* x, std::size_t n) {
  decltype(denormal_bit(T{})) any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= denormal_bit(x[i]);
  return any >> (8 * sizeof(T) - 1) != 0;
}

// Whether x is NaN, and not the quiet one that arithmetic gives, of either sign.
template <class T>
LACONIC_HOST_DEVICE constexpr bool has_payload(T x) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  constexpr auto infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr auto quiet = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  const auto magnitude = static_cast<Bits>(std::bit_cast<Bits>(x) & ~sign);
  return magnitude > infinity && magnitude != quiet;
}

template <class T>
bool holds_payload(const T* x, std::size_t n) {
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) any |= has_payload(x[i]);
  return any;
}

}  // namespace laconic
