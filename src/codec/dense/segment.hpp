// SPDX-License-Identifier: BSD-3-Clause
// Segments of a frame: their points in memory, and their bytes.
#pragma once

#include <cstring>
#include <span>

#include "base/status.hpp"
#include "codec/dense/kernels.hpp"

namespace laconic::dense {

// The points of a segment.  Those of blocks off the lattice are 0; predictions use them as such.
struct alignas(64) Segment {
  std::int32_t before[most_lag + 1] = {};  // predictions look back here; always 0
  std::int32_t q[segment_values];
  bool lattice[segment_blocks];

  // Set by a reader for blocks off the lattice: the location of their numbers, and whether one number stands for all.
  const std::byte* numbers[segment_blocks];
  bool fill[segment_blocks];

  std::int32_t* block(std::size_t b) { return q + b * block_values; }
  const std::int32_t* block(std::size_t b) const { return q + b * block_values; }

  void set_zero(std::size_t b) { std::memset(block(b), 0, sizeof *q * block_values); }
};

// Room for the symbols and the renormalised bytes of a segment.
struct Work {
  Symbols symbols[segment_blocks];
  CodedBlock coded_blocks[segment_blocks];
  std::byte coded[segment_blocks * largest_coded];
};

// The kind and the size of a block that is written off the lattice.
struct Numbers {
  unsigned kind;
  std::size_t bytes;
};

// The most bytes of a segment of n numbers of this size.
constexpr std::size_t largest_segment(std::size_t n, std::size_t number_bytes) {
  const std::size_t block = std::max(block_values * number_bytes, largest_verbatim + largest_coded);
  return head_bytes + states_bytes + blocks_of(n) * (1 + block);
}

// Writes a segment with n points from `out` on, where largest_segment() and slack bytes must be, and returns its end.
// put_numbers(b, at) writes block b, which is off the lattice, from `at` on.  Points beyond n may be overwritten.
template <class PutNumbers>
std::byte* write_segment(const Kernels& k, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         PutNumbers&& put_numbers) {
  const std::size_t blocks = blocks_of(n);
  if (n < blocks * block_values) std::memset(segment.q + n, 0, (blocks * block_values - n) * sizeof *segment.q);
  const std::size_t lag = k.find_lag(segment.q, n);
  std::byte* entries = out + head_bytes;
  std::byte* const verbatim = entries + blocks;
  std::byte* at = verbatim;
  std::size_t coded = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::int32_t* q = segment.block(b);
    unsigned entry = zero_kind;
    if (!segment.lattice[b]) {
      const Numbers numbers = put_numbers(b, at);
      entry = numbers.kind;
      at += numbers.bytes;
    } else if (std::any_of(q, q + block_values, [](std::int32_t point) { return point != 0; })) {
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
  Reader(Frame payload, bool has_lattice, std::size_t number_bytes)
      : at_(payload.data()), end_(at_ + payload.size()), has_lattice_(has_lattice), number_bytes_(number_bytes) {}

  // Reads the next segment, of n numbers.
  Status next(const Kernels& k, std::size_t n, Segment& segment);

  // The check after the last segment.
  Status finish() const;

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  const std::byte* at_;
  const std::byte* end_;
  bool has_lattice_;
  std::size_t number_bytes_;
};

}  // namespace laconic::dense
