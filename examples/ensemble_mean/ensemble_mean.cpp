// SPDX-License-Identifier: BSD-3-Clause
// Every rank computes one member of an ensemble of forecasts.  In each step the ranks form the mean of all members, for
// output, with a bound on its error, while they compute the next step.
//
//   mpiexec -n 4 ensemble_mean [bound]        the bound is abs:1e-4 if none is given
#include <laconic/laconic.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace lac = laconic::mpi;

constexpr std::size_t width = 512;
constexpr std::size_t height = 512;
constexpr int steps = 20;

// The member of a rank: a warm spot, at a place of its own, that wind and diffusion spread over a torus.
class Member {
 public:
  explicit Member(int rank) : field_(width * height), next_(width * height) {
    const double cx = 200.0 + 5.0 * rank;
    const double cy = 256.0 - 3.0 * rank;
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const double dx = (static_cast<double>(x) - cx) / 40;
        const double dy = (static_cast<double>(y) - cy) / 30;
        field_[y * width + x] = static_cast<float>(280 + 15 * std::exp(-dx * dx - dy * dy));
      }
  }

  void advance() {
    for (std::size_t y = 0; y < height; ++y) {
      const float* row = field_.data() + y * width;
      const float* above = field_.data() + (y + height - 1) % height * width;
      const float* below = field_.data() + (y + 1) % height * width;
      for (std::size_t x = 0; x < width; ++x) {
        const float left = row[(x + width - 1) % width];
        const float right = row[(x + 1) % width];
        const float spread = left + right + above[x] + below[x] - 4 * row[x];
        next_[y * width + x] = row[x] + 0.2F * spread - 0.3F * (row[x] - left);
      }
    }
    std::swap(field_, next_);
  }

  const std::vector<float>& field() const { return field_; }

 private:
  std::vector<float> field_;
  std::vector<float> next_;
};

// The largest error of the mean of float numbers, against a sum in double precision on all ranks.
double largest_error(const std::vector<float>& mine, const std::vector<float>& mean, int ranks, MPI_Comm comm) {
  std::vector<double> sum(mine.begin(), mine.end());
  lac::allreduce(sum, MPI_SUM, comm, lac::Options().algorithm(LACONIC_ALGORITHM_PLAIN));
  double largest = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) largest = std::max(largest, std::abs(mean[k] - sum[k] / ranks));
  return largest;
}

bool forecast(const std::string& bound, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  // Prepares the communicator: with Open MPI, persistent collectives are compressed only then.
  lac::check(laconic_comm_set_info(comm, MPI_INFO_NULL));

  Member member(rank);
  std::vector<float> snapshot(width * height);
  std::vector<float> mean(width * height);
  laconic_stats stats{};
  // Declared after its buffers: it completes the operation before they go, also where an exception leaves early.
  lac::Request averaging =
      lac::allreduce_init(snapshot, mean, LACONIC_AVG, comm, lac::Options().bound(bound).stats(stats));

  for (int step = 0; step < steps; ++step) {
    snapshot = member.field();  // keeps its memory, since the size is the same
    averaging.start();
    member.advance();
    averaging.wait();
  }

  const double error = largest_error(snapshot, mean, ranks, comm);
  const double rounding = 280 * 0x1p-23;  // of the mean to float
  const bool good = error <= stats.achieved_bound + rounding;
  if (rank == 0) {
    std::printf("%d members, %s: ratio %.1f, largest error %.2e, achieved bound %.2e\n", ranks, bound.c_str(),
                stats.ratio, error, stats.achieved_bound);
    if (stats.plain_calls > 0) std::printf("plain because %s\n", laconic_plain_reason_string(stats.plain_reason));
    std::printf("%s\n", good ? "the bound holds" : "the bound is broken");
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // so that errors become exceptions
  bool good = false;
  try {
    good = forecast(argc > 1 ? argv[1] : "abs:1e-4", MPI_COMM_WORLD);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ensemble_mean: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
