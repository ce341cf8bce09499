// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes numbers in byte buffers, in the representation of frames and envelopes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace laconic::wire {

static_assert(std::endian::native == std::endian::little, "frames are little-endian and written by copying memory");

template <class T>
void put(std::span<std::byte> out, std::size_t offset, T value) {
  std::memcpy(out.data() + offset, &value, sizeof value);
}

template <class T>
T get(std::span<const std::byte> in, std::size_t offset) {
  T value;
  std::memcpy(&value, in.data() + offset, sizeof value);
  return value;
}

}  // namespace laconic::wire
