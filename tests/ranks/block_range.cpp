// SPDX-License-Identifier: BSD-3-Clause
// block:R between ranks: one large number does not spoil the bound of others, whether they move or are added up; every
// rank has the same bits; and what cannot have this bound is refused on all ranks.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "ranks/support.hpp"

using namespace ranks;

namespace {

constexpr std::size_t count = 30000;
constexpr std::size_t spoilt = 7777;
constexpr double share = 1e-9;
constexpr double share_of_sums = 1e-7;  // points of sums have fewer bits

// Numbers from -0.5 to 0.5, and one that is a billion times as large.
std::vector<double> numbers(int rank) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = 0.5 - 0.00073105857863 * static_cast<double>(i * static_cast<std::size_t>(rank + 7) % 1367);
  x[spoilt] = 1e9;
  return x;
}

laconic_options options_of(laconic_codec codec, laconic_stats& stats, double bound = share) {
  laconic_options o = options_with(LACONIC_BOUND_BLOCK, bound);
  o.codec = codec;
  o.stats = &stats;
  return o;
}

void check_stats(Test& t, const laconic_stats& stats, laconic_codec codec, double most = share) {
  if (t.size() == 1) return;  // plain
  CHECK(t, stats.codec == codec);
  CHECK(t, stats.bound == std::numeric_limits<double>::infinity());
  CHECK(t, stats.achieved_bound > 0 && stats.achieved_bound <= most, "%g", stats.achieved_bound);
  CHECK(t, stats.bytes_sent == 0 || stats.ratio > 1.5, "ratio %g", stats.ratio);
}

void check_moved(Test& t, const double* got, int from) {
  const std::vector<double> right = numbers(from);
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::fmax(most, std::fabs(got[i] - right[i]));
  CHECK(t, most <= share, "an error of %g", most);
  CHECK(t, t.size() == 1 || most > 0, "nothing was rounded");
}

void moves(Test& t, MPI_Comm comm, laconic_codec codec) {
  const int n = static_cast<int>(count);
  laconic_stats stats{};
  laconic_options o = options_of(codec, stats);
  t.doing("bcast");
  t.count_case();
  std::vector<double> x = numbers(t.rank());
  CHECK(t, laconic_bcast(x.data(), n, MPI_DOUBLE, 0, comm, &o) == MPI_SUCCESS);
  if (t.rank() != 0) check_moved(t, x.data(), 0);
  check_stats(t, stats, codec);
  t.doing("allgather");
  t.count_case();
  x = numbers(t.rank());
  std::vector<double> all(count * static_cast<std::size_t>(t.size()));
  CHECK(t, laconic_allgather(x.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, comm, &o) == MPI_SUCCESS);
  for (int r = 0; r < t.size(); ++r) check_moved(t, all.data() + count * static_cast<std::size_t>(r), r);
  CHECK(t, same_everywhere(hash_of(all.data(), all.size() * sizeof(double)), comm), "ranks hold different bits");
  check_stats(t, stats, codec);
}

void adds(Test& t, MPI_Comm comm, laconic_codec codec) {
  t.doing("allreduce");
  t.count_case();
  laconic_stats stats{};
  const laconic_options o = options_of(codec, stats, share_of_sums);
  const std::vector<double> x = numbers(t.rank());
  std::vector<double> y(count);
  CHECK(t,
        laconic_allreduce(x.data(), y.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, comm, &o) == MPI_SUCCESS);
  CHECK(t, same_everywhere(hash_of(y.data(), count * sizeof(double)), comm), "ranks hold different bits");
  std::vector<double> exact(count);
  for (int r = 0; r < t.size(); ++r) {
    const std::vector<double> part = numbers(r);
    for (std::size_t i = 0; i < count; ++i) exact[i] += part[i];
  }
  double most = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (i != spoilt) most = std::fmax(most, std::fabs(y[i] - exact[i]));
  CHECK(t, most <= share_of_sums * t.size() + 1e-14 * t.size(), "an error of %g", most);
  check_stats(t, stats, codec, share_of_sums * t.size());
}

void refused(Test& t, MPI_Comm comm, const laconic_options& o, std::initializer_list<const char*> words) {
  t.count_case();
  const std::vector<double> x(count, 1);
  std::vector<double> y(count);
  const int rc = laconic_allreduce(x.data(), y.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM, comm, &o);
  if (!CHECK(t, rc != MPI_SUCCESS)) return;
  for (const char* word : words)
    CHECK(t, message_of(rc).find(word) != std::string::npos, "'%s' is not in '%s'", word, message_of(rc).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "block_range");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const laconic_codec codec : {LACONIC_CODEC_QUANT, LACONIC_CODEC_DENSE}) {
    moves(t, comm, codec);
    adds(t, comm, codec);
  }
  laconic_options o = options_with(LACONIC_BOUND_BLOCK, share);
  t.doing("a variant that encodes at every hop");
  o.variant = LACONIC_VARIANT_CPR_P2P;
  refused(t, comm, o, {"block:", "cpr-p2p", "overlap", "nd"});
  t.doing("another codec");
  o.variant = LACONIC_VARIANT_UNSET;
  o.codec = LACONIC_CODEC_SZX;
  refused(t, comm, o, {"block:", "quant", "dense"});
  MPI_Comm_free(&comm);
  return t.finish();
}
