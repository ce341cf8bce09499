// SPDX-License-Identifier: BSD-3-Clause
// Communicators that the program duplicates without blocking, while operations are in flight that need one of
// Laconic's own.
#include <utility>

#include "support.hpp"

using namespace dropin;
using ranks::Random;
using ranks::Test;

namespace {

constexpr int count = 20000;

struct Sum {
  std::vector<double> mine;
  std::vector<double> got;
  std::vector<double> right;
  MPI_Comm comm;
  MPI_Request request = MPI_REQUEST_NULL;
  Sum(MPI_Comm c, Random& random) : mine(numbers<double>(count, random)), got(count), right(count), comm(c) {
    PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, comm);
  }
  void begin() { MPI_Iallreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm, &request); }
  void block() { MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm); }
  bool good(const Expectation& expected) const {
    int size = 1;
    PMPI_Comm_size(comm, &size);
    return alike(got, right, expected.bound, size);
  }
};

// where: the index of the duplication before which the sum begins; `number` to begin it after all of them.
void duplicate(Test& t, const Expectation& expected, Random& random, int number, int where, MPI_Comm of, MPI_Comm on) {
  t.count_case();
  Sum sum(on, random);
  std::vector<MPI_Comm> made(static_cast<std::size_t>(number), MPI_COMM_NULL);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(number), MPI_REQUEST_NULL);
  for (int k = 0; k < number; ++k) {
    if (k == where) sum.begin();
    MPI_Comm_idup(of, &made[static_cast<std::size_t>(k)], &requests[static_cast<std::size_t>(k)]);
  }
  if (where == number) sum.begin();
  requests.push_back(sum.request);
  MPI_Waitall(number + 1, requests.data(), MPI_STATUSES_IGNORE);
  CHECK(t, sum.good(expected));
  for (MPI_Comm& one : made) {
    Sum on_it(one, random);
    if (&one == &made.front()) {
      on_it.begin();
      MPI_Wait(&on_it.request, MPI_STATUS_IGNORE);
      CHECK(t, on_it.good(expected));
    }
    MPI_Comm_free(&one);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin duplicates");
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  for (const int number : {1, 8})
    for (const int where : {0, number / 2, number})
      for (const auto& [elsewhere, prepared] :
           {std::pair{false, false}, std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
        t.doing(ranks::text("%d duplications, a sum on %s after %d of them%s", number,
                            elsewhere ? "another communicator" : "the same", where,
                            prepared ? ", after a blocking one" : ""));
        MPI_Comm of = MPI_COMM_NULL;
        MPI_Comm other = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &of);
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        if (prepared) Sum(elsewhere ? other : of, random).block();
        duplicate(t, expected, random, number, where, of, elsewhere ? other : of);
        MPI_Comm_free(&of);
        MPI_Comm_free(&other);
      }
  return t.finish();
}
