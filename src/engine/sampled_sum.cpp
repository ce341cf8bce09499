// SPDX-License-Identifier: BSD-3-Clause
#include "engine/sampled_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checksum.hpp"

namespace laconic {
namespace {

constexpr std::uint64_t mixed(std::uint64_t k) {
  k = (k + 1) * 0x9e3779b97f4a7c15ULL;
  k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9ULL;
  return k ^ k >> 31;
}

double number_at(const void* numbers, std::size_t i, Dtype dtype) {
  return dispatch(AllTypes{}, dtype,
                  [&](auto zero) { return static_cast<double>(static_cast<const decltype(zero)*>(numbers)[i]); });
}

}  // namespace

std::size_t Sample::position(std::size_t k) const {
  const std::size_t begin = count / size * k + count % size * k / size;
  const std::size_t end = count / size * (k + 1) + count % size * (k + 1) / size;
  return begin + (end > begin ? mixed(k) % (end - begin) : 0);
}

void take_sample(std::span<const RangeJob::Part> parts, Dtype dtype, std::span<double> numbers) {
  std::fill(numbers.begin(), numbers.end(), 0.0);
  Sample sample{0, numbers.size()};
  for (const RangeJob::Part& part : parts) sample.count += part.count;
  if (sample.count == 0) return;
  auto part = parts.begin();
  std::size_t before = 0;  // numbers in the parts before this one
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::size_t i = sample.position(k);
    for (; i - before >= part->count; ++part) before += part->count;
    numbers[k] = number_at(part->numbers, i - before, dtype);
  }
}

double fingerprint(std::span<const double> numbers) {
  return static_cast<double>(checksum::sum(std::as_bytes(numbers)) >> 11);
}

SampledSum::SampledSum(const Range& inputs, std::size_t size)
    : middle_(inputs.least + (inputs.greatest - inputs.least) / 2),
      unit_((inputs.greatest - inputs.least) / units),
      size_(size) {}

void SampledSum::write_words(std::span<const double> numbers, Words& words) const {
  words.assign(size_ + size_ / counts_per_word, 0);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    // Numbers beyond the range are fill values.
    if (std::fabs(numbers[k] - middle_) <= units * unit_)
      words[k] = std::llrint((numbers[k] - middle_) / unit_);
    else
      words[size_ + k / counts_per_word] += std::int64_t{1} << k % counts_per_word * bits_of_count;
}

double SampledSum::range_of(const Words& sums, int ranks) const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t k = 0; k < size_; ++k) {
    const std::int64_t counts = sums[size_ + k / counts_per_word];
    if ((counts >> k % counts_per_word * bits_of_count & most_ranks) != 0) continue;
    least = std::min(least, sums[k]);
    greatest = std::max(greatest, sums[k]);
  }
  if (least >= greatest) return 0;
  // Each of the numbers in the two sums was rounded by half a unit; one more than half covers the rounding of the
  // numbers' own differences and quotients.
  const double width = (static_cast<double>(greatest - least) * (1 - 0x1p-50) - 2.0 * ranks) * unit_;
  return std::isfinite(width) ? std::max(0.0, width) : 0;
}

}  // namespace laconic
