// SPDX-License-Identifier: BSD-3-Clause
// Segments of a frame: their points in memory, and their bytes.
#pragma once

#include <cstring>
#include <span>

#include "base/status.hpp"
#include "codec/dense/kernels.hpp"

namespace laconic::dense {

// Frames are plain, with one step for all numbers, or scaled, with an exponent for every part.
enum class Frames { plain, scaled };

// The numbers that are on the lattice or off it together: a block of a plain frame, a part of a scaled one.
constexpr std::size_t unit_values(Frames frames) { return frames == Frames::scaled ? part_values : block_values; }

// The points of a segment.  Those of units off the lattice are 0; predictions use them as such.
struct alignas(64) Segment {
  std::int32_t before[most_lag + 1] = {};  // predictions look back here; always 0
  std::int32_t q[segment_values];

  // These two have one entry per unit.
  bool lattice[segment_blocks * block_parts];
  Exponent exponents[segment_blocks * block_parts];  // in scaled frames; without meaning where all points are 0

  // Set by a reader for units off the lattice: the location of their numbers, and whether one number stands for all.
  const std::byte* numbers[segment_blocks * block_parts];
  bool fill[segment_blocks * block_parts];

  std::int32_t* block(std::size_t b) { return q + b * block_values; }
  const std::int32_t* block(std::size_t b) const { return q + b * block_values; }

  void set_zero(std::size_t b) { std::memset(block(b), 0, sizeof *q * block_values); }

  // Takes the n points of a unit.
  void put(Frames frames, std::size_t unit, const std::int32_t* points, std::size_t n) {
    lattice[unit] = true;
    std::memcpy(q + unit * unit_values(frames), points, n * sizeof *q);
  }
  void leave_lattice(Frames frames, std::size_t unit) {
    lattice[unit] = false;
    std::memset(q + unit * unit_values(frames), 0, unit_values(frames) * sizeof *q);
  }
};

inline bool all_zero(const std::int32_t* q, std::size_t n) {
  return std::none_of(q, q + n, [](std::int32_t point) { return point != 0; });
}

// Room for the symbols and the renormalised bytes of a segment.
struct Work {
  Symbols symbols[segment_blocks];
  CodedBlock coded_blocks[segment_blocks];
  std::byte coded[segment_blocks * largest_coded];
};

// The size of a unit that is written off the lattice, and whether one number stands for all.
struct Numbers {
  bool fill;
  std::size_t bytes;
};

// The most bytes of a block with numbers off the lattice in one part, whose points are 0: but for a sub-block at the
// border of the parts, whose widths are coded like all others, and a step of the coder.
constexpr std::size_t largest_mixed(std::size_t number_bytes) {
  return part_values * number_bytes + largest_verbatim - (block_subs / 2 - 1) * (32 - symbol_bits) + largest_coded -
         (value_steps / 2 - 1) * lanes * slot_bits / 8;
}

// The most bytes of a segment of n numbers of this size, in a frame of either kind.
constexpr std::size_t largest_segment(std::size_t n, std::size_t number_bytes) {
  const std::size_t block =
      std::max({block_values * number_bytes, largest_verbatim + largest_coded, largest_mixed(number_bytes)});
  return head_bytes + states_bytes + blocks_of(n) * (1 + block_parts * sizeof(Exponent) + block);
}

// Writes a segment with n points from `out` on, where largest_segment() and slack bytes must be, and returns its end.
// put_numbers(u, at) writes unit u, which is off the lattice, from `at` on.  Points beyond n may be overwritten.
template <class PutNumbers>
std::byte* write_segment(const Kernels& k, Frames frames, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         PutNumbers&& put_numbers) {
  const bool scaled = frames == Frames::scaled;
  const std::size_t blocks = blocks_of(n);
  const std::size_t parts = scaled ? parts_of(n) : 0;
  if (n < blocks * block_values) std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
  // Parts have steps of their own, so that points resemble none of other parts.
  const std::size_t lag = scaled ? 0 : k.find_lag(segment.q, n);
  std::byte* entries = out + head_bytes;
  std::byte* exponents = entries + blocks;
  std::byte* const verbatim = exponents + parts * sizeof(Exponent);
  std::byte* at = verbatim;
  std::size_t coded = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::int32_t* q = segment.block(b);
    unsigned entry = zero_kind;
    for (std::size_t u = b * block_parts; u < std::min(parts, (b + 1) * block_parts); ++u) {
      Exponent x = all_zero(segment.q + u * part_values, part_values) ? zero_part : segment.exponents[u];
      if (!segment.lattice[u]) {
        const Numbers numbers = put_numbers(u, at);
        x = numbers.fill ? fill_part : raw_part;
        at += numbers.bytes;
      }
      std::memcpy(exponents + u * sizeof x, &x, sizeof x);
    }
    if (!scaled && !segment.lattice[b]) {
      const Numbers numbers = put_numbers(b, at);
      entry = numbers.fill ? fill_kind : raw_kind;
      at += numbers.bytes;
    } else if (!all_zero(q, block_values)) {
      Residuals residuals;
      const Predictor predictor = k.predict(q, std::min(block_values, n - b * block_values), lag, residuals);
      CodedBlock& block = work.coded_blocks[coded];
      at = k.split(residuals, work.symbols[coded], block.table, at);
      block.symbols = &work.symbols[coded++];
      entry = static_cast<unsigned>(predictor) | static_cast<unsigned>(block.table) << 3;
    }
    entries[b] = static_cast<std::byte>(entry);
  }
  const auto verbatim_bytes = static_cast<std::uint32_t>(at - verbatim);
  std::uint32_t coded_bytes = 0;
  if (coded > 0) {
    std::byte* const end = work.coded + sizeof work.coded;
    std::uint16_t states[lanes];
    const std::byte* begin = k.encode({work.coded_blocks, coded}, end, states);
    std::memcpy(at, states, states_bytes);
    std::memcpy(at + states_bytes, begin, static_cast<std::size_t>(end - begin));
    coded_bytes = static_cast<std::uint32_t>(states_bytes + static_cast<std::size_t>(end - begin));
  }
  const auto distance = static_cast<std::uint16_t>(lag);
  std::memcpy(out, &verbatim_bytes, 4);
  std::memcpy(out + 4, &coded_bytes, 4);
  std::memcpy(out + 8, &distance, 2);
  return at + coded_bytes;
}

// Reads the segments of a frame one after the other.
class Reader {
 public:
  // number_bytes: the size of one number.
  Reader(Frame payload, Frames frames, bool has_lattice, std::size_t number_bytes)
      : at_(payload.data()),
        end_(at_ + payload.size()),
        scaled_(frames == Frames::scaled),
        has_lattice_(has_lattice),
        number_bytes_(number_bytes) {}

  // Reads the next segment, of n numbers.
  Status next(const Kernels& k, std::size_t n, Segment& segment);

  // The check after the last segment.
  Status finish() const;

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  // Reads the exponents of the parts of block b, of n numbers, and finds numbers off the lattice in the verbatim part.
  Status read_parts(const std::byte* exponents, std::size_t b, std::size_t n, const std::byte*& verbatim,
                    const std::byte* verbatim_end, Segment& segment) const;

  // Finds the n numbers of a unit off the lattice.
  Status find_numbers(std::size_t unit, std::size_t n, bool fill, const std::byte*& verbatim,
                      const std::byte* verbatim_end, Segment& segment) const;

  const std::byte* at_;
  const std::byte* end_;
  bool scaled_;
  bool has_lattice_;
  std::size_t number_bytes_;
};

}  // namespace laconic::dense
