// SPDX-License-Identifier: BSD-3-Clause
// Memory with known bytes on both sides.  intact() tells whether anything was written outside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace laconic::test {

class Guarded {
 public:
  // The memory begins `offset` bytes off the alignment of a cache line, for code that must not rely on alignment.
  explicit Guarded(std::size_t bytes, std::size_t offset = 0)
      : memory_(bytes + 2 * margin + offset, pattern), offset_(margin + offset), bytes_(bytes) {}

  std::span<std::byte> bytes() { return std::span(memory_).subspan(offset_, bytes_); }
  std::span<std::byte> with_margins() { return memory_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes().data());
  }
  template <class T>
  std::vector<T> copy() {
    std::vector<T> values(bytes_ / sizeof(T));
    if (bytes_ > 0) std::memcpy(values.data(), bytes().data(), values.size() * sizeof(T));
    return values;
  }

  bool intact() const {
    const auto clean = [](std::byte b) { return b == pattern; };
    const auto begin = memory_.begin();
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(offset_), clean) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(offset_ + bytes_), memory_.end(), clean);
  }

 private:
  static constexpr std::size_t margin = 128;
  static constexpr std::byte pattern{0xa5};
  std::vector<std::byte> memory_;
  std::size_t offset_;
  std::size_t bytes_;
};

}  // namespace laconic::test
