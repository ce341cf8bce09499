// SPDX-License-Identifier: BSD-3-Clause
// The codec zfp between ranks: fixed accuracy and fixed rate; without libzfp, the error that says so on every rank.
#include <cmath>
#include <limits>

#include "ranks/support.hpp"

using namespace ranks;

namespace {

constexpr std::size_t count = 20000;

std::vector<float> wave(int rank) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(std::sin(0.01 * static_cast<double>(i) + rank) + 1e-3 * static_cast<double>(i % 7));
  return x;
}

// True where the library was built with libzfp.
bool check(Test& t, const char* what, MPI_Comm comm, laconic_bound_mode mode, double value, MPI_Op op,
           laconic_algorithm algorithm) {
  t.doing(what);
  t.count_case();
  laconic_options o = options_with(mode, value);
  o.codec = LACONIC_CODEC_ZFP;
  o.algorithm = algorithm;
  laconic_stats stats{};
  o.stats = &stats;
  const std::vector<float> x = wave(t.rank());
  std::vector<float> y(count, -77.0F);
  const int rc = laconic_allreduce(x.data(), y.data(), count, MPI_FLOAT, op, comm, &o);
  if (rc != MPI_SUCCESS) {
    const std::string message = message_of(rc);
    CHECK(t, message.find("libzfp") != std::string::npos, "%s", message.c_str());
    CHECK(t, y[0] == -77.0F && y[count - 1] == -77.0F, "recvbuf was changed");
    return false;
  }
  CHECK(t, same_everywhere(hash_of(y.data(), count * sizeof(float)), comm), "ranks hold different bits");
  if (t.size() == 1) return true;  // plain
  CHECK(t, stats.codec == LACONIC_CODEC_ZFP);
  CHECK(t, std::isfinite(stats.achieved_bound) && stats.achieved_bound <= stats.bound);
  if (mode == LACONIC_BOUND_RATE) {
    CHECK(t, stats.bound == std::numeric_limits<double>::infinity());
    CHECK(t, std::fabs(stats.ratio * value / 32 - 1) < 0.05, "ratio %g", stats.ratio);
  } else {
    CHECK(t, stats.bound == value);
  }
  for (std::size_t i = 0; i < count; ++i) {
    double exact = op == MPI_MAX ? -10 : 0;
    for (int r = 0; r < t.size(); ++r) {
      const double v = static_cast<double>(
          static_cast<float>(std::sin(0.01 * static_cast<double>(i) + r) + 1e-3 * static_cast<double>(i % 7)));
      exact = op == MPI_MAX ? std::max(exact, v) : exact + v;
    }
    if (op != MPI_MAX && op != MPI_SUM) exact /= t.size();
    const double rounding = 1e-7 * t.size() * (t.size() + stats.achieved_bound);
    if (!CHECK(t, std::fabs(y[i] - exact) <= stats.achieved_bound + rounding, "element %zu is %g, not %g (%g)", i, y[i],
               exact, stats.achieved_bound))
      break;
  }
  return true;
}

void refused(Test& t, MPI_Comm comm, laconic_codec codec) {
  t.doing(codec == LACONIC_CODEC_UNSET ? "a rate without a codec" : "a rate with another codec");
  t.count_case();
  laconic_options o = options_with(LACONIC_BOUND_RATE, 8);
  o.codec = codec;
  std::vector<float> x = wave(t.rank());
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc != MPI_SUCCESS);
  CHECK(t, message_of(rc).find("zfp") != std::string::npos, "%s", message_of(rc).c_str());
}

// Bound and codec from different places.
void from_environment(Test& t) {
  t.doing("LACONIC_BOUND=rate:8");
  t.count_case();
  setenv("LACONIC_BOUND", "rate:8", 1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<float> x = wave(t.rank());
  laconic_options o = options_with(LACONIC_BOUND_UNSET, 0);
  int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc != MPI_SUCCESS && message_of(rc).find("zfp") != std::string::npos, "%s", message_of(rc).c_str());
  o.bound = {LACONIC_BOUND_ABS, 1e-3};  // nearer than the environment
  rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  o.bound = {LACONIC_BOUND_UNSET, 0};
  o.codec = LACONIC_CODEC_ZFP;
  rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS || message_of(rc).find("libzfp") != std::string::npos, "%s", message_of(rc).c_str());
  MPI_Comm_free(&comm);
  unsetenv("LACONIC_BOUND");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "zfp");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const laconic_algorithm a :
       {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING, LACONIC_ALGORITHM_DIRECT}) {
    if (!check(t, "a bound, sum", comm, LACONIC_BOUND_ABS, 1e-2, MPI_SUM, a)) break;
    check(t, "a bound, largest", comm, LACONIC_BOUND_ABS, 1e-2, MPI_MAX, a);
    check(t, "a bound, mean", comm, LACONIC_BOUND_ABS, 1e-4, LACONIC_AVG, a);
    check(t, "a rate, sum", comm, LACONIC_BOUND_RATE, 8, MPI_SUM, a);
    check(t, "a rate, mean", comm, LACONIC_BOUND_RATE, 16, LACONIC_AVG, a);
    check(t, "a rate, largest", comm, LACONIC_BOUND_RATE, 12, MPI_MAX, a);
  }
  refused(t, comm, LACONIC_CODEC_UNSET);
  refused(t, comm, LACONIC_CODEC_QUANT);
  from_environment(t);
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  std::vector<float> x = wave(t.rank());
  t.doing("a good call afterwards");
  CHECK(t, laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o) == MPI_SUCCESS);
  MPI_Comm_free(&comm);
  return t.finish();
}
