// SPDX-License-Identifier: BSD-3-Clause
#include "tune/coding_cost.hpp"

#include <algorithm>
#include <atomic>

#include "base/clock.hpp"

namespace laconic {
namespace {

// The share of the numbers that is sampled.
constexpr std::size_t share = 32;
// A few blocks of every codec.
constexpr std::size_t small_piece = 4096;
constexpr std::size_t large_piece = std::size_t{1} << 16;
constexpr std::size_t most_small_pieces = 8;
constexpr std::size_t most_large_pieces = 2;

// An array is read in about a third of the time that pieces of it take which are far apart, because the processor
// fetches it ahead.
constexpr double share_in_a_row = 0.35;

// Frames of dense have at least about this share of the size of those of light.
constexpr double least_dense_frame = 0.5;

// Fields differ by about this factor in the speed of dense.
constexpr double spread_of_dense = 2;

// Seconds per byte of the fastest encode with dense that this process has seen; 0: none.
std::atomic<double> fastest_dense{0};

// The pieces are timed one by one, because the time of the whole sample may include another process's turn.
class Pieces {
 public:
  Pieces(std::span<const RangeJob::Part> runs, std::size_t width, const SampleSize& size)
      : runs_(runs), width_(width), piece_(size.piece) {
    for (const RangeJob::Part& run : runs) total_ += run.count;
    count_ = std::clamp<std::size_t>(total_ / (share * size.piece), 1, size.most);
  }

  bool empty() const { return total_ == 0; }
  std::size_t count() const { return count_; }

  // The k-th piece, which lies within one run.
  RangeJob::Part operator[](std::size_t k) const {
    std::size_t at = total_ / count_ * k;
    for (const RangeJob::Part& run : runs_) {
      if (at < run.count) {
        const std::size_t size = std::min(piece_, run.count);
        const std::size_t begin = std::min(at, run.count - size);
        return {static_cast<const std::byte*>(run.numbers) + begin * width_, size};
      }
      at -= run.count;
    }
    return {nullptr, 0};
  }

 private:
  std::span<const RangeJob::Part> runs_;
  std::size_t width_;
  std::size_t piece_;
  std::size_t total_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

CodingCosts CodingCosts::only(Effort effort) const {
  CodingCosts allowed = *this;
  if (effort == Effort::light) allowed.dense = {};
  if (effort == Effort::dense) allowed.light = {};
  return allowed;
}

SampleSize SampleSize::of(Effort effort, std::size_t numbers, double bearable) {
  if (effort != Effort::dense) return {small_piece, most_small_pieces, bearable};
  return {std::clamp(numbers / share, small_piece, large_piece), most_large_pieces, bearable};
}

CodingCost assumed_cost(double ratio) { return {1 / 2e9, 1 / 4e9, 1 / 1.5e9, 1 / 1.5e9, 1 / 10e9, 1 / ratio}; }

CodingCost assumed_dense_cost(double ratio) {
  // The geometric means over fields at 1e-4 of docs/design/0030-dense-codec.md, where memcpy copies 11 GB/s.
  constexpr double gain = 1.38;
  return {1 / 2.2e9, 1 / 3.4e9, 1 / 1.25e9, 1 / 1e9, 1 / 10e9, 1 / (gain * ratio)};
}

// Coding with dense has to take less than what its smaller frames save on the wire, of which the plain time is an upper
// bound.
double bearable_for_dense(const CodingCost& light, double plain) {
  return plain * light.frame * (1 - least_dense_frame);
}

CodingCosts CodingSampler::measure_efforts(const EffortCodecs& codecs, Dtype dtype,
                                           const std::function<Coding(const Codec&, const Range&)>& coding_of,
                                           std::span<const RangeJob::Part> runs, bool sums, double plain) {
  std::size_t numbers = 0;
  for (const RangeJob::Part& run : runs) numbers += run.count;
  const auto sample = [&](Effort effort, const Codec& codec, double bearable) {
    return measure(
        codec, dtype, [&](const Range& range) { return coding_of(codec, range); }, runs, sums,
        SampleSize::of(effort, numbers, bearable));
  };
  CodingCosts costs;
  if (codecs.light != nullptr) costs.light = sample(Effort::light, *codecs.light, plain);
  if (codecs.dense == nullptr) return costs;
  if (codecs.light == nullptr) return costs.dense = sample(Effort::dense, *codecs.dense, plain), costs;
  // No process pays for the sample where nothing is to be gained: dense compresses little where light compresses
  // nothing, and its links may be too fast: dense is slower than light, and about as fast as it was before.
  const double bearable = costs.light.compresses() ? bearable_for_dense(costs.light, plain) : 0;
  const double before = fastest_dense.load(std::memory_order_relaxed);
  if (bearable <= std::max(costs.light.encode, before / spread_of_dense)) return costs;
  costs.dense = sample(Effort::dense, *codecs.dense, bearable);
  if (!costs.dense.known()) return costs;
  if (before == 0 || costs.dense.encode < before) fastest_dense.store(costs.dense.encode, std::memory_order_relaxed);
  if (costs.dense.encode > bearable) costs.dense = {};
  // The second sample may find numbers in the caches that the first one has read.
  if (costs.dense.known()) costs.dense.read = costs.light.read;
  return costs;
}

CodingCost CodingSampler::measure(const Codec& codec, Dtype dtype, const std::function<Coding(const Range&)>& coding_of,
                                  std::span<const RangeJob::Part> runs, bool sums, const SampleSize& size) {
  const std::size_t width = size_of(dtype);
  const Pieces pieces(runs, width, size);
  if (pieces.empty()) return {};
  RangeWithoutFills range;
  // So that the first time does not include that of loading code.
  constexpr std::size_t few = 16;
  range_without_fills(pieces[0].numbers, std::min(pieces[0].count, few), dtype);
  double seconds_of_reading = 0;
  double numbers_read = 0;
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    const RangeJob::Part run = pieces[k];
    const double began = now();
    range.add(run.numbers, run.count, dtype);
    seconds_of_reading += now() - began;
    numbers_read += static_cast<double>(run.count * width);
  }
  const Coding coding = coding_of(range.range());
  const std::size_t capacity = codec.capacity(size.piece, dtype);
  first_.resize(std::max(first_.size(), capacity));
  second_.resize(std::max(second_.size(), capacity));
  numbers_.resize(std::max(numbers_.size(), size.piece * width));

  CodingCost least;
  least.read = seconds_of_reading / numbers_read * share_in_a_row;
  const auto timed = [](double& seconds_per_byte, double bytes, auto&& work) {
    const double began = now();
    const bool good = work();
    const double cost = std::max(now() - began, 1e-9) / bytes;
    if (seconds_per_byte == 0 || cost < seconds_per_byte) seconds_per_byte = cost;
    return good;
  };
  std::size_t in_frame = 0;  // bytes of the latest frame
  const auto encode = [&](const RangeJob::Part& run) {
    Coded coded;
    const bool good = timed(least.encode, static_cast<double>(run.count * width), [&] {
      coded = codec.encode(run.numbers, run.count, coding, first_);
      return coded.status.ok();
    });
    in_frame = coded.bytes;
    return good;
  };
  // A first time includes that of loading code and tables.
  const RangeJob::Part begin{pieces[0].numbers, std::min(pieces[0].count, small_piece)};
  for (int k = 0; k < 2; ++k)
    if (!encode(begin)) return {};
  if (size.bearable > 0 && least.encode > size.bearable) {
    least.decode = least.encode;
    least.frame = static_cast<double>(in_frame) / static_cast<double>(begin.count * width);
    return least;
  }
  double numbers = 0;
  double frames = 0;
  for (std::size_t k = 0; k <= pieces.count(); ++k) {
    const RangeJob::Part run = k == 0 ? begin : pieces[k - 1];
    if (run.count == 0) continue;
    const double bytes = static_cast<double>(run.count * width);
    if (!encode(run)) return {};
    const Frame frame(first_.data(), in_frame);
    if (!timed(least.decode, bytes, [&] { return codec.decode(frame, numbers_.data(), run.count, coding).ok(); }))
      return {};
    if (sums) {
      timed(least.fold, bytes, [&] { return codec.fold(frame, run.numbers, run.count, coding, second_).status.ok(); });
      timed(least.add, bytes, [&] { return codec.add(frame, frame, run.count, coding, second_).status.ok(); });
    }
    if (k == 0) continue;
    numbers += bytes;
    frames += static_cast<double>(in_frame);
  }
  least.frame = frames / numbers;
  return least;
}

}  // namespace laconic
