// SPDX-License-Identifier: BSD-3-Clause
#include "engine/range_job.hpp"

#include <new>
#include <utility>

namespace laconic {

Status RangeJob::begin(Device& device) {
  device_ = &device;
  next_ = 0;
  under_way_ = false;
  status = {};
  range = no_range;
  if (!device.on_host()) {
    room_ = device.lease_shared(most_extremes * sizeof(Extremes));
    if (room_.empty()) return {Code::memory, "no memory for the range of the data"};
  }
  device.submit(*this);
  return {};
}

void RangeJob::run() noexcept {
  RangeWithoutFills finder;
  for (const Part& part : parts) finder.add(part.numbers, part.count, dtype);
  range = finder.range();
}

bool RangeJob::step(Queue& queue) noexcept {
  auto* extremes = reinterpret_cast<Extremes*>(room_.data());
  for (;;) {
    if (under_way_) {
      Status outcome;
      if (!queue.reached(outcome)) return false;
      if (!outcome.ok()) return end(std::move(outcome));
      for (std::size_t k = 0; k < most_extremes; ++k) range = united(range, {extremes[k].least, extremes[k].greatest});
      under_way_ = false;
    }
    if (next_ == parts.size()) return end({});
    const Part& part = parts[next_++];
    if (Status s = queue.range(dtype, part.numbers, part.count, extremes); !s) return end(std::move(s));
    if (Status s = queue.mark(); !s) return end(std::move(s));
    under_way_ = true;
  }
}

bool RangeJob::end(Status outcome) {
  status = std::move(outcome);
  device_->give_back_shared(std::exchange(room_, {}));
  return true;
}

}  // namespace laconic
