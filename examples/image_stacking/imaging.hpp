// Reverse time migration with subsurface offsets.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "acoustic.hpp"

namespace stacking {

// Where the sources fire, where the sea is listened to, and for how long.
struct Survey {
  std::vector<Point> sources;
  std::vector<Point> receivers;
  double peak_frequency = 8;  // Hz, of the Ricker wavelet
  double time_step = 0.002;   // seconds
  int steps = 2000;
  int steps_per_image = 10;  // the wavefields are correlated every so many steps
};

// An extended image: one image I(x, z) for every half offset h = -max_offset..max_offset cells.
struct ExtendedImage {
  Grid grid;
  int max_offset = 0;
  std::vector<float> values;  // [offset][x][z]

  ExtendedImage(const Grid& g, int offsets_to_each_side)
      : grid(g), max_offset(offsets_to_each_side), values(g.points() * static_cast<std::size_t>(offsets())) {}
  int offsets() const { return 2 * max_offset + 1; }
  float* plane(int h) { return values.data() + grid.points() * static_cast<std::size_t>(h + max_offset); }
};

// Records one shot over `truth`, and adds its migration with `background` to the image:
//
//     I(x, z, h) += sum_t S(x - h, z, t) R(x + h, z, t) / (sum_t S(x, z, t)^2 + epsilon)
//
// S is the source's wavefield, R that of the recorded reflections sent back in reversed time.
void migrate_shot(const VelocityModel& truth, const VelocityModel& background, const Survey& survey, Point source,
                  ExtendedImage& image);

// Takes away what lies in the water and the smooth, false image that backscattered waves leave
// (the negative Laplacian: Zhang and Sun 2009).  Linear, so it may be applied before or after stacking.
void finish_image(const VelocityModel& background, ExtendedImage& image);

}  // namespace stacking
