// SPDX-License-Identifier: BSD-3-Clause
// The cost of coding on this host, measured on a sample of the numbers of a call.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/names.hpp"
#include "codec/codec.hpp"
#include "codec/range.hpp"
#include "engine/range_job.hpp"

namespace laconic {

// The compression ratio assumed for data whose ratio is not known.
inline constexpr double assumed_ratio = 4;

// Numbers whose frames take more than this share of their bytes do not compress.
inline constexpr double greatest_frame = 0.95;

// Seconds of one core per byte of numbers, and bytes of frames per byte of numbers.  0: not known, or not supported.
struct CodingCost {
  double encode = 0;
  double decode = 0;
  double fold = 0;
  double add = 0;
  double read = 0;  // numbers that are not in the caches, as in the search for the range
  double frame = 0;
  bool known() const { return encode > 0 && decode > 0 && frame > 0; }
  bool compresses() const { return known() && frame <= greatest_frame; }
};

// The cost of each effort.  That of one which a call may not use is not known.
struct CodingCosts {
  CodingCost light;  // also of a codec that has no effort
  CodingCost dense;

  CodingCosts() = default;
  CodingCosts(const CodingCost& of_light) : light(of_light) {}  // implicit: of the only codec
  CodingCosts(const CodingCost& of_light, const CodingCost& of_dense) : light(of_light), dense(of_dense) {}

  CodingCost& of(Effort effort) { return effort == Effort::dense ? dense : light; }
  const CodingCost& of(Effort effort) const { return effort == Effort::dense ? dense : light; }
  bool known() const { return light.known() || dense.known(); }
  // The costs of what the effort allows.
  CodingCosts only(Effort effort) const;
};
inline constexpr std::array<Effort, 2> efforts{Effort::light, Effort::dense};

// Where a call may use both efforts, dense is chosen if it is predicted to take less than this share of the time with
// light: predictions of a smaller gain are wrong too often.
inline constexpr double clear_gain = 0.95;

// The codecs of the efforts that a call may use; nullptr for the others.
struct EffortCodecs {
  const Codec* light = nullptr;
  const Codec* dense = nullptr;
};

// The cost where nothing is measured: that of `quant` on smooth numbers on one core, as bench/results/ has it.
// ratio: the compression ratio.
CodingCost assumed_cost(double ratio = assumed_ratio);

// The same for `dense` on a processor that has its kernels.  ratio: that of `quant`.
CodingCost assumed_dense_cost(double ratio = assumed_ratio);

// How much of the numbers of a call is coded to measure the cost, in pieces that are coded as frames are.
struct SampleSize {
  std::size_t piece;  // numbers
  std::size_t most;   // pieces
  double bearable;    // seconds per byte of an encode above which no more is coded: no call would gain; 0: any

  // All pieces together are at most a small share of the numbers, so that a sample costs much less than the call.
  // `dense` gets large pieces: it looks for rows, which must fit into a piece several times.
  static SampleSize of(Effort effort, std::size_t numbers, double bearable);
};

// The seconds per byte of an encode with dense above which a call that may use light does not gain.  plain: seconds per
// byte of MPI's call.
double bearable_for_dense(const CodingCost& light, double plain);

// Measures the cost of coding at a few places of the numbers of a call.  The memory of one measurement is kept for the
// next.
class CodingSampler {
 public:
  // Measures each effort that the call may use, but dense only where it may be faster than light.  coding_of: the
  // parameters of a codec for numbers of a range.  plain: seconds per byte of MPI's call; 0: not known.
  CodingCosts measure_efforts(const EffortCodecs& codecs, Dtype dtype,
                              const std::function<Coding(const Codec&, const Range&)>& coding_of,
                              std::span<const RangeJob::Part> runs, bool sums, double plain);

  // runs: all numbers of this rank.  coding_of: the parameters for numbers of a range.  sums: fold and add are
  // measured, too.  Returns a cost of which nothing is known where there are no numbers, or where the codec fails.
  // Where encoding is not bearable the costs are too low, and still too high for a call to gain.
  CodingCost measure(const Codec& codec, Dtype dtype, const std::function<Coding(const Range&)>& coding_of,
                     std::span<const RangeJob::Part> runs, bool sums, const SampleSize& size);

 private:
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::vector<std::byte> numbers_;
};

}  // namespace laconic
