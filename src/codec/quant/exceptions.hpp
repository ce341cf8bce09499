// SPDX-License-Identifier: BSD-3-Clause
// The coded form of the exceptions of a block: which numbers they are, and their bits (docs/wire-format.md, masked
// blocks).
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

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

  // Writes them to their places in a block of n numbers.
  template <class T>
  void get(std::size_t n, T* numbers) const {
    const std::byte* value = values;
    std::size_t found = 0;
    each_run_of(mask, static_cast<unsigned>(n), true, [&](unsigned begin, unsigned end) {
      for (unsigned i = begin; i < end; ++i, ++found) {
        if (found > 0 && changes.has(found - 1)) value += sizeof(T);
        std::memcpy(static_cast<void*>(numbers + i), value, sizeof(T));
      }
    });
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
std::size_t write_exceptions(const Mask& mask, const T* numbers, std::size_t n, std::byte* out) {
  T values[block_values];
  std::size_t exceptions = 0;
  each_run_of(mask, static_cast<unsigned>(n), true, [&](unsigned begin, unsigned end) {
    std::memcpy(static_cast<void*>(values + exceptions), numbers + begin, (end - begin) * sizeof(T));
    exceptions += end - begin;
  });
  Mask changes;
  changes.clear();
  std::size_t written = 1;
  for (std::size_t i = 1; i < exceptions; ++i) {
    if (same_bits(values[i], values[written - 1])) continue;
    changes.add(i - 1);
    values[written++] = values[i];
  }
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
