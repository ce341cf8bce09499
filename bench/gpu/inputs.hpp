// SPDX-License-Identifier: BSD-3-Clause
// Input numbers: synthetic ones and the fields of data/, repeated to the required length.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/dtype.hpp"

namespace laconic::bench {

using Bytes = std::vector<std::byte>;

struct Input {
  std::string name;
  int kind = 0;    // kind in support/fields.hpp
  int field = -1;  // index of a field of data/; -1: synthetic
};

// All inputs; the first is the usual one.  few: only the inputs of a rehearsal.
std::vector<Input> inputs(bool few);

// which: a different value gives different numbers of the same kind.
Bytes make_numbers(const Input& input, Dtype dtype, std::size_t count, int which);

// The absolute error that a bound of 1 relative to the range allows.
double range_of(const Bytes& numbers, Dtype dtype);

}  // namespace laconic::bench
