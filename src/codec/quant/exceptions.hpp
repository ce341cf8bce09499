// SPDX-License-Identifier: BSD-3-Clause
// The coded form of the exceptions of a block: which numbers they are, and their bits (docs/wire-format.md, masked
// blocks).
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "codec/quant/kernels.hpp"
#include "codec/quant/mask.hpp"

namespace laconic::quant {

template <class T>
bool same_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

// Those of a block in a frame.
struct Exceptions {
  Mask mask;
  Mask changes;  // bit j: the bits of exception j + 1 differ from those of exception j
  unsigned count;
  const std::byte* values;  // the first exception, and those that differ from the one before

  // Writes them to their places in a block of n numbers, and 0 to the others.
  template <class T>
  void get(const Kernels& k, std::size_t n, T* numbers) const {
    T each[block_values];
    const std::byte* value = values;
    for (unsigned j = 0; j < count; ++j) {
      value += j > 0 && changes.has(j - 1) ? sizeof(T) : 0;
      std::memcpy(static_cast<void*>(each + j), value, sizeof(T));
    }
    k.masks.put(each, sizeof(T), mask, n, numbers);
  }
};

// Reads the coded form, for a block of n numbers of this size, and moves `at` behind it; false when it is not valid.
inline bool read_exceptions(const std::byte*& at, const std::byte* end, std::size_t n, std::size_t number_bytes,
                            Exceptions& exceptions) {
  const std::byte* const begin = at;
  std::uint16_t count;
  if (static_cast<std::size_t>(end - at) < sizeof count) return false;
  std::memcpy(&count, at, sizeof count);
  at += sizeof count;
  exceptions.count = count;
  if (count == 0 || !read_mask(at, end, static_cast<unsigned>(n), exceptions.mask) ||
      exceptions.mask.count() != count || !read_mask(at, end, count - 1u, exceptions.changes))
    return false;
  if ((at - begin) % 2 != 0 && at++ == end) return false;
  const std::size_t bytes = (1 + std::size_t{exceptions.changes.count()}) * number_bytes;
  if (bytes > static_cast<std::size_t>(end - at)) return false;
  exceptions.values = at;
  at += bytes;
  return true;
}

// Writes it, for the numbers of a block that are in the mask, and returns its size: at most largest_masks bytes and
// those of the exceptions.
template <class T>
std::size_t write_exceptions(const Kernels& k, const Mask& mask, const T* numbers, std::size_t n, std::byte* out) {
  T values[block_values + 1];  // the second one begins room for block_values, too
  k.masks.take(numbers, sizeof(T), mask, n, values);
  const std::size_t exceptions = mask.count();
  Mask changes;
  k.masks.changes(values, sizeof(T), exceptions, changes);
  k.masks.take(values + 1, sizeof(T), changes, exceptions - 1, values + 1);
  const std::size_t written = 1 + changes.count();
  const auto count = static_cast<std::uint16_t>(exceptions);
  std::memcpy(out, &count, sizeof count);
  std::size_t at = sizeof count;
  at += write_mask(mask, static_cast<unsigned>(n), out + at);
  at += write_mask(changes, count - 1u, out + at);
  if (at % 2 != 0) out[at++] = std::byte{0};
  std::memcpy(out + at, values, written * sizeof(T));
  return at + written * sizeof(T);
}

}  // namespace laconic::quant
