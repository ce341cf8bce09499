// SPDX-License-Identifier: BSD-3-Clause
// The layout of lossless, as docs/wire-format.md specifies it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/block_shape.hpp"

namespace laconic::lossless {

using block_shape::block_groups;
using block_shape::block_subs;
using block_shape::block_values;
using block_shape::group_subs;
using block_shape::sub_values;

enum class Kind : std::uint8_t {
  zero = 0,    // every bit is 0
  order0 = 1,  // numbers
  order1 = 2,  // the first number, and differences
  raw = 3,     // numbers uncompressed
  fill = 4,    // one number, repeated
};

// The index holds a word for each block: its kind and the size of its body, so that any block can be read alone.
inline constexpr std::size_t index_bytes = 2;
inline constexpr int kind_bits = 3;
constexpr std::uint16_t entry_of(Kind kind, std::size_t body) {
  return static_cast<std::uint16_t>(static_cast<std::size_t>(kind) | body / 2 << kind_bits);
}
constexpr Kind kind_of(std::uint16_t entry) { return static_cast<Kind>(entry & ((1 << kind_bits) - 1)); }
constexpr std::size_t body_of(std::uint16_t entry) { return std::size_t{2} * (entry >> kind_bits); }

constexpr std::size_t blocks_of(std::size_t count) { return (count + block_values - 1) / block_values; }
constexpr std::size_t subs_of(std::size_t n) { return (n + sub_values - 1) / sub_values; }
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 1) / 2 * 2; }

// The number of bytes that may be overwritten after a body, because sixteen planes are stored at once for any width.
inline constexpr std::size_t store_slack = 32;

// Every fourth sub-block decides whether numbers or differences are smaller.
inline constexpr std::size_t sample_stride = 4;

// A code stands for 0 or for one of fifteen consecutive widths.  The lowest of these is chosen per block: the widths
// within one block are close to each other, those of different data are not.
inline constexpr int most_code = 15;
constexpr int floor_of(int widest) { return std::max(widest, most_code) - most_code; }
constexpr int width_of(int code, int floor) { return code == 0 ? 0 : floor + code; }
constexpr int code_of(int width, int floor) { return width == 0 ? 0 : std::max(width - floor, 1); }

// The first word of a packed body: shift and floor, six bits each.
constexpr std::uint16_t head_of(int shift, int floor) { return static_cast<std::uint16_t>(shift | floor << 6); }
constexpr int shift_of(std::uint16_t head) { return head & 63; }
constexpr int floor_in(std::uint16_t head) { return head >> 6; }

template <class Word>
inline constexpr int bits_in = 8 * static_cast<int>(sizeof(Word));

template <class Word>
constexpr Word sign_of(Word x) {  // all ones where the sign is set
  return static_cast<Word>(static_cast<std::make_signed_t<Word>>(x) >> (bits_in<Word> - 1));
}
template <class Word>
constexpr Word zigzag(Word r) {
  return static_cast<Word>(static_cast<Word>(r << 1) ^ sign_of(r));
}
template <class Word>
constexpr Word unzigzag(Word z) {
  return static_cast<Word>((z >> 1) ^ static_cast<Word>(Word{0} - static_cast<Word>(z & 1)));
}

// Converts numbers to integers in the same order, with -0 next to +0, and drops the low bits that are 0 in all of them.
template <bool floating, class Word>
constexpr Word to_ordered(Word x, int shift) {
  if constexpr (floating) {
    const auto magnitude = static_cast<Word>(static_cast<Word>(x << 1) >> 1);
    return static_cast<Word>(static_cast<Word>(magnitude >> shift) ^ sign_of(x));
  } else {
    return static_cast<Word>(static_cast<std::make_signed_t<Word>>(x) >> shift);
  }
}
template <bool floating, class Word>
constexpr Word from_ordered(Word v, int shift) {
  if constexpr (floating) {
    constexpr auto sign_bit = static_cast<Word>(Word{1} << (bits_in<Word> - 1));
    const Word sign = sign_of(v);
    const auto magnitude = static_cast<Word>(static_cast<Word>(v ^ sign) << shift);
    return static_cast<Word>((magnitude & static_cast<Word>(~sign_bit)) | (sign & sign_bit));
  } else {
    return static_cast<Word>(v << shift);
  }
}

}  // namespace laconic::lossless
