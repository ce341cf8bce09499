// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acoustic.hpp"

namespace stacking {
namespace {

constexpr double kSpacing = 10;
constexpr double kTimeStep = 0.001;
constexpr double kFrequency = 10;
constexpr double kSpeed = 2000;

VelocityModel homogeneous(int nx, int nz, double v) {
  VelocityModel m;
  m.grid = {nx, nz, kSpacing};
  m.velocity.assign(m.grid.points(), static_cast<float>(v));
  return m;
}

std::vector<double> trace_at(const VelocityModel& m, Point source, Point receiver, int steps) {
  Propagator wave(m, kTimeStep);
  std::vector<double> trace;
  for (int n = 0; n < steps; ++n) {
    wave.step();
    wave.inject(source, ricker(n * kTimeStep, kFrequency));
    trace.push_back(wave.at(receiver));
  }
  return trace;
}

// The 2-D Green's function H(t - r/v) / (2 pi sqrt(t^2 - r^2/v^2)) convolved with the wavelet; the
// substitution t' = (r/v) cosh(q) removes its singularity.
double exact_pressure(double distance, double time) {
  constexpr int intervals = 4000;
  const double arrival = distance / kSpeed;
  if (time <= arrival) {
    return 0;
  }
  const double end = std::acosh(time / arrival);
  double sum = 0;
  for (int i = 0; i <= intervals; ++i) {
    const double q = end * i / intervals;
    const double weight = i == 0 || i == intervals ? 0.5 : 1.0;
    sum += weight * ricker(time - arrival * std::cosh(q), kFrequency);
  }
  return sum * end / intervals / (2 * 3.14159265358979323846);
}

double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) {
    m = std::max(m, std::isfinite(x) ? std::fabs(x) : HUGE_VAL);
  }
  return m;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  std::transform(a.begin(), a.end(), b.begin(), d.begin(), [](double x, double y) { return x - y; });
  return largest(d);
}

bool report(const char* what, double value, double limit) {
  const bool good = value <= limit;
  std::printf("%-62s %9.2e (limit %.0e) %s\n", what, value, limit, good ? "ok" : "WRONG");
  return good;
}

// Amplitude and shape against theory, and the arrival: the lag at which the two traces agree best.
bool check_against_theory() {
  const int cells = 80;
  const int steps = 800;
  const std::vector<double> trace = trace_at(homogeneous(201, 201, kSpeed), {60, 100}, {60 + cells, 100}, steps);
  std::vector<double> exact;
  for (int n = 0; n < steps; ++n) {
    // trace[n] is the field after step n, of time n + 1.
    exact.push_back(exact_pressure(cells * kSpacing, (n + 1) * kTimeStep));
  }
  int best_lag = 0;
  double best = -HUGE_VAL;
  for (int lag = -50; lag <= 50; ++lag) {
    double sum = 0;
    for (int n = std::max(0, lag); n < std::min(steps, steps + lag); ++n) {
      sum += trace[static_cast<std::size_t>(n)] * exact[static_cast<std::size_t>(n - lag)];
    }
    if (sum > best) {
      best = sum;
      best_lag = lag;
    }
  }
  bool good = report("travel time over 800 m against r/v, error in s", std::abs(best_lag) * kTimeStep, 0.002);
  good &= report("pressure against the 2-D Green's function, relative error",
                 largest_difference(trace, exact) / largest(exact), 0.02);
  return good;
}

bool check_symmetry() {
  const VelocityModel m = homogeneous(121, 121, kSpeed);
  const Point centre{60, 60};
  const std::vector<double> east = trace_at(m, centre, {90, 60}, 400);
  double difference = 0;
  for (const Point p : {Point{30, 60}, Point{60, 30}, Point{60, 90}}) {
    difference = std::max(difference, largest_difference(east, trace_at(m, centre, p, 400)));
  }
  return report("the same amplitude to all four sides, relative difference", difference / largest(east), 1e-4);
}

VelocityModel layered() {
  VelocityModel m = homogeneous(161, 121, kSpeed);
  for (int x = 0; x < m.grid.nx; ++x) {
    for (int z = 0; z < m.grid.nz; ++z) {
      if (z > 50 + x / 8) {
        m.velocity[m.grid.index(x, z)] = 3500;
      }
    }
  }
  return m;
}

bool check_reciprocity() {
  const VelocityModel m = layered();
  const Point a{30, 10};
  const Point b{120, 90};
  const std::vector<double> there = trace_at(m, a, b, 700);
  const std::vector<double> back = trace_at(m, b, a, 700);
  return report("source and receiver may be exchanged, relative difference",
                largest_difference(there, back) / largest(there), 1e-3);
}

bool check_absorption() {
  const Point source{40, 40};
  const Point receiver{40, 70};
  const std::vector<double> small = trace_at(homogeneous(81, 81, kSpeed), source, receiver, 900);
  const std::vector<double> large = trace_at(homogeneous(281, 281, kSpeed), {140, 140}, {140, 170}, 900);
  return report("echo of the absorbing frame, relative to the direct wave",
                largest_difference(small, large) / largest(large), 0.03);
}

// Close to the limit of the time step nothing may grow.
bool check_stability() {
  VelocityModel m = layered();
  const double scale = largest_stable_step(m) / kTimeStep * 0.99;
  for (float& v : m.velocity) {
    v = static_cast<float>(v * scale);
  }
  const std::vector<double> trace = trace_at(m, {80, 40}, {100, 60}, 4000);
  const std::vector<double> tail(trace.end() - 500, trace.end());
  return report("field after 4000 steps of 0.99 of the limit, relative to peak", largest(tail) / largest(trace), 1e-2);
}

}  // namespace

bool check_propagator() {
  bool good = check_against_theory();
  good &= check_symmetry();
  good &= check_reciprocity();
  good &= check_absorption();
  good &= check_stability();
  return good;
}

}  // namespace stacking
