// SPDX-License-Identifier: BSD-3-Clause
#include "acoustic.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "vectorised.hpp"

namespace stacking {
namespace {

constexpr int kHalo = 4;  // half-width of the 8th-order stencil
constexpr int kAbsorbingCells = 45;
constexpr double kReflection = 1e-3;  // what the frame may send back at normal incidence

// Weights of the second difference, 8th order.
constexpr float kC0 = -205.0f / 72.0f;
constexpr float kC1 = 8.0f / 5.0f;
constexpr float kC2 = -1.0f / 5.0f;
constexpr float kC3 = 8.0f / 315.0f;
constexpr float kC4 = -1.0f / 560.0f;

// The time step of one column.  `before` holds u_prev and receives u_next: only the point itself is needed.
STACKING_VECTORISED
void advance_column(const float* __restrict u, float* __restrict before, const float* __restrict keep,
                    const float* __restrict gain, std::ptrdiff_t stride, std::ptrdiff_t count) {
  for (std::ptrdiff_t z = 0; z < count; ++z) {
    const float* p = u + z;
    const float differences = 2 * kC0 * p[0] + kC1 * (p[1] + p[-1] + p[stride] + p[-stride]) +
                              kC2 * (p[2] + p[-2] + p[2 * stride] + p[-2 * stride]) +
                              kC3 * (p[3] + p[-3] + p[3 * stride] + p[-3 * stride]) +
                              kC4 * (p[4] + p[-4] + p[4 * stride] + p[-4 * stride]);
    before[z] = p[0] + keep[z] * (p[0] - before[z]) + gain[z] * differences;
  }
}

// Damping rate at a distance of `cells` inside the frame: quadratic, so that the frame itself reflects
// little; its integral over the frame gives kReflection.
double damping(double cells, double velocity, double spacing) {
  if (cells <= 0) {
    return 0;
  }
  const double width = kAbsorbingCells * spacing;
  const double share = cells / kAbsorbingCells;
  return 1.5 * velocity * std::log(1 / kReflection) / width * share * share;
}

double cells_outside(int i, int n) { return std::max({0, -i, i - (n - 1)}); }

void smooth_lines(std::vector<double>& values, std::size_t lines, std::size_t line_stride, int count,
                  std::size_t stride, double sigma_cells) {
  const int reach = static_cast<int>(std::ceil(3 * sigma_cells));
  std::vector<double> weight(static_cast<std::size_t>(reach) + 1);
  for (int k = 0; k <= reach; ++k) {
    weight[static_cast<std::size_t>(k)] = std::exp(-0.5 * k * k / (sigma_cells * sigma_cells));
  }
  std::vector<double> line(static_cast<std::size_t>(count));
  for (std::size_t l = 0; l < lines; ++l) {
    double* first = values.data() + l * line_stride;
    for (int i = 0; i < count; ++i) {
      double sum = 0;
      double total = 0;
      for (int k = -reach; k <= reach; ++k) {
        const int j = std::clamp(i + k, 0, count - 1);
        const double w = weight[static_cast<std::size_t>(std::abs(k))];
        sum += w * first[static_cast<std::size_t>(j) * stride];
        total += w;
      }
      line[static_cast<std::size_t>(i)] = sum / total;
    }
    for (int i = 0; i < count; ++i) {
      first[static_cast<std::size_t>(i) * stride] = line[static_cast<std::size_t>(i)];
    }
  }
}

}  // namespace

double largest_stable_step(const VelocityModel& model) {
  // dt <= 2 h / (v sqrt(2 s)), s = sum of the stencil's absolute weights: the shortest wave in x and z.
  const double s = std::fabs(kC0) + 2 * (std::fabs(kC1) + std::fabs(kC2) + std::fabs(kC3) + std::fabs(kC4));
  const double fastest = *std::max_element(model.velocity.begin(), model.velocity.end());
  return 2 * model.grid.spacing / (fastest * std::sqrt(2 * s));
}

double ricker_delay(double peak_frequency) { return 1.5 / peak_frequency; }

float ricker(double time, double peak_frequency) {
  constexpr double pi = 3.14159265358979323846;
  const double a = pi * peak_frequency * (time - ricker_delay(peak_frequency));
  return static_cast<float>((1 - 2 * a * a) * std::exp(-a * a));
}

std::vector<int> sea_floor(const VelocityModel& model) {
  const Grid& g = model.grid;
  std::vector<int> floor(static_cast<std::size_t>(g.nx));
  for (int x = 0; x < g.nx; ++x) {
    const float water = model.velocity[g.index(x, 0)];
    int z = 0;
    while (z < g.nz && std::fabs(model.velocity[g.index(x, z)] / water - 1) < 0.01f) {
      ++z;
    }
    floor[static_cast<std::size_t>(x)] = z;
  }
  return floor;
}

VelocityModel smoothed_below_water(const VelocityModel& model, double sigma_metres) {
  const Grid& g = model.grid;
  const std::vector<int> floor = sea_floor(model);
  std::vector<double> slowness(g.points());
  for (int x = 0; x < g.nx; ++x) {
    const int first = std::min(floor[static_cast<std::size_t>(x)], g.nz - 1);
    for (int z = 0; z < g.nz; ++z) {
      slowness[g.index(x, z)] = 1.0 / model.velocity[g.index(x, std::max(z, first))];
    }
  }
  const double sigma = sigma_metres / g.spacing;
  const auto nx = static_cast<std::size_t>(g.nx);
  const auto nz = static_cast<std::size_t>(g.nz);
  smooth_lines(slowness, nx, nz, g.nz, 1, sigma);
  smooth_lines(slowness, nz, 1, g.nx, nz, sigma);
  VelocityModel smooth = model;
  for (int x = 0; x < g.nx; ++x) {
    for (int z = floor[static_cast<std::size_t>(x)]; z < g.nz; ++z) {
      smooth.velocity[g.index(x, z)] = static_cast<float>(1 / slowness[g.index(x, z)]);
    }
  }
  return smooth;
}

Propagator::Propagator(const VelocityModel& model, double time_step)
    : grid_(model.grid),
      frame_(kAbsorbingCells + kHalo),
      column_(static_cast<std::size_t>(model.grid.nz + 2 * frame_)),
      columns_(model.grid.nx + 2 * frame_) {
  const double limit = largest_stable_step(model);
  if (!(time_step > 0 && time_step <= limit)) {
    throw std::runtime_error("time step " + std::to_string(time_step) + " s is not in (0, " + std::to_string(limit) +
                             "], where the scheme is stable");
  }
  const std::size_t cells = column_ * static_cast<std::size_t>(columns_);
  keep_.resize(cells);
  gain_.resize(cells);
  rest();
  for (int x = -frame_; x < grid_.nx + frame_; ++x) {
    for (int z = -frame_; z < grid_.nz + frame_; ++z) {
      const double v = model.velocity[grid_.index(std::clamp(x, 0, grid_.nx - 1), std::clamp(z, 0, grid_.nz - 1))];
      // u_tt + 2 d u_t = v^2 (Laplacian of u), with a centred u_t
      const double d = time_step * (damping(cells_outside(x, grid_.nx), v, grid_.spacing) +
                                    damping(cells_outside(z, grid_.nz), v, grid_.spacing));
      const double courant = v * time_step / grid_.spacing;
      const std::size_t i = inside(x, z);
      keep_[i] = static_cast<float>((1 - d) / (1 + d));
      gain_[i] = static_cast<float>(courant * courant / (1 + d));
    }
  }
}

void Propagator::rest() {
  now_.assign(keep_.size(), 0.0f);
  before_.assign(keep_.size(), 0.0f);
}

void Propagator::step() {
  const std::ptrdiff_t inner = static_cast<std::ptrdiff_t>(column_) - 2 * kHalo;
  for (int x = kHalo; x < columns_ - kHalo; ++x) {
    const std::size_t first = static_cast<std::size_t>(x) * column_ + kHalo;
    advance_column(now_.data() + first, before_.data() + first, keep_.data() + first, gain_.data() + first,
                   static_cast<std::ptrdiff_t>(column_), inner);
  }
  now_.swap(before_);
}

void Propagator::inject(Point source, float amplitude) {
  // The delta function of one cell is 1/h^2, and gain = (v dt / h)^2.
  const std::size_t i = inside(source.x, source.z);
  now_[i] += gain_[i] * amplitude;
}

void Propagator::copy_to(float* field) const {
  for (int x = 0; x < grid_.nx; ++x) {
    std::copy_n(now_.data() + inside(x, 0), grid_.nz, field + grid_.index(x, 0));
  }
}

}  // namespace stacking
