// Two-dimensional acoustic waves of constant density:
//
//     u_tt = v^2 (u_xx + u_zz) + v^2 s(t) delta(x - x_s)
//
// solved by finite differences of 8th order in space and 2nd order in time (Dablain 1986), inside a
// frame of absorbing cells.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace stacking {

// Points of a regular grid.  Depth is the fastest index, so that a column is contiguous.
struct Grid {
  int nx = 0;
  int nz = 0;
  double spacing = 0;  // metres, the same in x and z

  std::size_t points() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz); }
  std::size_t index(int x, int z) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(nz) + static_cast<std::size_t>(z);
  }
};

struct Point {
  int x = 0;
  int z = 0;
};

struct VelocityModel {
  Grid grid;
  std::vector<float> velocity;  // metres per second, grid.points() values
};

// The longest time step for which the scheme is stable.
double largest_stable_step(const VelocityModel& model);

// Second derivative of a Gaussian, peak frequency in Hz, delayed so that it starts from zero.
float ricker(double time, double peak_frequency);
double ricker_delay(double peak_frequency);

// Gaussian smoothing of the slowness (so that travel times survive) below the water, which keeps its
// velocity: direct waves through the water are then the same in both models and cancel.
VelocityModel smoothed_below_water(const VelocityModel& model, double sigma_metres);

// First row below the water in every column.  Water: the velocity of the uppermost row, to 1 %.
std::vector<int> sea_floor(const VelocityModel& model);

// Marches one wavefield through time.  It starts from rest.
class Propagator {
 public:
  Propagator(const VelocityModel& model, double time_step);

  void rest();
  void step();
  // Adds the source term of the step just made.  Call after step().
  void inject(Point source, float amplitude);
  float at(Point p) const { return now_[inside(p.x, p.z)]; }
  // Writes grid.points() values, without the absorbing frame.
  void copy_to(float* field) const;

 private:
  std::size_t inside(int x, int z) const {
    return static_cast<std::size_t>(x + frame_) * column_ + static_cast<std::size_t>(z + frame_);
  }

  Grid grid_;
  int frame_;           // absorbing cells and stencil halo on every side
  std::size_t column_;  // cells per column with both frames
  int columns_;
  // u_next = (1 + keep) u - keep u_prev + gain * (8th-order differences of u)
  std::vector<float> keep_, gain_;
  std::vector<float> now_, before_;
};

}  // namespace stacking
