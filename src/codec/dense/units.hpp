// SPDX-License-Identifier: BSD-3-Clause
// Plain and scaled frames use these functions to loop over segments and units, and to put numbers without points beside
// the segment of the others.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "codec/dense/exact_segment.hpp"
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

// Numbers that are only moved: if a full segment of theirs that was written from `begin` to `end` is larger than their
// exact one, that takes its place.  Returns the end; `exact` tells which it is.
template <class T>
std::byte* write_smaller(const Kernels& k, const T* x, std::size_t n, Memory& m, std::byte* begin, std::byte* end,
                         bool& exact) {
  const auto bytes = static_cast<std::size_t>(end - begin);
  exact = false;
  if (n < segment_values) return end;
  std::uint16_t lag;
  std::memcpy(&lag, begin + 8, sizeof lag);
  if (!exact::may_be_below(k, x, bytes, lag % exact_bit)) return end;
  static_assert(exact::largest_segment(segment_values, 8) + slack <= sizeof m.numbers.bytes);
  std::byte* const other = m.numbers.bytes[0];
  const auto other_bytes = static_cast<std::size_t>(exact::write_segment(k, x, n, m.written, m.work, other) - other);
  if (other_bytes >= bytes) return end;
  exact = true;
  std::memcpy(begin, other, other_bytes);
  begin[9] |= std::byte{exact_bit >> 8};  // of the lag
  return begin + other_bytes;
}

// Whether every number of a unit has a point of 32 bits, which is in the segment as it is.
inline bool is_near(const Segment& segment, std::size_t u) { return segment.forms[u] == 0 && !segment.cuts[u].wide; }

// Reads the points of a unit, of which `exceptions` (or none, if null) are not.
inline void get_points(const quant::Kernels& k, const Segment& segment, std::size_t u,
                       const quant::Exceptions* exceptions, std::size_t n, quant::AnyPoints& points) {
  const std::int32_t* const q = segment.unit(u);
  const Cut& cut = segment.cuts[u];
  const bool zeros = kind_of(segment.forms[u]) == zero_kind;
  points.far = cut.wide && !zeros;
  if (!points.far) {
    std::memcpy(points.points.q, q, n * sizeof *q);
    return;
  }
  alignas(64) std::uint32_t low[block_values] = {};
  if (cut.rest > 0 && segment.rests[u] != nullptr) {
    const std::size_t count = n - (exceptions != nullptr ? exceptions->count : 0);
    const std::uint32_t mask = cut.rest < 4 ? (1u << 8 * cut.rest) - 1 : ~0u;
    const std::byte* at = segment.rests[u];
    for (std::size_t i = 0; i < count; ++i, at += cut.rest) {  // the states of the coder are behind them
      std::memcpy(low + i, at, sizeof *low);
      low[i] &= mask;
    }
    if (exceptions != nullptr) {
      alignas(64) std::uint32_t front[block_values];
      std::memcpy(front, low, sizeof front);
      k.masks.put(front, sizeof *low, exceptions->mask.others(n), n, low);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t point = cut.point(q[i], low[i]);
    points.points.q[i] = quant::low_of(point);
    points.high.q[i] = quant::high_of(point);
  }
}

// Reads a unit.
template <class T>
void get_unit(const quant::Kernels& k, const Segment& segment, std::size_t u, std::size_t n,
              quant::MaskedBlock<T>& block) {
  const unsigned form = segment.forms[u];
  const quant::Exceptions* exceptions = is_masked(form) ? &segment.exceptions[u] : nullptr;
  if (has_points(form))
    return block.take_points(k, exceptions, n, [&](auto& points) { get_points(k, segment, u, exceptions, n, points); });
  if (exceptions != nullptr) return exceptions->get(k, n, block.take_numbers());
  const quant::Kind kind = form == fill_kind ? quant::Kind::fill : quant::Kind::raw;
  quant::read_numbers(quant::Packed{quant::make_entry(kind, 0), segment.numbers[u], nullptr}, n, block.take_numbers());
}

// The form of a unit without points that quant has written with this entry.
inline unsigned form_of(quant::Entry entry) {
  if (quant::is_compound(entry)) return raw_kind | masked_bit;
  return quant::kind_of(entry) == quant::Kind::fill ? fill_kind : raw_kind;
}

// Puts a unit without points into a segment, whose numbers were written to `at`, and returns their end.
inline std::byte* put_numbers(quant::Entry entry, std::size_t u, Segment& segment, std::byte* at) {
  segment.set_numbers(u, form_of(entry));
  segment.fill(u);
  return at + quant::bytes_of(entry);
}

// Puts a unit with points into the segment that is written, its cut and its exceptions to `at`, and returns their end.
template <class T>
std::byte* put_points(const quant::Kernels& k, const quant::MaskedBlock<T>& block, std::size_t u, std::size_t n,
                      int exponent, Memory& m, std::byte* at) {
  const bool masked = block.form() == quant::MaskedBlock<T>::Form::masked;
  at = m.written.put_points(k, u, block.points(), masked ? &block.mask() : nullptr, n, exponent, m.work.rests, at);
  return masked ? at + quant::write_exceptions(k, block.mask(), block.numbers(), n, at) : at;
}

}  // namespace laconic::dense
