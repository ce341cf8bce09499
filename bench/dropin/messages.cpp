// SPDX-License-Identifier: BSD-3-Clause
// The effect of LACONIC_P2P on a halo exchange: every rank sends a piece of a field to both its neighbours in a ring.
// A communicator whose messages are left to MPI and one whose messages are not take turns in one run.
//
//     LACONIC_P2P=1 LACONIC_TUNE=off LACONIC_BOUND=rel:1e-4 LACONIC_EXCLUDE=send+comm:plain
//     LD_PRELOAD=.../liblaconic-mpi.so
//         bench/lab/lab.py run -n 4 --rate 1gbit ... -- messages FIELD.f32 1048576 ...
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t rounds = 15;

struct Ring {
  int rank = 0;
  int size = 1;
  std::vector<float> field;
  std::size_t count = 0;

  const float* piece() const { return field.data(); }

  // The seconds of one exchange on the slowest rank.
  double exchange(MPI_Comm comm, std::array<std::vector<float>, 2>& in) const {
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    const int n = static_cast<int>(count);
    std::array<MPI_Request, 4> requests{};
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    MPI_Irecv(in[0].data(), n, MPI_FLOAT, left, 0, comm, &requests[0]);
    MPI_Irecv(in[1].data(), n, MPI_FLOAT, right, 1, comm, &requests[1]);
    MPI_Isend(piece(), n, MPI_FLOAT, right, 0, comm, &requests[2]);
    MPI_Isend(piece(), n, MPI_FLOAT, left, 1, comm, &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    const double mine = MPI_Wtime() - begin;
    double longest = 0;
    PMPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
  }
};

std::vector<float> read(const char* path, std::size_t least) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto bytes = file ? static_cast<std::size_t>(file.tellg()) : 0;
  std::vector<float> field(bytes / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(field.data()), static_cast<std::streamsize>(field.size() * sizeof(float)));
  if (field.empty()) return {};
  const std::size_t own = field.size();
  field.reserve(least);
  while (field.size() < least) field.push_back(field[field.size() - own]);
  return field;
}

double largest_error(const Ring& ring, const std::array<std::vector<float>, 2>& in) {
  double largest = 0;
  for (const auto& side : in)
    for (std::size_t k = 0; k < ring.count; ++k)
      largest = std::max(largest, std::fabs(static_cast<double>(side[k]) - static_cast<double>(ring.piece()[k])));
  return largest;
}

void measure(const Ring& ring, MPI_Comm plain, MPI_Comm compressed) {
  std::array<std::vector<float>, 2> in{std::vector<float>(ring.count), std::vector<float>(ring.count)};
  std::vector<double> a;
  std::vector<double> b;
  for (std::size_t k = 0; k < rounds + 2; ++k) {
    const double one = ring.exchange(plain, in);
    const double other = ring.exchange(compressed, in);
    if (k < 2) continue;
    a.push_back(one);
    b.push_back(other);
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (ring.rank == 0)
    std::printf("| %zu | %.3f [%.3f - %.3f] | %.3f [%.3f - %.3f] | %.2f | %.3g |\n", ring.count * sizeof(float),
                a[rounds / 2] * 1e3, a.front() * 1e3, a.back() * 1e3, b[rounds / 2] * 1e3, b.front() * 1e3,
                b.back() * 1e3, a[rounds / 2] / b[rounds / 2], largest_error(ring, in));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring ring;
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.size);
  std::vector<std::size_t> sizes;
  for (int k = 2; k < argc; ++k) sizes.push_back(std::strtoull(argv[k], nullptr, 10) / sizeof(float));
  if (!sizes.empty()) ring.field = read(argv[1], *std::max_element(sizes.begin(), sizes.end()));
  if (ring.field.empty()) {
    if (ring.rank == 0) std::fprintf(stderr, "usage: messages FIELD BYTES...; FIELD holds float32 numbers\n");
    MPI_Finalize();
    return 2;
  }
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm compressed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Comm_set_name(plain, "plain");
  MPI_Comm_dup(MPI_COMM_WORLD, &compressed);
  if (ring.rank == 0)
    std::printf(
        "| bytes of a message | plain, ms [range] | compressed, ms [range] | plain / compressed | largest error |\n"
        "|---|---|---|---|---|\n");
  for (const std::size_t count : sizes) {
    ring.count = count;
    measure(ring, plain, compressed);
  }
  MPI_Comm_free(&plain);
  MPI_Comm_free(&compressed);
  MPI_Finalize();
  return 0;
}
