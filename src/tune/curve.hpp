// SPDX-License-Identifier: BSD-3-Clause
// How long a device takes for so many bytes of uncompressed numbers: measured points, or a model until there are any.
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

  // A launch, and then a rate: floor + bytes / rate.  source: where the two come from.
  static Curve modelled(double floor, double bytes_per_second, std::string source);

  // Between points by straight lines, above the last at the rate of the last two.  Below the first nothing is faster
  // than it: what small launches take does not depend on their size.  points: by bytes, ascending; at least one.
  // source: the file and the date.
  static Curve measured(std::vector<Point> points, std::string source);

  double operator()(double bytes) const;

  // Of that, what passes however little there is to do: a launch, during which the device can do other things.
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
