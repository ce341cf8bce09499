// SPDX-License-Identifier: BSD-3-Clause
// Segments of a frame: their points in memory, and their bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/status.hpp"
#include "codec/dense/coded_part.hpp"
#include "codec/dense/cut.hpp"
#include "codec/dense/kernels.hpp"
#include "codec/quant/exceptions.hpp"
#include "codec/quant/numbers.hpp"

namespace laconic::dense {

// Frames are plain, with one step for all numbers, or scaled, with an exponent for every part.
enum class Frames { plain, scaled };

// The numbers that are on the lattice or off it together: a block of a plain frame, a part of a scaled one.
constexpr std::size_t unit_values(Frames frames) { return frames == Frames::scaled ? part_values : block_values; }
inline constexpr std::size_t most_units = segment_blocks * block_parts;

// The points of a segment, without what their cuts take away.  A number without a point has the one of the number
// before it, or 0 where there is none: predictions use it, and neighbours of such numbers need smaller residuals than
// with zeros.
struct alignas(64) Segment {
  std::int32_t before[most_lag + 1] = {};  // predictions look back here; always 0
  std::int32_t q[segment_values];

  // The form of a unit: masked_bit or 0 where it has points, else its kind, of which zero_kind is for scaled frames:
  // all numbers are 0, whatever the exponent.
  std::uint8_t forms[most_units];

  Cut cuts[most_units];                 // of a unit without points: that of the points before it
  bool new_cut[most_units];             // the frame has the cut; else it is the one before with the unit's exponent
  std::uint8_t like_since[most_units];  // the first of the units up to this one that have its cut, or no points
  bool blank[most_units];               // all points up to the unit, or of the unit, are 0 with any cut

  // Those of units with masked_bit; a writer sets the mask alone.
  quant::Exceptions exceptions[most_units];

  // Set by a reader: where the numbers of units without points are, and the low bytes of the points of others.
  const std::byte* numbers[most_units];
  const std::byte* rests[most_units];

  std::size_t values = block_values;  // in a unit
  Cut cut;                            // of the latest unit with points
  bool has_points = false;            // a unit has
  std::size_t like = 0;               // like_since of the next unit with this cut

  std::int32_t* block(std::size_t b) { return q + b * block_values; }
  const std::int32_t* block(std::size_t b) const { return q + b * block_values; }
  std::int32_t* unit(std::size_t u) { return q + u * values; }
  const std::int32_t* unit(std::size_t u) const { return q + u * values; }
  Frames frames() const { return values == block_values ? Frames::plain : Frames::scaled; }

  // Must be called before the first unit is set.
  void begin(Frames of) {
    values = unit_values(of);
    cut = {};
    has_points = false;
    like = 0;
  }

  // Sets the form and the cut of the next unit, before its points.
  void set_points(std::size_t u, bool masked, const Cut& own, bool is_new);
  // The same for a unit without points, or with nothing but zeros in a scaled frame.
  void set_numbers(std::size_t u, unsigned form);
  // Sets the points of such a unit, for predictions.
  void fill(std::size_t u) {
    std::int32_t* const points = unit(u);
    std::fill_n(points, values, kind_of(forms[u]) == zero_kind ? 0 : points[-1]);
  }

  // Puts the n points of a unit of a plain frame where all points have 32 bits.
  void put_near(std::size_t u, const std::int32_t* points, std::size_t n) {
    set_points(u, false, {}, false);
    std::memcpy(unit(u), points, n * sizeof *q);
  }

  // Puts any points, without those in the mask unless that is null, and their low bytes to `low_bytes`, which has room
  // for those of all points of the segment.  A new cut is written to `at`; the result is its end.
  std::byte* put_points(const quant::Kernels& k, std::size_t u, const quant::AnyPoints& points, const quant::Mask* mask,
                        std::size_t n, int exponent, std::uint32_t* low_bytes, std::byte* at);

  // Whether the points that predictions of a unit use, `reach` back, can be taken as they are.
  bool is_like(std::size_t u, std::size_t reach) const {
    return like_since[u] == 0 || like_since[u] * values + reach <= u * values;
  }

  // The points from `first` on, which may be before the segment, as units with this cut see them.
  void convert_points(std::ptrdiff_t first, std::size_t n, const Cut& to, std::int32_t* out) const;
};

inline bool all_zero(const std::int32_t* q, std::size_t n) {
  return std::none_of(q, q + n, [](std::int32_t point) { return point != 0; });
}

// A unit as the kernels take it, behind what predictions of its points use, as those see it.
class View {
 public:
  View(const Segment& segment, std::size_t u, std::size_t lag);
  std::int32_t* points() { return memory_ + begin_; }
  std::size_t lag() const { return lag_; }

 private:
  static constexpr std::size_t margin = 64;  // kernels read whole vectors
  std::size_t begin_;
  std::size_t lag_;
  alignas(64) std::int32_t memory_[margin + block_values + 3 + block_values + margin];
};

// Room for the symbols, the low bytes of points and the renormalised bytes of a segment.
struct Work {
  Symbols symbols[segment_blocks];
  CodedBlock coded_blocks[segment_blocks];
  std::uint32_t rests[segment_values];
  union {
    std::int32_t converted[segment_values];  // points, as the coarsest of them see them
    std::int64_t integers[segment_values];   // decimals
  };
  std::byte coded[slack + segment_blocks * largest_coded];
};

// The most bytes of a block: numbers, or escapes, symbols and verbatim bits of points of 32 bits and the low bytes of
// larger ones, or both beside the masks of exceptions.  The last sub-block of a unit may be partial.
constexpr std::size_t largest_block(std::size_t number_bytes, bool has_rests) {
  constexpr std::size_t point_bits = 32 - symbol_bits + slot_bits;
  constexpr std::size_t widths = block_subs + block_subs * slot_bits / 8;
  const std::size_t bits = std::max(8 * number_bytes, point_bits + (has_rests ? 8 * most_rest : 0));
  return block_parts * (quant::largest_masks + unit_cut_bytes + sub_values * point_bits / 8) + widths +
         block_values * bits / 8;
}

// The most bytes of a segment of n numbers of this size, in a frame of either kind.
constexpr std::size_t largest_segment(std::size_t n, std::size_t number_bytes, bool has_rests) {
  return head_bytes + states_bytes +
         blocks_of(n) * (1 + block_parts * sizeof(PartWord) + largest_block(number_bytes, has_rests));
}

// A segment of n numbers is written in two steps from `out` on, where largest_segment() and slack bytes must be.  The
// caller fills `segment` and writes the new cuts of its units and their numbers that have no points, unit by unit, from
// here on.
inline std::byte* begin_of_numbers(Frames frames, std::size_t n, std::byte* out) {
  const std::size_t words = frames == Frames::scaled ? parts_of(n) * sizeof(PartWord) : 0;
  return out + head_bytes + blocks_of(n) + words;
}

// Then this function writes all else behind end_of_numbers, and returns the end.  Points beyond n may be overwritten.
std::byte* write_segment(const Kernels& k, Segment& segment, std::size_t n, Work& work, std::byte* out,
                         std::byte* end_of_numbers);

// Writes the head of a segment, whose verbatim part is written and ends at verbatim_end, and its coded part; returns
// the end of the segment.
std::byte* finish_segment(const Kernels& k, std::span<const CodedBlock> blocks, std::size_t lag, Work& work,
                          std::byte* out, const std::byte* verbatim, std::byte* verbatim_end);

// The parts of a segment that is read.
struct SegmentParts {
  std::size_t lag = 0;
  bool has_words = false;            // parts_bit
  bool exact = false;                // exact_bit
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
  Reader(Frame payload, Frames frames) : at_(payload.data()), end_(at_ + payload.size()), frames_(frames) {}

  // Reads the next segment, of n numbers.  T is one of FloatingTypes; `numbers` has room for those of an exact segment,
  // whose units have no points.
  template <class T>
  Status next(const Kernels& k, std::size_t n, Segment& segment, Work& work, T* numbers);

  // The check after the last segment.
  Status finish() const;

 private:
  const std::byte* at_;
  const std::byte* end_;
  Frames frames_;
};

}  // namespace laconic::dense
