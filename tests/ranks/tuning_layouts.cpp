// SPDX-License-Identifier: BSD-3-Clause
// options.tune: exchanges with neighbors, types with gaps, and counts in arrays.
#include <algorithm>
#include <cmath>
#include <vector>

#include "learnt.hpp"

namespace {

using namespace ranks;

constexpr double bound = 1e-3;

// Nonblocking exchanges with the neighbors in a ring, with and without gaps between the numbers.
void neighbors(Test& t, bool gaps) {
  t.doing(text("nonblocking exchanges with neighbors, %s gaps", gaps ? "with" : "without"));
  t.count_case();
  MPI_Comm ring = MPI_COMM_NULL;
  int size = t.size();
  int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  CHECK(t, laconic_comm_set_info(ring, MPI_INFO_NULL) == MPI_SUCCESS);
  const int step = gaps ? 2 : 1;
  constexpr std::size_t numbers = 30000;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_FLOAT, 0, static_cast<MPI_Aint>(sizeof(float)) * step, &type);
  MPI_Type_commit(&type);
  const std::size_t extent = numbers * static_cast<std::size_t>(step);
  std::vector<float> send(extent, -1);
  for (std::size_t i = 0; i < numbers; ++i) send[i * static_cast<std::size_t>(step)] = number_of(t.rank(), i);
  const int neighbor[2] = {(t.rank() + size - 1) % size, (t.rank() + 1) % size};
  int plain = 0;
  for (int k = 0; k < 30; ++k) {
    std::vector<float> recv(2 * extent, -2);
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.tune = LACONIC_TUNE_ON;
    laconic_stats stats{};
    o.stats = &stats;
    laconic_request request = LACONIC_REQUEST_NULL;
    CHECK(t, laconic_ineighbor_allgather(send.data(), numbers, type, recv.data(), numbers, type, ring, &request, &o) ==
                 MPI_SUCCESS);
    CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    plain += stats.plain_calls > 0;
    double worst = 0;
    bool kept = true;
    for (std::size_t at = 0; at < recv.size(); ++at) {
      const std::size_t i = at % extent;
      if (i % static_cast<std::size_t>(step) != 0) {
        kept = kept && recv[at] == -2;
        continue;
      }
      const float right = number_of(neighbor[at / extent], i / static_cast<std::size_t>(step));
      worst = std::max(worst, std::fabs(static_cast<double>(recv[at]) - static_cast<double>(right)));
    }
    CHECK(t, worst <= bound, "%g in call %d, %s", worst, k, stats.plain_calls > 0 ? "plain" : "compressed");
    CHECK(t, kept, "a gap was written in call %d", k);
  }
  CHECK(t, plain > 0);
  MPI_Type_free(&type);
  MPI_Comm_free(&ring);
}

// Repeated calls are recognised by their arguments, which are more than the addresses of arrays.
void changing_counts(Test& t) {
  t.doing("counts that change in their array");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto ranks = static_cast<std::size_t>(t.size());
  constexpr std::size_t stride = 9000;
  std::vector<float> send(ranks * stride);
  for (std::size_t i = 0; i < send.size(); ++i) send[i] = number_of(t.rank(), i);
  std::vector<MPI_Count> counts(ranks);
  std::vector<MPI_Aint> displs(ranks);
  std::uint64_t bytes[2] = {0, 0};
  for (int k = 0; k < 60; ++k) {
    const std::size_t kind = k % 3 == 2 ? 1 : 0;
    const std::size_t each = kind == 1 ? stride / 3 : stride;
    std::vector<float> recv(ranks * stride, -9);
    for (std::size_t p = 0; p < ranks; ++p) {
      counts[p] = static_cast<MPI_Count>(each);
      displs[p] = static_cast<MPI_Aint>(p * stride);
    }
    laconic_stats stats{};
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    o.tune = LACONIC_TUNE_ON;
    o.min_bytes = 1;
    o.stats = &stats;
    CHECK(t, laconic_alltoallv(send.data(), counts.data(), displs.data(), MPI_FLOAT, recv.data(), counts.data(),
                               displs.data(), MPI_FLOAT, comm, &o) == MPI_SUCCESS);
    if (k < 3) bytes[kind] = stats.bytes_in;
    CHECK(t, stats.bytes_in == bytes[kind], "call %d: %d bytes, not %d", k, static_cast<int>(stats.bytes_in),
          static_cast<int>(bytes[kind]));
    double worst = 0;
    for (std::size_t i = 0; i < recv.size(); ++i) {
      const bool received = i % stride < each;
      const double right =
          received ? number_of(static_cast<int>(i / stride), static_cast<std::size_t>(t.rank()) * stride + i % stride)
                   : -9;
      worst = std::max(worst, std::fabs(static_cast<double>(recv[i]) - right));
    }
    CHECK(t, worst <= bound + 1e-6, "%g in call %d", worst, k);
  }
  CHECK(t, bytes[0] == 3 * bytes[1], "%d and %d", static_cast<int>(bytes[0]), static_cast<int>(bytes[1]));
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "tuning_layouts");
  if (t.size() > 1) {
    for (const bool gaps : {false, true}) neighbors(t, gaps);
    changing_counts(t);
  }
  return t.finish();
}
