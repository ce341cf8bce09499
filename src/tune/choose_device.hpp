// SPDX-License-Identifier: BSD-3-Clause
// The choice of algorithm and number of rows for data on devices.  As in choose.hpp, all inputs must be the same on
// every rank, including the device model, whatever device each rank has.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "tune/coding_cost.hpp"
#include "tune/walk.hpp"

namespace laconic {

// The numbers of rows that are tried; the fastest is chosen.
inline constexpr std::array<int, 4> device_row_counts{1, 2, 4, 8};

struct DeviceChoice {
  const Algorithm* algorithm = nullptr;
  int rows = 1;
  std::optional<Timing> timing;  // empty if no plan could be walked
};

// Numbers per frame that keep a device busy, however large the data.  The limit bounds the memory for frames, which is
// a multiple of it.
inline constexpr std::size_t largest_device_chunk = std::size_t{1} << 24;

// The fastest number of rows of an algorithm; empty if its plans are too large to be walked.
std::optional<DeviceChoice> best_rows(const Algorithm& algorithm, Journey journey, const Coder& coder,
                                      const Path& path);

// The fastest of all algorithms that fit.  The path should have no congestion: networks between devices are built for
// all-to-all traffic.  journey.rows is not read.
DeviceChoice choose_on_device(Collective collective, const Journey& journey, const Coder& coder, const Path& path);

}  // namespace laconic
