// SPDX-License-Identifier: BSD-3-Clause
// Numbers to attack with: well-behaved ones, and those that codecs, sums and lattices have trouble with.
#pragma once

#include <cstdint>

#include "numbers.hpp"

namespace attack {

enum class Pattern : std::uint8_t {
  smooth,        // a random walk
  noise,         // about 1 in size
  constant,      // one number, the same on all ranks
  own_constant,  // one number on each rank, different on every rank
  zeros,         // 0 and -0
  denormals,     // below the least normal number of the type
  nans,          // noise with NaN that have payloads
  infinities,    // noise with infinities, of one sign at a place
  cancelling,    // infinities of both signs at a place, on different ranks
  huge_range,    // all exponents
  ties,          // half-way between multiples of the step, and next to that
  edges,         // about 2^15, 2^24, 2^31 steps, in some cases divided by the number of ranks
  extreme,       // the largest finite numbers
  alternating,   // alternating signs, in some cases alternating sizes
  sparse,        // mostly 0
  bits,          // any bit pattern
  whole,         // integers, stored as floating-point numbers
  addresses,     // the bits of integers, read as floating-point numbers
  overflowing,   // numbers whose sum is beyond the type
  annihilating,  // large numbers that add up to small ones over the ranks
  near_bound,    // as large as the bound
  fills,         // a walk with runs of a fill value or of NaN
  mixed,         // runs of all of these
};
inline constexpr int patterns = 23;

const char* name_of(Pattern pattern);

struct Shape {
  Pattern pattern = Pattern::smooth;
  std::uint64_t shared = 0;  // the seed of the numbers that the ranks have in common
  std::uint64_t own = 0;
  double step = 1;  // the approximate step of the lattice
  double bound = 1;
  int rank = 0;
  int ranks = 1;
};

// Returns `count` numbers.
Bytes make_numbers(const Shape& shape, Number number, std::size_t count);

}  // namespace attack
