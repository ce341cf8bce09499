// SPDX-License-Identifier: BSD-3-Clause
// Plain and scaled frames use these functions to loop over segments and units, and to code units off the lattice.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "codec/dense/segment.hpp"
#include "codec/quant/numbers.hpp"

namespace laconic::dense {

// The memory of a thread that codes segments, kept from call to call.
struct Memory {
  Segment read[2];
  Segment written;
  Work work;
};

inline Memory& memory() {
  static thread_local const std::unique_ptr<Memory> kept = std::make_unique<Memory>();
  return *kept;
}

// Calls f(first number, numbers) for every segment, until it returns an error.
template <class F>
Status each_segment(std::size_t count, F&& f) {
  for (std::size_t i = 0; i < count; i += segment_values)
    if (Status s = f(i, std::min(segment_values, count - i)); !s) return s;
  return {};
}

// Calls f(unit, its first number within the segment, its numbers) for every unit of a segment of n numbers.
template <class F>
void each_unit(Frames frames, std::size_t n, F&& f) {
  const std::size_t values = unit_values(frames);
  for (std::size_t u = 0; u * values < n; ++u) f(u, u * values, std::min(values, n - u * values));
}

// Writes the numbers of a unit that is off the lattice.
template <class T>
Numbers put_numbers(const T* x, std::size_t n, std::byte* at) {
  const quant::Entry entry = quant::write_numbers(x, n, at);
  return {quant::kind_of(entry) == quant::Kind::fill, quant::bytes_of(entry)};
}

// Reads them.
template <class T>
void get_numbers(const Segment& segment, std::size_t unit, std::size_t n, T* x) {
  if (segment.fill[unit]) {
    T value;
    std::memcpy(&value, segment.numbers[unit], sizeof(T));
    std::fill_n(x, n, value);
  } else {
    std::memcpy(static_cast<void*>(x), segment.numbers[unit], n * sizeof(T));
  }
}

}  // namespace laconic::dense
