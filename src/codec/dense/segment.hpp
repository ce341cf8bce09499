// SPDX-License-Identifier: BSD-3-Clause
// Segments of a frame: their points in memory, and their bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/status.hpp"
#include "codec/dense/coded_part.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/exceptions.hpp"

namespace laconic::dense {

// Frames are plain, with one step for all numbers, or scaled, with an exponent for every part.
enum class Frames { plain, scaled };

// The numbers that are on the lattice or off it together: a block of a plain frame, a part of a scaled one.
constexpr std::size_t unit_values(Frames frames) { return frames == Frames::scaled ? part_values : block_values; }

// The points of a segment.  In a plain frame a number without a point has the one of the number before it, or 0 where
// there is none: predictions use it, and neighbours of such numbers need smaller residuals than with zeros.  In a
// scaled frame, where steps differ, the points of parts off the lattice are 0.
struct alignas(64) Segment {
  std::int32_t before[most_lag + 1] = {};  // predictions look back here; always 0
  std::int32_t q[segment_values];

  // The form of a block of a plain frame: masked_bit or 0 where it has points, else its whole byte.
  std::uint8_t forms[segment_blocks];

  // The exponent of a part of a scaled frame.
  Exponent exponents[segment_blocks * block_parts];

  // Those of blocks with masked_bit; a writer sets the mask alone.
  quant::Exceptions exceptions[segment_blocks];

  // Set by a reader for other units without points: where their numbers are.
  const std::byte* numbers[segment_blocks * block_parts];

  std::int32_t* block(std::size_t b) { return q + b * block_values; }
  const std::int32_t* block(std::size_t b) const { return q + b * block_values; }

  void set_zero(std::size_t b) { std::memset(block(b), 0, sizeof *q * block_values); }

  // Sets the points of a block whose numbers have none.
  void repeat_point(std::size_t b) {
    std::int32_t* const points = block(b);
    std::fill_n(points, block_values, points[-1]);
  }

  // Takes the n points of a block of a plain frame.
  void put_block(std::size_t b, const std::int32_t* points, std::size_t n) {
    forms[b] = 0;
    std::memcpy(block(b), points, n * sizeof *q);
  }
  // The same for a block with the exceptions of a mask.
  void put_block(std::size_t b, const std::int32_t* points, const quant::Mask& mask, std::size_t n);

  // Takes the n points of a part of a scaled frame.
  void put_part(std::size_t part, const std::int32_t* points, Exponent exponent, std::size_t n);
};

inline bool all_zero(const std::int32_t* q, std::size_t n) {
  return std::none_of(q, q + n, [](std::int32_t point) { return point != 0; });
}

// Room for the symbols and the renormalised bytes of a segment.
struct Work {
  Symbols symbols[segment_blocks];
  CodedBlock coded_blocks[segment_blocks];
  std::byte coded[slack + segment_blocks * largest_coded];
};

// The most bytes of a block with numbers off the lattice in one part, whose points are 0: but for a sub-block at the
// border of the parts, whose widths are coded like all others, and a step of the coder.
constexpr std::size_t largest_mixed(std::size_t number_bytes) {
  return part_values * number_bytes + largest_verbatim - (block_subs / 2 - 1) * (32 - symbol_bits) + largest_coded -
         (value_steps / 2 - 1) * lanes * slot_bits / 8;
}

// The most bytes of a block with exceptions: a number is one, or has symbol and verbatim bits.
constexpr std::size_t largest_masked(std::size_t number_bytes) {
  constexpr std::size_t point_bits = 32 - symbol_bits + slot_bits;
  constexpr std::size_t widths = block_subs + block_subs * slot_bits / 8;
  return quant::largest_masks + widths + std::max(block_values * number_bytes, block_values * point_bits / 8) +
         sub_values * point_bits / 8;  // the last sub-block may be partial
}

// The most bytes of a segment of n numbers of this size, in a frame of either kind.
constexpr std::size_t largest_segment(std::size_t n, std::size_t number_bytes) {
  const std::size_t block = std::max({block_values * number_bytes, largest_verbatim + largest_coded,
                                      largest_mixed(number_bytes), largest_masked(number_bytes)});
  return head_bytes + states_bytes + blocks_of(n) * (1 + block_parts * sizeof(Exponent) + block);
}

// A segment of n numbers is written in two steps from `out` on, where largest_segment() and slack bytes must be.  The
// caller fills `segment` and writes the numbers of its units that have no points, one after the other, from here on.
inline std::byte* begin_of_numbers(Frames frames, std::size_t n, std::byte* out) {
  const std::size_t exponents = frames == Frames::scaled ? parts_of(n) * sizeof(Exponent) : 0;
  return out + head_bytes + blocks_of(n) + exponents;
}

// Then this function writes all else behind end_of_numbers, and returns the end.  Points beyond n may be overwritten.
std::byte* write_segment(const Kernels& k, Frames frames, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         std::byte* end_of_numbers);

// Writes the head of a segment, whose verbatim part is written and ends at verbatim_end, and its coded part; returns
// the end of the segment.
std::byte* finish_segment(const Kernels& k, std::span<const CodedBlock> blocks, std::size_t lag, Work& work,
                          std::byte* out, const std::byte* verbatim, std::byte* verbatim_end);

// The parts of a segment that is read.
struct SegmentParts {
  std::size_t lag = 0;
  const std::byte* fixed = nullptr;  // what follows the head: bytes of blocks, and others whose number is known
  const std::byte* verbatim = nullptr;
  const std::byte* verbatim_end = nullptr;
  const std::byte* coded_end = nullptr;

  bool has_states() const { return coded_end != verbatim_end; }

  // end: of the frame.  Kernels may read behind the verbatim bits of a block: there are always the states.
  CodedPart coded(const std::byte* end) const {
    alignas(64) static constexpr std::byte no_states[states_bytes] = {};
    return has_states() ? CodedPart(verbatim_end, coded_end, end)
                        : CodedPart(no_states, no_states + states_bytes, no_states + states_bytes);
  }
};

// Finds the parts of the segment at `at`, which has `fixed` bytes between its head and its verbatim part, and moves
// `at` behind it.
Status find_parts(const std::byte*& at, const std::byte* end, std::size_t fixed, SegmentParts& parts);

// Reads the segments of a frame one after the other.
class Reader {
 public:
  // number_bytes: the size of one number.
  Reader(Frame payload, Frames frames, std::size_t number_bytes)
      : at_(payload.data()),
        end_(at_ + payload.size()),
        scaled_(frames == Frames::scaled),
        number_bytes_(number_bytes) {}

  // Reads the next segment, of n numbers.
  Status next(const Kernels& k, std::size_t n, Segment& segment);

  // The check after the last segment.
  Status finish() const;

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // A segment while it is read.
  struct Parts {
    const std::byte* entries;
    const std::byte* exponents;
    const std::byte* verbatim;
    const std::byte* verbatim_end;
  };

  // Reads the byte of block b, of n numbers, and finds its numbers that have no points in the verbatim part.
  Status read_form(std::size_t b, std::size_t n, bool has_lag, Parts& parts, Segment& segment) const;

  // The same for the exponents of its parts.
  Status read_parts(std::size_t b, std::size_t n, Parts& parts, Segment& segment) const;

  // Finds the numbers of a unit without points: `count` of them.
  Status find_numbers(std::size_t unit, std::size_t count, Parts& parts, Segment& segment) const;

  const std::byte* at_;
  const std::byte* end_;
  bool scaled_;
  std::size_t number_bytes_;
};

}  // namespace laconic::dense
