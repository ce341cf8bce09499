// SPDX-License-Identifier: BSD-3-Clause
#include "tune/curve.hpp"

#include <algorithm>
#include <utility>

namespace laconic {

Curve Curve::modelled(double floor, double bytes_per_second, std::string source) {
  Curve c;
  c.floor_ = floor;
  c.seconds_per_byte_ = 1 / bytes_per_second;
  c.source_ = std::move(source);
  return c;
}

Curve Curve::measured(std::vector<Point> points, std::string source) {
  Curve c;
  c.points_ = std::move(points);
  c.source_ = std::move(source);
  return c;
}

double Curve::operator()(double bytes) const {
  if (points_.empty()) return floor_ + bytes * seconds_per_byte_;
  if (bytes <= points_.front().bytes) return points_.front().seconds;
  if (points_.size() == 1) return points_.front().seconds * bytes / points_.front().bytes;
  auto above = std::lower_bound(points_.begin(), points_.end(), bytes,
                                [](const Point& p, double value) { return p.bytes < value; });
  if (above == points_.end()) --above;
  const Point& a = *(above - 1);
  const Point& b = *above;
  // Measurement noise must not let more work take less time.
  const double slope = std::max(0.0, (b.seconds - a.seconds) / (b.bytes - a.bytes));
  return a.seconds + slope * (bytes - a.bytes);
}

}  // namespace laconic
