// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm, and in how many rows, for numbers on devices.  As in choose.hpp, everything that enters must be
// the same on every rank: also the model of the device, whatever each of them has.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tune/walk.hpp"

namespace laconic {

// Rows to cut the blocks into, of which the fastest is taken.
inline constexpr std::array<int, 4> row_counts{1, 2, 4, 8};

// What compression is taken to make of numbers whose ratio is not known.
inline constexpr double assumed_ratio = 4;

struct DeviceChoice {
  const Algorithm* algorithm = nullptr;
  int rows = 1;
  std::optional<Timing> timing;  // nothing where no plan could be walked
};

// Numbers per frame that a device is kept busy with, however large the data: memory for frames is a multiple of it.
inline constexpr std::size_t largest_device_chunk = std::size_t{1} << 24;

// Numbers per frame that make so many rows of blocks of at most `largest`.
constexpr std::size_t chunk_of(std::size_t largest, int rows) {
  const auto n = static_cast<std::size_t>(rows);
  return largest < n ? 1 : (largest + n - 1) / n;
}

// The fastest number of rows of an algorithm; nothing where its plans are too large to be walked.
std::optional<DeviceChoice> best_rows(const Algorithm& algorithm, Journey journey, const Coder& coder,
                                      const Path& path);

// The fastest of all algorithms that fit, `direct` included: devices pay for every launch, and networks between them
// are built for all to send to all at once.  journey.rows is not read.
DeviceChoice choose_on_device(Collective collective, const Journey& journey, const Coder& coder, const Path& path);

}  // namespace laconic
