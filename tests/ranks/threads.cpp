// SPDX-License-Identifier: BSD-3-Clause
// Several threads of each rank, each with a communicator of its own and operations in flight on it.
#include "collective_case.hpp"

namespace {

using namespace ranks;

void work(Test& t, MPI_Comm comm, std::uint64_t seed) {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  Random random(seed);
  Random local(seed + 1000003 * static_cast<std::uint64_t>(rank + 1));
  for (int round = 0; round < 6; ++round) {
    std::vector<std::unique_ptr<AnyCall>> calls;
    std::vector<laconic_request> requests;
    for (int k = 0; k < 12; ++k) {
      Setting s = random_setting(random, size, 1500);
      s.threads = 1;
      calls.push_back(make_call(s, random.below(2) == 0, comm));
      requests.push_back(LACONIC_REQUEST_NULL);
      int rc = MPI_SUCCESS;
      if (random.below(4) == 0)
        rc = calls.back()->run();
      else
        rc = calls.back()->begin(&requests.back());
      CHECK(t, rc == MPI_SUCCESS, "%s: %s", describe(s).c_str(), message_of(rc).c_str());
    }
    wait_in_any_order(t, requests, local);
    for (auto& call : calls) call->check(t);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "threads", MPI_THREAD_MULTIPLE);
  t.doing("threads");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.provided() == MPI_THREAD_MULTIPLE) {
    // Open MPI 4.1 loads its code for topologies with the first one, and crashes where two threads make it.
    const int one = 1;
    const int not_periodic = 0;
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &not_periodic, 0, &first);
    MPI_Comm_free(&first);
    constexpr int threads = 3;
    std::vector<MPI_Comm> comms(threads);
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<std::thread> all;
    for (int k = 0; k < threads; ++k)
      all.emplace_back(
          [&, k] { work(t, comms[static_cast<std::size_t>(k)], t.seed() * 100 + static_cast<std::uint64_t>(k)); });
    for (std::thread& thread : all) thread.join();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
  return t.finish();
}
