// SPDX-License-Identifier: BSD-3-Clause
// The loops of dense, one table per instruction set.  Every table computes the same bytes and points as
// reference_kernels(), which is the specification in code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "codec/codec.hpp"
#include "codec/dense/format.hpp"

namespace laconic::dense {

// The zigzagged residuals of one block, 0 beyond its numbers.
struct alignas(64) Residuals {
  std::uint32_t z[block_values];
};

// The symbols of one block, as the coder takes them.
struct alignas(64) Symbols {
  std::uint8_t values[block_values];
  std::uint8_t widths[block_subs];
  std::uint8_t differences[block_subs];
};

// A block that is coded.
struct CodedBlock {
  const Symbols* symbols;
  std::size_t table;
};

// The coder of a segment while it is read: the states of the lanes and the bytes that are left.  Up to
// lanes * (value_steps + width_steps) + slack bytes from `at` on can be read before the caller looks whether `at` has
// passed the end.
struct alignas(64) Decoder {
  std::uint16_t states[lanes];
  const std::byte* at;
};
inline constexpr std::size_t decoder_reach = lanes * (value_steps + width_steps) + slack;

struct Kernels {
  std::string_view name;

  // The lag at which differences of neighbours resemble each other most, for a segment of n points; 0 when it is too
  // short to tell.
  std::size_t (*find_lag)(const std::int32_t* q, std::size_t n);

  // Chooses the predictor of a block of n points and computes its residuals.  Before q there are most_lag + 1 points of
  // the segment, or zeros; behind q there is room for a whole block.
  Predictor (*predict)(const std::int32_t* q, std::size_t n, std::size_t lag, Residuals& out);

  // Cuts residuals into symbols and verbatim bits.  Writes escapes and verbatim bits from `verbatim` on, chooses the
  // table, and returns the end of what it wrote.  Up to slack bytes behind that may be overwritten.
  std::byte* (*split)(const Residuals& in, Symbols& out, std::size_t& table, std::byte* verbatim);

  // Codes the blocks of a segment.  Writes the renormalised bytes so that they end at `end` and returns their
  // beginning; `states` are those with which the decoder starts.  Writes nothing behind `end`, but up to slack bytes
  // before its result.
  std::byte* (*encode)(std::span<const CodedBlock> blocks, std::byte* end, std::uint16_t* states);

  // Decodes the residuals of one block, with verbatim bits from `verbatim` up to `verbatim_end`, behind which slack
  // bytes can be read.  Returns the end of its verbatim bits, or null when it is not valid.
  const std::byte* (*decode)(Decoder& decoder, std::size_t table, const std::byte* verbatim,
                             const std::byte* verbatim_end, Residuals& out);

  // Undoes predict() for n points, a multiple of 16.
  void (*restore)(const std::uint32_t* z, std::size_t n, Predictor predictor, std::size_t lag, std::int32_t* q);
};

const Kernels& reference_kernels();

// The tables that this processor can run, reference first, fastest last.
std::span<const Kernels* const> available_kernels();

// The fastest table that the processor and LACONIC_ISA allow.
const Kernels& best_kernels();

// The codec with one particular table, for differential tests and benchmarks.
std::unique_ptr<Codec> make_codec(const Kernels& kernels);

}  // namespace laconic::dense
