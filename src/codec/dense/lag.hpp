// SPDX-License-Identifier: BSD-3-Clause
// Rows in a one-dimensional buffer: the distance at which the differences of neighbouring points resemble each other
// most.  It is a function of the points alone, so that frames are, too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "codec/dense/format.hpp"

namespace laconic::dense {

// The greatest lag that is tried among n points.  Where it is less than fewest_lags above the least, none is.
constexpr std::size_t reach_of(std::size_t n) { return std::min(most_lag, n / 4); }
inline constexpr std::size_t fewest_lags = 16;

// Every lag is tried at few places; then the best lag of each of 16 ranges is tried in windows of neighbours.
inline constexpr std::size_t few = 24;
inline constexpr std::size_t ranges = 16;
inline constexpr std::size_t windows = 32;
inline constexpr std::size_t window = 16;  // neighbours
using Probes = std::array<std::size_t, few>;

// Each of the few is the steepest of this many places: flat ones fit any lag.
inline constexpr std::size_t neighbourhood = 64;

inline std::uint32_t difference(const std::int32_t* q, std::size_t i) {
  return static_cast<std::uint32_t>(q[i]) - static_cast<std::uint32_t>(q[i - 1]);
}
inline std::uint32_t zigzagged(std::uint32_t r) {
  return (r << 1) ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(r) >> 31);
}

// The bits of the residual of point p that the Lorenzo predictor leaves.
inline std::uint32_t score(const std::int32_t* q, std::size_t p, std::size_t lag) {
  return static_cast<std::uint32_t>(std::bit_width(zigzagged(difference(q, p) - difference(q, p - lag))));
}

// Scores::all(q, probes, reach, scores) sets scores[lag], for every lag from least_lag to reach, to the sum of the
// scores at the probes; Scores::window(q, p, lag) is the sum of those of the points from p on.  The class is local to a
// file: otherwise the linker could give code for one instruction set to all.
template <class Scores>
std::size_t best_lag(const std::int32_t* q, std::size_t n) {
  const std::size_t reach = reach_of(n);
  if (reach + 1 < least_lag + fewest_lags) return 0;
  const std::size_t first = reach + 1;
  const std::size_t places = n - first - neighbourhood;
  Probes probes;
  for (std::size_t k = 0; k < few; ++k) {
    const std::size_t begin = first + places * k / few;
    std::size_t best = begin;
    for (std::size_t i = begin; i < begin + neighbourhood; ++i)
      if (zigzagged(difference(q, i)) > zigzagged(difference(q, best))) best = i;
    probes[k] = best;
  }
  std::uint32_t scores[most_lag + 1];
  Scores::all(q, probes, reach, scores);
  std::size_t lag = 0;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t r = 0; r < ranges; ++r) {
    const std::size_t begin = least_lag + (reach + 1 - least_lag) * r / ranges;
    const std::size_t end = least_lag + (reach + 1 - least_lag) * (r + 1) / ranges;
    // The least score, and the least lag that has it: without branches, since scores are hard to predict.
    std::uint32_t first_and_least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = begin; i < end; ++i)
      first_and_least = std::min(first_and_least, scores[i] << 16 | static_cast<std::uint32_t>(i));
    const std::size_t found = first_and_least & 0xffff;
    std::uint32_t total = 0;
    for (std::size_t k = 0; k < windows; ++k) total += Scores::window(q, first + places * k / windows, found);
    if (total < least) lag = found;
    least = std::min(least, total);
  }
  return lag;
}

}  // namespace laconic::dense
