// SPDX-License-Identifier: BSD-3-Clause
// The time that a device takes for a number of bytes of uncompressed data: interpolated between measured points, or
// modelled until there are any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace laconic {

class Curve {
 public:
  struct Point {
    double bytes = 0;
    double seconds = 0;
  };

  // The model is a launch time and a rate: floor + bytes / rate.  source: the origin of the two values.
  static Curve modelled(double floor, double bytes_per_second, std::string source);

  // The curve is linear between points, and continues above the last point at the rate of the last two.  Below the
  // first point it is constant, because the time of small launches does not depend on their size.  points: ascending by
  // bytes; at least one.  source: the file and the date.
  static Curve measured(std::vector<Point> points, std::string source);

  double operator()(double bytes) const;

  // The part of the time that is independent of the size: a launch, during which the device can do other work.
  double launch() const { return points_.empty() ? floor_ : points_.front().seconds; }
  bool is_measured() const { return !points_.empty(); }
  const std::string& source() const { return source_; }

 private:
  std::vector<Point> points_;
  double floor_ = 0;
  double seconds_per_byte_ = 0;
  std::string source_;
};

}  // namespace laconic
