// SPDX-License-Identifier: BSD-3-Clause
// A sum over all ranks at a few positions, exactly, before the sum itself is computed.  Its range is a lower bound of
// the range of the whole sum (docs/error-model.md, "The range of a sum").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "codec/range.hpp"
#include "engine/range_job.hpp"

namespace laconic {

// The positions of a sample among `count` numbers: one at an arbitrary place of each of as many equal parts, so that
// rows of a field do not always meet the sample in the same column.  The same on every rank.
struct Sample {
  // Large data get more positions, because the reduction takes a smaller share of their time.
  static constexpr std::size_t small = 384;
  static constexpr std::size_t large = 1536;
  static constexpr std::size_t size_for(std::size_t bytes) { return bytes < std::size_t{8} << 20 ? small : large; }

  std::size_t count = 0;
  std::size_t size = small;
  std::size_t position(std::size_t k) const;
};

// Writes the sampled numbers of a rank's contribution, whose parts lie one after the other on the host; zeros where it
// has none.
void take_sample(std::span<const RangeJob::Part> parts, Dtype dtype, std::span<double> numbers);

// A number that differs where the sampled numbers of two ranks differ; a double holds it exactly.
double fingerprint(std::span<const double> numbers);

// Integers that all ranks add up: the numbers as multiples of one unit, whose sums are the same in any order, and how
// many of the numbers at each position are not finite, or beyond the range of the inputs.
class SampledSum {
 public:
  // A count of not finite numbers has 21 bits, and three of them share a word.
  static constexpr std::size_t counts_per_word = 3;
  static constexpr unsigned bits_of_count = 21;
  static constexpr int most_ranks = (1 << bits_of_count) - 1;
  using Words = std::vector<std::int64_t>;

  // Below either limit the reduction takes about as long as the larger bound saves (docs/design/0027).
  static constexpr std::size_t least_bytes = std::size_t{1} << 20;
  static constexpr int least_ranks = 4;
  static constexpr bool pays(std::size_t bytes, int ranks) {
    return bytes >= least_bytes && ranks >= least_ranks && ranks <= most_ranks;
  }

  // inputs: the range of the finite numbers of all ranks; its width is finite and not 0.  size: of the sample, a
  // multiple of counts_per_word.
  SampledSum(const Range& inputs, std::size_t size);

  // The words of one rank.  No numbers: zeros, for a rank whose contribution is not in the sum.
  void write_words(std::span<const double> numbers, Words& words) const;

  // The range of the sampled sums of `ranks` ranks, less all roundings: never more than that of the exact ones.  0
  // where fewer than two of them are finite, or a double does not hold the range.
  double range_of(const Words& sums, int ranks) const;

 private:
  // Numbers are at most 2^40 units from the middle, so the sums of 2^21 ranks fit 62 bits.
  static constexpr double units = 0x1p40;
  double middle_;
  double unit_;
  std::size_t size_;
};

}  // namespace laconic
