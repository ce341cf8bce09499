// SPDX-License-Identifier: BSD-3-Clause
// Segments of exact frames: numbers to bytes and back.  T is one of AllTypes.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/status.hpp"
#include "codec/dense/exact_numbers.hpp"
#include "codec/dense/segment.hpp"

namespace laconic::dense::exact {

// Instantiates templates for AllTypes.
#define LACONIC_EACH_TYPE(M) \
  M(float)                   \
  M(double)                  \
  M(Float16)                 \
  M(Bfloat16)                \
  M(std::int8_t)             \
  M(std::uint8_t)            \
  M(std::int16_t)            \
  M(std::uint16_t)           \
  M(std::int32_t)            \
  M(std::uint32_t)           \
  M(std::int64_t)            \
  M(std::uint64_t)

// The low three bits of the byte of a block are as in plain frames, the next three its table.
inline constexpr unsigned exponents_flag = 1 << 6;  // the coder has exponents, with Predictor::none
// With raw_kind the same bit, masked_bit, says that numbers that repeat the one before are left out.
static_assert(exponents_flag == masked_bit);
// A block of a decimal segment whose numbers are no decimals.
inline constexpr unsigned numbers_flag = 1 << 7;
constexpr unsigned table_in(unsigned entry) { return entry >> 3 & 7; }

// The exponents of a block are coded as differences from this, which is stored before them.
using Centre = std::uint32_t;

// The most bytes of a segment of n numbers of this size: a block that is coded has fewer bits in its verbatim part than
// its numbers.
constexpr std::size_t largest_segment(std::size_t n, std::size_t number_bytes) {
  const std::size_t of_block = 1 + sizeof(Centre) + block_subs + largest_coded + quant::largest_masks;
  return head_bytes + cut_bytes + states_bytes + blocks_of(n) * of_block + n * number_bytes;
}

// Writes n numbers from `out` on, where largest_segment() and slack bytes must be, and returns the end.
template <class T>
std::byte* write_segment(const Kernels& k, const T* x, std::size_t n, Segment& segment, Work& work, std::byte* out);

// Whether it is likely that write_segment() writes less than `bytes` for segment_values numbers, by some of their
// blocks, with predictions from rows above if there is a lag.
template <class T>
bool may_be_below(const Kernels& k, const T* x, std::size_t bytes, std::size_t lag);

// Reads n numbers from `at` on and moves it behind them; `end` is the end of the frame.
template <class T>
Status read_segment(const Kernels& k, const std::byte*& at, const std::byte* end, std::size_t n, Segment& segment,
                    Work& work, T* x);

}  // namespace laconic::dense::exact
