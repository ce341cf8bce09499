// SPDX-License-Identifier: BSD-3-Clause
// The smallest and largest finite number of an array, used for bounds relative to the range.
#pragma once

#include <cstddef>

#include "base/dtype.hpp"

namespace laconic {

struct Range {
  double least;     // +infinity when there is no finite number
  double greatest;  // -infinity when there is none
};

Range finite_range(const void* numbers, std::size_t count, Dtype dtype);

}  // namespace laconic
