// SPDX-License-Identifier: BSD-3-Clause
// The memory that an allreduce needs beside its buffers does not grow with the data, and no more chunks are under way
// than requested.
#include <cmath>

#include "support.hpp"

namespace {

using namespace ranks;

// Messages are cut into every number of chunks tried: frames take no more memory than the data sent, whatever came
// before.
void messages(Test& t) {
  constexpr std::size_t count = std::size_t{1} << 22;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
  if (pair == MPI_COMM_NULL) return;
  laconic_comm_set_info(pair, MPI_INFO_NULL);
  std::vector<float> x(count, 1.5F);
  laconic_options o = options_with(LACONIC_BOUND_LOSSLESS, 0);
  o.codec = LACONIC_CODEC_RAW;  // so that no part of a frame is unused
  for (int k = 0; k < 24 && t.size() > 1; ++k) {
    t.doing(text("message %d of 16 MiB", k));
    t.count_case();
    laconic_stats stats{};
    o.stats = &stats;
    const auto n = static_cast<MPI_Count>(count);
    const int rc = t.rank() == 0 ? laconic_send(x.data(), n, MPI_FLOAT, 1, 0, pair, &o)
                                 : laconic_recv(x.data(), n, MPI_FLOAT, 0, 0, pair, MPI_STATUS_IGNORE, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, stats.memory_bytes <= count * sizeof(float) * 5 / 4, "%llu bytes for frames",
          static_cast<unsigned long long>(stats.memory_bytes));
  }
  MPI_Comm_free(&pair);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "memory");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const laconic_algorithm algorithm : {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_DIRECT})
    for (const int depth : {1, 4, 7}) {
      MPI_Comm comm;  // memory is kept for later calls on the same communicator
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      for (const std::size_t count : {std::size_t{1} << 20, std::size_t{1} << 22}) {
        t.doing(text("%s, depth %d, %zu numbers", laconic_algorithm_name(algorithm), depth, count));
        t.count_case();
        std::vector<float> x(count);
        for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(std::sin(1e-4 * static_cast<double>(i)));
        laconic_stats stats{};
        laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
        o.algorithm = algorithm;
        o.depth = depth;
        o.chunk_elements = 1 << 14;
        o.stats = &stats;
        const int rc =
            laconic_allreduce(MPI_IN_PLACE, x.data(), static_cast<MPI_Count>(count), MPI_FLOAT, MPI_SUM, comm, &o);
        if (!CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str()) || t.size() == 1) continue;
        CHECK(t, stats.ratio >= 4, "ratio %g: the case says nothing", stats.ratio);
        CHECK(t, stats.most_chunks <= static_cast<std::uint64_t>(depth), "%d chunks under way",
              static_cast<int>(stats.most_chunks));
        const std::uint64_t constant = static_cast<std::uint64_t>(depth) * 16 * (1 << 14) * sizeof(float);
        CHECK(t, stats.memory_bytes <= constant, "%llu bytes", static_cast<unsigned long long>(stats.memory_bytes));
      }
      MPI_Comm_free(&comm);
    }
  messages(t);
  return t.finish();
}
