// SPDX-License-Identifier: BSD-3-Clause
// Tables for kernels that look up 16 bytes at a time.  A vector of 16 states belongs to two sub-blocks, and has the
// tables of both, one in each half.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/dense/format.hpp"

namespace laconic::dense::avx2 {

// 16 entries for each half.
using Row = std::array<std::uint8_t, 32>;

struct alignas(32) EncodeRows {
  Row frequency;
  Row below;        // the sum of the frequencies before
  Row inverse_low;  // the low and the high byte of Table::inverse
  Row inverse_high;
};

// The symbol of a slot is that of the first slot of its eight, and one more for each of the thresholds below it.
inline constexpr std::size_t thresholds = 3;
struct alignas(32) DecodeRows {
  Row first;
  std::array<Row, thresholds> threshold;
  Row frequency;
  Row below;
};

constexpr void fill(EncodeRows& rows, std::size_t half, const Table& table) {
  for (std::size_t s = 0; s < alphabet; ++s) {
    const std::size_t k = half * alphabet + s;
    rows.frequency[k] = static_cast<std::uint8_t>(table.entry[s]);
    rows.below[k] = static_cast<std::uint8_t>(table.entry[s] >> 8);
    rows.inverse_low[k] = static_cast<std::uint8_t>(table.inverse[s]);
    rows.inverse_high[k] = static_cast<std::uint8_t>(table.inverse[s] >> 8);
  }
}

constexpr void fill(DecodeRows& rows, std::size_t half, const Table& table) {
  for (std::size_t s = 0; s < alphabet; ++s) {
    const std::size_t k = half * alphabet + s;
    rows.frequency[k] = static_cast<std::uint8_t>(table.entry[s]);
    rows.below[k] = static_cast<std::uint8_t>(table.entry[s] >> 8);
    for (Row& row : rows.threshold) row[k] = slots - 1;
    const std::size_t begin = s * slots / alphabet;
    rows.first[k] = table.symbol_of_slot[begin];
    std::size_t next = 0;
    for (std::size_t slot = begin + 1; slot < begin + slots / alphabet; ++slot)
      if (table.symbol_of_slot[slot] != table.symbol_of_slot[slot - 1])
        rows.threshold[next++][k] = static_cast<std::uint8_t>(slot - 1);  // constant evaluation fails beyond the last
  }
}

// By the tables of two sub-blocks.
template <class Rows>
constexpr std::array<Rows, value_tables * value_tables> rows_of_values() {
  std::array<Rows, value_tables * value_tables> all{};
  for (std::size_t a = 0; a < value_tables; ++a)
    for (std::size_t b = 0; b < value_tables; ++b) {
      fill(all[a * value_tables + b], 0, tables_of_values[a]);
      fill(all[a * value_tables + b], 1, tables_of_values[b]);
    }
  return all;
}
inline constexpr auto encode_values_rows = rows_of_values<EncodeRows>();
inline constexpr auto decode_values_rows = rows_of_values<DecodeRows>();

inline constexpr auto encode_widths_rows = [] {
  std::array<EncodeRows, width_tables> all{};
  for (std::size_t t = 0; t < width_tables; ++t)
    for (std::size_t half = 0; half < 2; ++half) fill(all[t], half, tables_of_widths[t]);
  return all;
}();

// For a set of 8 bytes: the shuffle that moves them to the end of 8 bytes, in their order.
inline constexpr auto gather_at_end = [] {
  std::array<std::array<std::uint8_t, 8>, 256> all{};
  for (unsigned set = 0; set < 256; ++set) {
    std::size_t at = 8;
    for (std::size_t i = 8; i-- > 0;)
      if ((set >> i & 1) != 0) all[set][--at] = static_cast<std::uint8_t>(i);
    while (at > 0) all[set][--at] = 0x80;
  }
  return all;
}();

// For a set of 8 words: the shuffle that moves the next bytes to the low bytes of these words, and 0 to all else.
struct alignas(16) Spread {
  std::uint8_t bytes[16];
};
inline constexpr auto spread_to_words = [] {
  std::array<Spread, 256> all{};
  for (unsigned set = 0; set < 256; ++set) {
    std::uint8_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      all[set].bytes[2 * i] = (set >> i & 1) != 0 ? next++ : std::uint8_t{0x80};
      all[set].bytes[2 * i + 1] = 0x80;
    }
  }
  return all;
}();

// How eight values of up to 25 bits each are found: the four bytes that hold a value begin at bit 8 * (place / 8) of
// the values of a half, and the value is shifted by what is left.
inline constexpr unsigned most_shuffled_bits = 25;
struct alignas(32) Unpack {
  std::uint8_t bytes[32];
  std::uint32_t shift[8];
};
inline constexpr auto unpack_values = [] {
  std::array<Unpack, most_shuffled_bits + 1> all{};
  for (unsigned bits = 0; bits <= most_shuffled_bits; ++bits)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned begin = i < 4 ? 0 : 4 * bits / 8;  // of the half, in bytes
      const unsigned place = i * bits - 8 * begin;
      all[bits].shift[i] = place % 8;
      for (unsigned b = 0; b < 4; ++b) all[bits].bytes[4 * i + b] = static_cast<std::uint8_t>(place / 8 + b);
    }
  return all;
}();

}  // namespace laconic::dense::avx2
