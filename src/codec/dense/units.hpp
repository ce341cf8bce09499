// SPDX-License-Identifier: BSD-3-Clause
// Plain and scaled frames use these functions to loop over segments and units, and to put numbers without points beside
// the segment of the others.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "codec/dense/segment.hpp"
#include "codec/quant/masked_blocks.hpp"

namespace laconic::dense {

// The numbers of two segments that are combined bit for bit.
struct alignas(64) Numbers {
  std::byte bytes[2][segment_values * sizeof(std::uint64_t)];
  template <class T>
  T* of(std::size_t which) {
    return reinterpret_cast<T*>(bytes[which]);
  }
};

// The memory of a thread that codes segments, kept from call to call.
struct Memory {
  Segment read[2];
  Segment written;
  Work work;
  Numbers numbers;
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

// Reads the n numbers of a unit that has no points, of which `fill` says whether one stands for all.
template <class T>
void get_numbers(const std::byte* from, bool fill, std::size_t n, T* x) {
  const quant::Kind kind = fill ? quant::Kind::fill : quant::Kind::raw;
  quant::read_numbers(quant::Packed{quant::make_entry(kind, 0), from, nullptr}, n, x);
}

// Whether every number of a block of a plain frame has a point.
inline bool all_have_points(const Segment& segment, std::size_t b) { return segment.forms[b] == 0; }

// Reads a block of a plain frame.
template <class T>
void get_block(const quant::Kernels& k, const Segment& segment, std::size_t b, std::size_t n,
               quant::MaskedBlock<T>& block) {
  const unsigned form = segment.forms[b];
  const quant::Exceptions* exceptions = is_masked(form) ? &segment.exceptions[b] : nullptr;
  if (has_points(form)) return block.take_points(k, segment.block(b), exceptions, n);
  if (exceptions != nullptr) return exceptions->get(k, n, block.take_numbers());
  get_numbers(segment.numbers[b], form == fill_kind, n, block.take_numbers());
}

// The form of a block without points that quant has written with this entry.
inline std::uint8_t form_of(quant::Entry entry) {
  if (quant::is_compound(entry)) return raw_kind | masked_bit;
  return quant::kind_of(entry) == quant::Kind::fill ? fill_kind : raw_kind;
}

// Puts a block without points into a segment, whose numbers were written to `at`, and returns their end.
inline std::byte* put_numbers(quant::Entry entry, std::size_t b, Segment& segment, std::byte* at) {
  segment.forms[b] = form_of(entry);
  segment.repeat_point(b);
  return at + quant::bytes_of(entry);
}

// Puts a block into a segment, and its numbers that have no points to `at`, and returns their end.
template <class T>
std::byte* put_block(const quant::Kernels& k, const quant::MaskedBlock<T>& block, std::size_t b, std::size_t n,
                     Segment& segment, std::byte* at) {
  using Form = typename quant::MaskedBlock<T>::Form;
  if (block.form() == Form::numbers) return put_numbers(block.write_all(k, n, at), b, segment, at);
  if (block.form() == Form::points) {
    segment.put_block(b, block.points(), n);
    return at;
  }
  segment.put_block(b, block.points(), block.mask(), n);
  return at + quant::write_exceptions(k, block.mask(), block.numbers(), n, at);
}

}  // namespace laconic::dense
