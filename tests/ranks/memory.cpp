// What an Allreduce needs beside its buffers does not grow with the data, and no more chunks are under way than asked
// for.
#include <cmath>

#include "support.hpp"

int main(int argc, char** argv) {
  using namespace ranks;
  Test t(&argc, &argv, "memory");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const laconic_algorithm algorithm : {LACONIC_ALGORITHM_RING, LACONIC_ALGORITHM_DIRECT})
    for (const int depth : {1, 4, 7}) {
      std::uint64_t held = 0;
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
        CHECK(t, held == 0 || stats.memory_bytes == held, "%llu bytes, %llu for fewer numbers",
              static_cast<unsigned long long>(stats.memory_bytes), static_cast<unsigned long long>(held));
        held = stats.memory_bytes;
      }
      MPI_Comm_free(&comm);
    }
  return t.finish();
}
