// SPDX-License-Identifier: BSD-3-Clause
// Error bounds as users write them: "abs:1e-3", "rel:1e-4", "range:1e-4", "block:1e-4", "rms:0.1", "rate:8",
// "lossless".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace laconic {

enum class BoundMode : std::uint8_t {
  unset = 0,
  abs = 1,
  rel = 2,
  rms = 3,
  rate = 4,
  lossless = 5,
  block = 6,
  range = 7
};

// Whether the bound is a share of what the numbers of each block are, so that it is not known before they are coded.
constexpr bool of_blocks(BoundMode mode) { return mode == BoundMode::rms || mode == BoundMode::block; }

struct Bound {
  BoundMode mode = BoundMode::unset;
  double value = 0;
};

// Maps range:R to rel:R, for the library's own functions.  The two differ only in the drop-in, which replaces rel:R by
// block:R where data only moves.
constexpr Bound library_bound(Bound bound) {
  if (bound.mode == BoundMode::range) bound.mode = BoundMode::rel;
  return bound;
}

inline constexpr std::string_view bound_forms =
    "abs:E, rel:E, range:E, block:E, rms:E, rate:BITS (E and BITS > 0) or lossless";

Status parse_bound(std::string_view text, Bound& bound);

// Reads the value of LACONIC_BOUND, which the drop-in takes for a list of bounds for different calls, as in
// "send=abs:1e-9,abs:1e-6" (docs/drop-in.md).  rest: the bound of the calls that no item with terms selects; unset
// where there is none.  Laconic's own functions have this bound.  The terms are not checked.
Status parse_bounds(std::string_view list, Bound& rest);

// Checks a bound from any source: the mode must be known, and the value finite and positive where the mode uses it.
Status check_bound(const Bound& bound);

std::string to_string(const Bound& bound);

}  // namespace laconic
