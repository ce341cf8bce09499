// SPDX-License-Identifier: BSD-3-Clause
// How points of up to 64 bits are kept in 32 bits and a few bytes, and points of different steps are compared
// (docs/wire-format.md, Cuts).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "codec/dense/format.hpp"

namespace laconic::dense {

// A point is base + kept * 2^(8 rest) + its low bytes, modulo 2^64, and stands for point * 2^exponent steps.
struct Cut {
  std::uint64_t base = 0;
  unsigned rest = 0;  // low bytes, at most most_rest
  int exponent = 0;

  // Whether it is for points of 64 bits, which may be too large to be added with 32.  A segment begins without.
  bool wide = false;

  bool operator==(const Cut&) const = default;

  // The cut for points with another exponent that have this one's base, rounded down.
  Cut with_exponent(int other) const {
    const int up = exponent - other;
    if (up >= 0) return {up < 64 ? base << up : 0, rest, other, wide};
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(base) >> std::min(-up, 63)), rest, other, wide};
  }

  std::int32_t kept(std::uint64_t point) const {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(point - base) >> (8 * rest));
  }
  std::uint32_t low(std::uint64_t point) const {
    return static_cast<std::uint32_t>((point - base) & ((std::uint64_t{1} << (8 * rest)) - 1));
  }
  std::uint64_t point(std::int32_t kept, std::uint32_t low) const {
    return base + (static_cast<std::uint64_t>(static_cast<std::int64_t>(kept)) << (8 * rest)) + low;
  }
};

// The low bytes that points in a range leave out.  The range has a bit less than what is kept, so that its neighbours
// may have the same cut.
constexpr unsigned rest_of(std::uint64_t range) {
  return std::min(most_rest, (std::max(31u, static_cast<unsigned>(std::bit_width(range))) - 31 + 7) / 8);
}

inline bool fits(const Cut& cut, std::uint64_t min, std::uint64_t max) {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto kept = [&](std::uint64_t point) { return static_cast<std::int64_t>(point - cut.base) >> (8 * cut.rest); };
  return kept(min) >= Limits::min() && kept(max) <= Limits::max() && kept(min) <= kept(max) &&
         cut.rest <= rest_of(max - min);
}

inline Cut cut_of(std::uint64_t min, std::uint64_t max, int exponent) {
  const std::uint64_t range = max - min;
  return {min + range / 2, rest_of(range), exponent, true};
}

// The kept parts of n points with a cut as neighbours with another cut take them for predictions: rounded down to their
// step, 0 where the steps differ by more than 31 binary places.
inline void convert(const std::int32_t* in, std::size_t n, const Cut& from, const Cut& to, std::int32_t* out) {
  const int up = from.exponent - to.exponent;
  if (from == to) {
    std::copy_n(in, n, out);
  } else if (up > 31 || up < -31) {
    std::fill_n(out, n, 0);
  } else if (!from.wide && !to.wide) {
    if (up >= 0)
      for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(in[i]) << up);
    else
      for (std::size_t i = 0; i < n; ++i) out[i] = in[i] >> -up;
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t point = from.point(in[i], 0);
      out[i] = to.kept(up >= 0 ? point << up : static_cast<std::uint64_t>(static_cast<std::int64_t>(point) >> -up));
    }
  }
}

}  // namespace laconic::dense
