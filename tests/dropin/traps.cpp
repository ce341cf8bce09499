// SPDX-License-Identifier: BSD-3-Clause
// A program that traps floating-point exceptions, and sends bytes and doubles that are no numbers: what the drop-in
// does with them must not end it, and must leave its traps and flags as they were.
#include <fenv.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "support.hpp"

using namespace dropin;
using ranks::Test;

namespace {

constexpr std::size_t count = 4096;

// Operations of the test itself on what is no number are allowed.
class Allowed {
 public:
  Allowed() { feholdexcept(&saved_); }
  ~Allowed() { fesetenv(&saved_); }
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;

 private:
  fenv_t saved_{};
};

// Smooth numbers, and among them what may trap: signalling NaN, infinities, denormal and huge numbers.
std::vector<double> hostile(int rank) {
  const Allowed allowed;
  ranks::Random random(static_cast<std::uint64_t>(rank) + 1);
  std::vector<double> x = numbers<double>(count, random);
  const std::uint64_t bits[] = {0x7ff0000000000001, 0xfff4000000000123, 0x7ff0000000000000, 1, 0x7fefffffffffffff};
  for (std::size_t k = 0; k < std::size(bits); ++k) std::memcpy(&x[100 + k], &bits[k], sizeof bits[k]);
  return x;
}

bool equal_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool near(const std::vector<double>& got, const std::vector<double>& right, double bound) {
  const Allowed allowed;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(&got[i], &right[i], sizeof(double)) != 0 && !(std::fabs(got[i] - right[i]) <= bound)) return false;
  return true;
}

void exchange(Test& t, double bound) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  const std::vector<double> sent = hostile(rank);
  std::vector<double> got(count);
  MPI_Sendrecv(sent.data(), count, MPI_DOUBLE, right, 1, got.data(), count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(t, near(got, hostile(left), bound), "doubles");
  got.assign(count, 0);
  MPI_Sendrecv(sent.data(), count * sizeof(double), MPI_BYTE, right, 2, got.data(), count * sizeof(double), MPI_BYTE,
               left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(t, equal_bits(got, hostile(left)), "bytes");
  std::vector<double> all = hostile(0);
  MPI_Bcast(all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CHECK(t, near(all, hostile(0), bound), "a broadcast");
  std::vector<double> ordinary(count, 0.25 * rank);
  MPI_Allreduce(MPI_IN_PLACE, ordinary.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(t, near(ordinary, std::vector<double>(count, 0.125 * size * (size - 1)), 1.01 * bound), "a sum");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin traps");
  const Expectation expected(argc, argv);
#ifdef __GLIBC__
  constexpr int trapped = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(trapped);
#endif
  for (int k = 0; k < 3; ++k) exchange(t, expected.bound);
#ifdef __GLIBC__
  CHECK(t, fegetexcept() == trapped, "traps are enabled as before");
  CHECK(t, fetestexcept(trapped) == 0, "no flag is set");
  fedisableexcept(trapped);
#endif
  return t.finish();
}
