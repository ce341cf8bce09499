// SPDX-License-Identifier: BSD-3-Clause
// rms:R between ranks: every element is within the sum of the errors allowed to the contributions, every rank has the
// same bits, and every rank gets an error where the codec does not support this bound.
#include <cmath>
#include <limits>

#include "ranks/support.hpp"

using namespace ranks;

namespace {

constexpr std::size_t count = 50000;

// Runs of 700 numbers; each run has its own magnitude, which differs from rank to rank.
template <class T>
std::vector<T> gradients(int rank) {
  std::vector<T> x(count);
  std::uint64_t state = 77 + static_cast<std::uint64_t>(rank);
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double share = static_cast<double>(state >> 40) * 0x1p-24 - 0.5;
    x[i] = static_cast<T>(std::ldexp(share, -static_cast<int>((i / 700 * 7 + static_cast<std::size_t>(rank)) % 15)));
  }
  return x;
}

// Root mean squares of the blocks of a chunk of this many numbers, which is what the calls below are cut into.
constexpr std::size_t chunk = 4096;

template <class T>
void check(Test& t, const char* what, MPI_Comm comm, MPI_Datatype type, MPI_Op op, laconic_algorithm algorithm,
           double share, laconic_codec codec = LACONIC_CODEC_QUANT) {
  t.doing(what);
  t.count_case();
  laconic_options o = options_with(LACONIC_BOUND_RMS, share);
  o.algorithm = algorithm;
  o.codec = codec;
  o.chunk_elements = chunk;
  laconic_stats stats{};
  o.stats = &stats;
  const std::vector<T> x = gradients<T>(t.rank());
  std::vector<T> y(count);
  const int rc = laconic_allreduce(x.data(), y.data(), count, type, op, comm, &o);
  if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str())) return;
  CHECK(t, same_everywhere(hash_of(y.data(), count * sizeof(T)), comm), "ranks hold different bits");
  if (t.size() == 1) return;  // plain
  CHECK(t, stats.codec == codec);
  CHECK(t, stats.bound == std::numeric_limits<double>::infinity());
  CHECK(t, stats.achieved_bound > 0 && std::isfinite(stats.achieved_bound), "%g", stats.achieved_bound);
  CHECK(t, stats.ratio > 2, "ratio %g", stats.ratio);
  // Where a block begins depends on the algorithm: the largest size of those about an element is an upper bound.
  for (std::size_t i = 0; i < count; ++i) {
    double exact = op == MPI_MAX ? -10 : 0;
    double allowed = 0;
    for (int r = 0; r < t.size(); ++r) {
      static const std::vector<std::vector<T>> all = [&] {
        std::vector<std::vector<T>> made;
        for (int k = 0; k < t.size(); ++k) made.push_back(gradients<T>(k));
        return made;
      }();
      const auto& theirs = all[static_cast<std::size_t>(r)];
      const double v = static_cast<double>(theirs[i]);
      exact = op == MPI_MAX ? std::max(exact, v) : exact + v;
      int exponent = -99;
      for (std::size_t j = i < 512 ? 0 : i - 512; j < std::min(count, i + 512); j += 64)
        exponent = std::max(exponent, -static_cast<int>((j / 700 * 7 + static_cast<std::size_t>(r)) % 15));
      for (const std::size_t j : {i, std::min(count - 1, i + 511)})
        exponent = std::max(exponent, -static_cast<int>((j / 700 * 7 + static_cast<std::size_t>(r)) % 15));
      const double most = share * std::ldexp(0.5, exponent);
      allowed = op == MPI_MAX ? std::max(allowed, most) : allowed + most;
    }
    if (op != MPI_MAX && op != MPI_SUM) {
      exact /= t.size();
      allowed /= t.size();
    }
    const double rounding = 1e-7 * t.size() * t.size();
    if (!CHECK(t, std::fabs(static_cast<double>(y[i]) - exact) <= std::min(allowed, stats.achieved_bound) + rounding,
               "element %zu is %g, not %g (%g, %g)", i, static_cast<double>(y[i]), exact, allowed,
               stats.achieved_bound))
      break;
  }
}

// A hop that encodes again would err by a share of what the number has become.
void not_per_hop(Test& t, MPI_Comm comm) {
  for (const laconic_variant v : {LACONIC_VARIANT_CPR_P2P, LACONIC_VARIANT_HOST_CENTRIC}) {
    t.doing("rms with a variant that encodes at every hop");
    t.count_case();
    laconic_options o = options_with(LACONIC_BOUND_RMS, 0.1);
    o.variant = v;
    std::vector<float> x = gradients<float>(t.rank());
    const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
    CHECK(t, rc != MPI_SUCCESS);
    const std::string message = message_of(rc);
    for (const char* word : {"rms:", laconic_variant_name(v), "overlap", "nd"})
      CHECK(t, message.find(word) != std::string::npos, "no '%s' in '%s'", word, message.c_str());
  }
}

void refused(Test& t, MPI_Comm comm, laconic_codec codec) {
  t.doing("rms with another codec");
  t.count_case();
  laconic_options o = options_with(LACONIC_BOUND_RMS, 0.1);
  o.codec = codec;
  std::vector<float> x = gradients<float>(t.rank());
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc != MPI_SUCCESS);
  CHECK(t, message_of(rc).find("needs the codec quant") != std::string::npos, "%s", message_of(rc).c_str());
}

void from_environment(Test& t) {
  t.doing("LACONIC_BOUND=rms:0.1");
  t.count_case();
  setenv("LACONIC_BOUND", "rms:0.1", 1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<float> x = gradients<float>(t.rank());
  const laconic_options o = options_with(LACONIC_BOUND_UNSET, 0);
  const int rc = laconic_allreduce(MPI_IN_PLACE, x.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  CHECK(t, same_everywhere(hash_of(x.data(), count * sizeof(float)), comm), "ranks hold different bits");
  MPI_Comm_free(&comm);
  unsetenv("LACONIC_BOUND");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "rms");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const laconic_algorithm a :
       {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_RECURSIVE_DOUBLING, LACONIC_ALGORITHM_DIRECT}) {
    check<float>(t, "sum of floats", comm, MPI_FLOAT, MPI_SUM, a, 0.1);
    check<double>(t, "sum of doubles", comm, MPI_DOUBLE, MPI_SUM, a, 0.01);
    check<float>(t, "mean", comm, MPI_FLOAT, LACONIC_AVG, a, 0.3);
    check<float>(t, "largest", comm, MPI_FLOAT, MPI_MAX, a, 0.1);
    check<float>(t, "sum of floats with dense", comm, MPI_FLOAT, MPI_SUM, a, 0.1, LACONIC_CODEC_DENSE);
  }
  for (const laconic_codec codec : {LACONIC_CODEC_RAW, LACONIC_CODEC_SZX, LACONIC_CODEC_ZFP}) refused(t, comm, codec);
  not_per_hop(t, comm);
  from_environment(t);
  MPI_Comm_free(&comm);
  return t.finish();
}
