// SPDX-License-Identifier: BSD-3-Clause
// The cost of coding on this host, measured on a sample of the numbers of a call.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "codec/codec.hpp"
#include "codec/range.hpp"
#include "engine/range_job.hpp"

namespace laconic {

// The compression ratio assumed for data whose ratio is not known.
inline constexpr double assumed_ratio = 4;

// Seconds of one core per byte of numbers, and bytes of frames per byte of numbers.  0: not known, or not supported.
struct CodingCost {
  double encode = 0;
  double decode = 0;
  double fold = 0;
  double add = 0;
  double read = 0;  // numbers that are not in the caches, as in the search for the range
  double frame = 0;
  bool known() const { return encode > 0 && decode > 0 && frame > 0; }
};

// The cost where nothing is measured: that of `quant` on smooth numbers on one core, as bench/results/ has it.
// ratio: the compression ratio.
CodingCost assumed_cost(double ratio = assumed_ratio);

// Measures the cost of coding at a few places of the numbers of a call.  The memory of one measurement is kept for the
// next.
class CodingSampler {
 public:
  // runs: all numbers of this rank.  coding_of: the parameters for numbers of a range.  sums: fold and add are
  // measured, too.  Returns a cost of which nothing is known where there are no numbers, or where the codec fails.
  CodingCost measure(const Codec& codec, Dtype dtype, const std::function<Coding(const Range&)>& coding_of,
                     std::span<const RangeJob::Part> runs, bool sums);

 private:
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::vector<std::byte> numbers_;
};

}  // namespace laconic
