// SPDX-License-Identifier: BSD-3-Clause
// Numbers to measure with: made up, and the fields of data/, repeated as often as it takes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/dtype.hpp"

namespace laconic::bench {

using Bytes = std::vector<std::byte>;

struct Input {
  std::string name;
  int kind = 0;    // of support/fields.hpp
  int field = -1;  // of data/
};

// The first is the usual one.  few: of a rehearsal.
std::vector<Input> inputs(bool few);

// which: another one gives other numbers of the same nature.
Bytes make_numbers(const Input& input, Dtype dtype, std::size_t count, int which);

// What a bound of 1 relative to the range allows.
double range_of(const Bytes& numbers, Dtype dtype);

}  // namespace laconic::bench
