// SPDX-License-Identifier: BSD-3-Clause
#include "tune/coding_cost.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace laconic {
namespace {

// A piece has a few blocks of every codec.  All pieces together are at most a small share of the numbers, so that a
// sample costs much less than the call.
constexpr std::size_t piece = 4096;
constexpr std::size_t most_pieces = 8;
constexpr std::size_t numbers_per_piece = 32 * piece;

// An array is read in about a third of the time that pieces of it take which are far apart, because the processor
// fetches it ahead.
constexpr double share_in_a_row = 0.35;

// The pieces are timed one by one, because the time of the whole sample may include another process's turn.
class Pieces {
 public:
  Pieces(std::span<const RangeJob::Part> runs, std::size_t width) : runs_(runs), width_(width) {
    for (const RangeJob::Part& run : runs) total_ += run.count;
    count_ = std::clamp<std::size_t>(total_ / numbers_per_piece, 1, most_pieces);
  }

  bool empty() const { return total_ == 0; }
  std::size_t count() const { return count_; }

  // The k-th piece, which lies within one run.
  RangeJob::Part operator[](std::size_t k) const {
    std::size_t at = total_ / count_ * k;
    for (const RangeJob::Part& run : runs_) {
      if (at < run.count) {
        const std::size_t size = std::min(piece, run.count);
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
  std::size_t total_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

CodingCost assumed_cost(double ratio) { return {1 / 2e9, 1 / 4e9, 1 / 1.5e9, 1 / 1.5e9, 1 / 10e9, 1 / ratio}; }

CodingCost CodingSampler::measure(const Codec& codec, Dtype dtype, const std::function<Coding(const Range&)>& coding_of,
                                  std::span<const RangeJob::Part> runs, bool sums) {
  const std::size_t width = size_of(dtype);
  const Pieces pieces(runs, width);
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
  const std::size_t capacity = codec.capacity(piece, dtype);
  first_.resize(std::max(first_.size(), capacity));
  second_.resize(std::max(second_.size(), capacity));
  numbers_.resize(std::max(numbers_.size(), piece * width));

  CodingCost least;
  double numbers = 0;
  double frames = 0;
  const auto timed = [](double& seconds_per_byte, double bytes, auto&& work) {
    const double began = now();
    const bool good = work();
    const double cost = std::max(now() - began, 1e-9) / bytes;
    if (seconds_per_byte == 0 || cost < seconds_per_byte) seconds_per_byte = cost;
    return good;
  };
  // The first piece is coded twice: its first time includes that of loading code and tables.
  for (std::size_t k = 0; k <= pieces.count(); ++k) {
    const RangeJob::Part run = pieces[k == 0 ? 0 : k - 1];
    if (run.count == 0) continue;
    const double bytes = static_cast<double>(run.count * width);
    Coded coded;
    if (!timed(least.encode, bytes, [&] {
          coded = codec.encode(run.numbers, run.count, coding, first_);
          return coded.status.ok();
        }))
      return {};
    const Frame frame(first_.data(), coded.bytes);
    if (!timed(least.decode, bytes, [&] { return codec.decode(frame, numbers_.data(), run.count, coding).ok(); }))
      return {};
    if (sums) {
      timed(least.fold, bytes, [&] { return codec.fold(frame, run.numbers, run.count, coding, second_).status.ok(); });
      timed(least.add, bytes, [&] { return codec.add(frame, frame, run.count, coding, second_).status.ok(); });
    }
    if (k == 0) continue;
    numbers += bytes;
    frames += static_cast<double>(coded.bytes);
  }
  least.read = seconds_of_reading / numbers_read * share_in_a_row;
  least.frame = frames / numbers;
  return least;
}

}  // namespace laconic
