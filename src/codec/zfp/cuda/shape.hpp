// SPDX-License-Identifier: BSD-3-Clause
// The layout of a frame of a fixed rate, and the division of the work on it.
//
// A thread has a block of four numbers.  A thread block has a quarter of a piece, its *part*, whose code is whole bytes
// at any rate.  The sizes of frames and pieces are known in advance, except for pieces that turn out to be raw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.hpp"
#include "codec/zfp/layout.hpp"
#include "wire/frame.hpp"

namespace laconic::zfp {

inline constexpr std::uint32_t part_blocks = 256;
inline constexpr std::uint32_t part_values = 4 * part_blocks;
inline constexpr std::uint32_t parts_of_piece = static_cast<std::uint32_t>(piece_values) / part_values;

struct Shape {
  std::uint32_t number_bytes;
  std::uint32_t block_bits;  // 0: every piece is raw

  static constexpr std::uint32_t pieces(std::size_t count) { return static_cast<std::uint32_t>(pieces_of(count)); }
  static constexpr std::uint32_t numbers_in(std::size_t count, std::uint32_t piece) {
    const std::size_t left = count - piece * piece_values;
    return static_cast<std::uint32_t>(left < piece_values ? left : piece_values);
  }
  static constexpr std::uint32_t parts_of(std::uint32_t numbers) { return (numbers + part_values - 1) / part_values; }
  static constexpr std::uint32_t parts(std::size_t count) { return pieces(count) * parts_of_piece; }

  // Offsets from the start of the frame.
  static constexpr std::uint32_t index_at() { return static_cast<std::uint32_t>(wire::header_bytes + head_bytes); }
  static constexpr std::uint32_t pieces_at(std::size_t count) {
    return index_at() + static_cast<std::uint32_t>(size_bytes) * pieces(count);
  }

  constexpr std::uint32_t raw_bytes(std::uint32_t numbers) const { return numbers * number_bytes; }
  constexpr std::uint32_t coded_bytes(std::uint32_t numbers) const {
    return static_cast<std::uint32_t>(rate_bytes(numbers, block_bits));
  }
  // True if a piece is raw for any numbers, because its code would not be smaller.
  constexpr bool always_raw(std::uint32_t numbers) const {
    return block_bits == 0 || coded_bytes(numbers) >= raw_bytes(numbers);
  }
  constexpr std::uint32_t bytes(std::uint32_t numbers, bool raw) const {
    return raw ? raw_bytes(numbers) : coded_bytes(numbers);
  }
  // The size of a part that is not the last of its piece.
  constexpr std::uint32_t part_bytes(bool raw) const { return bytes(part_values, raw); }
};

// The place of a piece in its frame, in a word of the workspace; 0: none.
struct Place {
  std::uint64_t word = 0;

  static constexpr std::uint64_t raw_bit = std::uint64_t{1} << 63;
  static constexpr Place at(std::uint64_t offset, bool raw) { return {raw ? offset | raw_bit : offset}; }
  // The place of a piece if no piece before it turns out to be raw.
  static constexpr Place expected(const Shape& shape, std::size_t count, std::uint32_t piece) {
    constexpr auto whole = static_cast<std::uint32_t>(piece_values);
    const std::uint64_t before = std::uint64_t{piece} * shape.bytes(whole, shape.always_raw(whole));
    return at(Shape::pieces_at(count) + before, shape.always_raw(Shape::numbers_in(count, piece)));
  }
  constexpr bool nowhere() const { return word == 0; }
  constexpr bool raw() const { return (word & raw_bit) != 0; }
  constexpr std::uint64_t offset() const { return word & ~raw_bit; }
  constexpr bool operator==(const Place& other) const { return word == other.word; }
};

// The part of a thread block, and the block of a thread in it.
struct PartAt {
  std::uint32_t piece;
  std::uint32_t part;      // in the piece
  std::uint32_t numbers;   // of the part; 0: it does not exist
  std::uint32_t of_piece;  // numbers of the piece

  LACONIC_HOST_DEVICE PartAt(std::size_t count, std::uint32_t number)
      : piece(number / parts_of_piece), part(number % parts_of_piece), numbers(0), of_piece(0) {
    if (piece >= Shape::pieces(count)) return;
    of_piece = Shape::numbers_in(count, piece);
    const std::uint32_t first = part * part_values;
    if (first < of_piece) numbers = of_piece - first < part_values ? of_piece - first : part_values;
  }

  LACONIC_HOST_DEVICE std::uint32_t blocks() const { return (numbers + 3) / 4; }
  // The number of values in block `thread` of the part.
  LACONIC_HOST_DEVICE std::uint32_t in_block(std::uint32_t thread) const {
    const std::uint32_t first = 4 * thread;
    return first >= numbers ? 0 : numbers - first < 4 ? numbers - first : 4;
  }
  LACONIC_HOST_DEVICE std::uint32_t block_of_piece(std::uint32_t thread) const { return part * part_blocks + thread; }
  LACONIC_HOST_DEVICE std::size_t first_number(std::uint32_t thread) const {
    return piece * piece_values + part * part_values + 4 * thread;
  }
};

}  // namespace laconic::zfp
