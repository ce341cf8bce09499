// SPDX-License-Identifier: BSD-3-Clause
// The layout of a frame of `dense`, as docs/wire-format.md specifies it.  Every rule that decides a byte is defined
// here or in reference.cpp; kernels for other instruction sets are only faster.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "codec/block_shape.hpp"
#include "codec/quant/scaled_rules.hpp"

namespace laconic::dense {

using block_shape::block_values;

// A segment is decoded by itself: predictions do not look beyond it, and its coder starts anew.
inline constexpr std::size_t segment_blocks = 64;
inline constexpr std::size_t segment_values = segment_blocks * block_values;

constexpr std::size_t segments_of(std::size_t count) { return (count + segment_values - 1) / segment_values; }
constexpr std::size_t blocks_of(std::size_t count) { return (count + block_values - 1) / block_values; }

// The residuals that share a width.
inline constexpr std::size_t sub_values = 8;
inline constexpr std::size_t block_subs = block_values / sub_values;

// Symbols that are coded in one step, one in each lane of the coder.
inline constexpr std::size_t lanes = 64;
inline constexpr std::size_t step_subs = lanes / sub_values;
inline constexpr std::size_t value_steps = block_values / lanes;
inline constexpr std::size_t width_steps = block_subs / lanes;

// The prediction of a lattice point from those before it.
enum class Predictor : std::uint8_t {
  none = 0,        // 0
  last = 1,        // q[i-1]
  line = 2,        // 2 q[i-1] - q[i-2]
  above = 3,       // q[i-lag]
  above_line = 4,  // q[i-1] + q[i-lag] - q[i-lag-1]: the Lorenzo predictor in two dimensions
};
inline constexpr unsigned predictors = 5;
inline constexpr unsigned predictors_without_lag = 3;

// The byte of a block: in the low three bits its predictor or one of these values, then its table, and a bit for
// exceptions.  These are beside points, or with raw_kind all numbers of the block, of which those that repeat the one
// before are left out.
inline constexpr unsigned zero_kind = 5;  // all points are 0
inline constexpr unsigned raw_kind = 6;   // numbers uncompressed
inline constexpr unsigned fill_kind = 7;  // one uncompressed number, repeated
inline constexpr unsigned masked_bit = 64;
constexpr unsigned kind_of(unsigned entry) { return entry & 7; }
constexpr unsigned table_of(unsigned entry) { return entry >> 3 & 7; }
constexpr bool has_points(unsigned entry) { return kind_of(entry) < raw_kind; }
constexpr bool is_masked(unsigned entry) { return (entry & masked_bit) != 0; }

// A new cut (cut.hpp), whose rest (8 bits) and base (64 bits) precede the numbers of its unit.
inline constexpr unsigned cut_bit = 128;
inline constexpr std::size_t unit_cut_bytes = 1 + 8;
inline constexpr unsigned most_rest = 4;  // a point of 64 bits then has 32 left

// Scaled frames: the error of a number is a share of the root mean square or of the range of its part, half a block.
inline constexpr std::size_t part_values = quant::scaled::values;
inline constexpr std::size_t block_parts = block_values / part_values;
static_assert(block_parts * part_values == block_values);
using quant::scaled::Exponent;
using quant::scaled::greatest_exponent;
using quant::scaled::least_exponent;

// Every part has a word: its kind, two flags, and its exponent, raised so that it is above 0, or 0 where there is none.
// The byte of a block has its table alone, and zero_kind where it has no residuals.
using PartWord = std::uint16_t;
inline constexpr unsigned part_masked_bit = 8;
inline constexpr unsigned part_cut_bit = 16;
inline constexpr unsigned exponent_shift = 5;
inline constexpr int raised = 1 - least_exponent;
static_assert((greatest_exponent + raised) >> (16 - exponent_shift) == 0);

// Format 1.0 had an exponent for every part, or one of the other values, and no predictions across parts.  A bit beside
// the lag of a segment tells the formats apart.
inline constexpr Exponent zero_part = greatest_exponent + 1;  // all points are 0
inline constexpr Exponent raw_part = greatest_exponent + 2;   // numbers uncompressed
inline constexpr Exponent fill_part = greatest_exponent + 3;  // one uncompressed number, repeated
inline constexpr unsigned parts_bit = 1 << 15;

// Another bit marks a segment that is exact, in a frame that is not.
inline constexpr unsigned exact_bit = 1 << 14;

constexpr std::size_t parts_of(std::size_t count) { return (count + part_values - 1) / part_values; }

// Lags are from least_lag to most_lag; 0 stands for none.
inline constexpr std::size_t least_lag = 16;
inline constexpr std::size_t most_lag = 8191;

// The head of a segment: bytes of the verbatim part, bytes of the coded part (32 bits each), lag (16 bits).
inline constexpr std::size_t head_bytes = 4 + 4 + 2;

// The high bits of a residual are its symbol, the others are stored as they are.
inline constexpr unsigned symbol_bits = 4;
inline constexpr std::size_t alphabet = std::size_t{1} << symbol_bits;
constexpr unsigned verbatim_bits(unsigned width) { return width > symbol_bits ? width - symbol_bits : 0; }

// The state of a lane is a 16-bit word; probabilities are multiples of 1/128.
inline constexpr unsigned slot_bits = 7;
inline constexpr unsigned slots = 1u << slot_bits;
inline constexpr unsigned least_state = 256;
inline constexpr std::size_t states_bytes = 2 * lanes;

// A difference of neighbouring widths as a symbol: 0, 1, -1, 2, -2 .. 7, -7; all others have the symbol `escape`, and
// the width is in the verbatim part.
inline constexpr unsigned escape = alphabet - 1;
constexpr unsigned symbol_of_difference(int d) {
  return std::min<unsigned>(escape, static_cast<unsigned>(d > 0 ? 2 * d - 1 : -2 * d));
}
constexpr int difference_of(unsigned symbol) {
  const int half = static_cast<int>(symbol + 1) / 2;
  return (symbol & 1) != 0 ? half : -half;
}

// How often each symbol occurs in 128.
using Frequencies = std::array<std::uint8_t, alphabet>;

// Symbols of residuals, by the width of their sub-block; wider ones are as those of width 5.  The counts are those of
// real fields at three bounds, rounded; docs/design/0030-dense-codec.md says how they were made.
inline constexpr std::size_t value_tables = symbol_bits + 2;
inline constexpr std::array<Frequencies, value_tables> value_frequencies{{
    {128},
    {96, 32},
    {74, 22, 29, 3},
    {40, 21, 24, 11, 17, 7, 6, 2},
    {24, 14, 14, 10, 11, 8, 8, 6, 9, 6, 6, 4, 3, 2, 2, 1},
    {29, 15, 12, 10, 9, 8, 7, 6, 8, 6, 5, 4, 3, 2, 2, 2},
}};
constexpr std::size_t value_table(unsigned width) { return std::min<std::size_t>(width, value_tables - 1); }

// Symbols of differences of widths; the encoder chooses the table of each block.
inline constexpr std::size_t width_tables = 8;
inline constexpr std::array<Frequencies, width_tables> width_frequencies{{
    {127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {113, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {72, 7, 7, 16, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {87, 11, 11, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {59, 25, 25, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {44, 24, 23, 11, 11, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {35, 17, 16, 12, 11, 8, 8, 5, 5, 3, 3, 1, 1, 1, 1, 1},
    {56, 8, 6, 7, 4, 5, 2, 4, 3, 4, 3, 3, 3, 2, 3, 15},
}};

// Frequencies in the forms that the coder looks up.
struct alignas(64) Table {
  std::uint8_t symbol_of_slot[slots] = {};
  std::uint16_t entry[alphabet] = {};    // frequency, and 256 times the sum of those before
  std::uint16_t inverse[alphabet] = {};  // 2^16 / frequency rounded down, at most 2^16 - 1
};

constexpr Table make_table(const Frequencies& frequencies) {
  Table table;
  unsigned below = 0;
  for (std::size_t s = 0; s < alphabet; ++s) {
    const unsigned f = frequencies[s];
    for (unsigned k = 0; k < f; ++k) table.symbol_of_slot[below + k] = static_cast<std::uint8_t>(s);
    table.entry[s] = static_cast<std::uint16_t>(f | below << 8);
    table.inverse[s] = static_cast<std::uint16_t>(f == 0 ? 0 : std::min(65535u, 65536u / f));
    below += f;
  }
  return table;
}

template <std::size_t N>
constexpr bool all_sum_up(const std::array<Frequencies, N>& all) {
  for (const Frequencies& frequencies : all) {
    unsigned sum = 0;
    for (const unsigned f : frequencies) sum += f;
    if (sum != slots) return false;
  }
  return true;
}
static_assert(all_sum_up(value_frequencies) && all_sum_up(width_frequencies));

template <std::size_t N>
constexpr std::array<Table, N> make_tables(const std::array<Frequencies, N>& all) {
  std::array<Table, N> tables;
  for (std::size_t k = 0; k < N; ++k) tables[k] = make_table(all[k]);
  return tables;
}
inline constexpr std::array<Table, value_tables> tables_of_values = make_tables(value_frequencies);
inline constexpr std::array<Table, width_tables> tables_of_widths = make_tables(width_frequencies);

// The cost of a symbol of a table in eighths of a bit, rounded down: 8 log2(128 / f).  An escape costs a byte more.  A
// symbol that the table lacks costs so much that another table is cheaper for the block.
constexpr std::uint8_t cost_of(std::uint64_t f, std::size_t symbol) {
  if (f == 0) return 255;
  const std::uint64_t square = f * f;
  const std::uint64_t power = square * square * square * square;
  return static_cast<std::uint8_t>(8 * slot_bits - std::bit_width(power - 1) + (symbol == escape ? 64 : 0));
}
inline constexpr auto width_costs = [] {
  std::array<std::array<std::uint8_t, alphabet>, width_tables> costs{};
  for (std::size_t t = 0; t < width_tables; ++t)
    for (std::size_t s = 0; s < alphabet; ++s) costs[t][s] = cost_of(width_frequencies[t][s], s);
  return costs;
}();

// The most bytes of the parts of a segment that one block takes: escapes and verbatim bits; symbols of 7 bits.
inline constexpr std::size_t largest_verbatim = block_subs + block_values / 8 * (32 - symbol_bits);
inline constexpr std::size_t largest_coded = (value_steps + width_steps) * lanes * slot_bits / 8;

// Kernels read and write whole vectors: they may touch this much beyond the data of a block.
inline constexpr std::size_t slack = 64;

}  // namespace laconic::dense
