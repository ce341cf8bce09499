// SPDX-License-Identifier: BSD-3-Clause
#include "codec/resolve_bound.hpp"

#include <algorithm>
#include <cmath>

namespace laconic {

Coding coding_for(const Bound& bound, Dtype dtype) {
  Coding coding;
  coding.dtype = dtype;
  if (bound.mode == BoundMode::rate) coding.rate = bound.value;
  if (of_blocks(bound.mode)) coding.relative = bound.value;
  if (bound.mode == BoundMode::block) coding.scale = BlockScale::range;
  return coding;
}

double absolute_bound(const Bound& bound, const Range& range) {
  if (bound.mode == BoundMode::abs) return bound.value;
  // The range of no finite number is -infinity.
  return bound.mode == BoundMode::rel ? std::max(0.0, bound.value * (range.greatest - range.least)) : 0;
}

double greatest_magnitude(const Range& range) {
  const double greatest = std::max(std::fabs(range.least), std::fabs(range.greatest));
  return std::isfinite(greatest) ? greatest : 0;
}

}  // namespace laconic
