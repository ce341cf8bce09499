// SPDX-License-Identifier: BSD-3-Clause
// A relative bound over numbers that have no range, or none but fill values: nothing is rounded, and NaN is not lost on
// the way.
#include <cmath>
#include <limits>

#include "ranks/support.hpp"

using namespace ranks;

namespace {

void check(Test& t, const char* what, MPI_Op op, double mine, double expected, double slack) {
  t.doing(what);
  t.count_case();
  constexpr std::size_t count = 3001;
  std::vector<double> x(count, mine);
  std::vector<double> y(count, -1);
  laconic_options o = options_with(LACONIC_BOUND_REL, 1e-3);
  laconic_stats stats{};
  o.stats = &stats;
  const int rc = laconic_allreduce(x.data(), y.data(), count, MPI_DOUBLE, op, MPI_COMM_WORLD, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  CHECK(t, stats.plain_calls == (t.size() == 1 ? 1u : 0u));
  CHECK(t, stats.bound == 0 && stats.achieved_bound == 0);
  if (t.size() > 1) CHECK(t, stats.ratio > 50, "equal numbers are sent once, but the ratio is %g", stats.ratio);
  for (std::size_t i = 0; i < count; ++i) {
    const bool same = std::isnan(expected)   ? std::isnan(y[i])
                      : std::isinf(expected) ? y[i] == expected
                                             : std::fabs(y[i] - expected) <= slack;
    if (!CHECK(t, same, "element %zu is %g, not %g", i, y[i], expected)) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "no_range");
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double n = t.size();
  const double last = t.rank() == t.size() - 1;
  check(t, "all equal, sum", MPI_SUM, 0.3, 0.3 * n, n * n * 1e-16);
  check(t, "all equal, largest", MPI_MAX, 0.3, 0.3, 0);
  check(t, "all equal but for one NaN, largest", MPI_MAX, last != 0 ? nan : 1.0, nan, 0);
  check(t, "none finite, least", MPI_MIN, infinity, infinity, 0);
  check(t, "no number at all, mean", LACONIC_AVG, nan, nan, 0);
  const double fill = 9.96921e36;
  check(t, "fill values alone, sum", MPI_SUM, fill, n * fill, n * n * fill * 1e-16);
  check(t, "fill values and a rank of equal numbers, least", MPI_MIN, last != 0 ? 0.3 : fill, 0.3, 0);
  if (t.size() > 1) {
    const double most = std::numeric_limits<double>::max();
    check(t, "range beyond the type, least", MPI_MIN, last != 0 ? -most : most, -most, 0);
  }
  return t.finish();
}
