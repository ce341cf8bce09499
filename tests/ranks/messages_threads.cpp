// SPDX-License-Identifier: BSD-3-Clause
// Threads that send and receive at the same time: each on a communicator of its own, and several on one.
#include <cmath>

#include "support.hpp"

namespace {

using namespace ranks;

constexpr std::size_t count = 40000;

float number(std::size_t i, int rank, int thread, int round) {
  return static_cast<float>(std::sin(0.01 * static_cast<double>(i)) + rank + 10 * thread + 0.5 * round);
}

// Exchanges with the neighbours; odd threads by nonblocking calls.  Tags tell threads apart.
void exchange(Test& t, MPI_Comm comm, int thread, int rounds) {
  std::vector<float> x(count);
  std::vector<float> y(count);
  const int next = (t.rank() + 1) % t.size();
  const int previous = (t.rank() + t.size() - 1) % t.size();
  laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  o.threads = thread == 2 ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    // Some of the messages are sent uncompressed.
    const auto n = static_cast<MPI_Count>(round % 4 == 3 ? 100 : count);
    o.min_bytes = round % 4 == 3 ? 0 : 1;
    for (std::size_t i = 0; i < count; ++i) x[i] = number(i, t.rank(), thread, round);
    int rc = MPI_SUCCESS;
    if (thread % 2 == 0) {
      rc = laconic_sendrecv(x.data(), n, MPI_FLOAT, next, thread, y.data(), n, MPI_FLOAT, previous, thread, comm,
                            MPI_STATUS_IGNORE, &o);
    } else {
      laconic_request requests[2] = {LACONIC_REQUEST_NULL, LACONIC_REQUEST_NULL};
      laconic_isend(x.data(), n, MPI_FLOAT, next, thread, comm, &requests[0], &o);
      laconic_irecv(y.data(), n, MPI_FLOAT, MPI_ANY_SOURCE, thread, comm, &requests[1], nullptr);
      rc = laconic_waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    CHECK(t, rc == MPI_SUCCESS, "thread %d, round %d: %s", thread, round, message_of(rc).c_str());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      if (!CHECK(t, std::fabs(y[i] - number(i, previous, thread, round)) <= 1.001e-3F,
                 "thread %d, round %d, number %zu: %g", thread, round, i, static_cast<double>(y[i])))
        break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "messages_threads", MPI_THREAD_MULTIPLE);
  if (t.provided() < MPI_THREAD_MULTIPLE) {
    if (t.rank() == 0) std::printf("messages_threads: skipped, this MPI has no MPI_THREAD_MULTIPLE\n");
    return t.finish();
  }
  constexpr int threads = 4;
  const int rounds = static_cast<int>(environment_number("TEST_CASES", 12));
  for (const bool shared : {false, true}) {
    t.doing(shared ? "threads on one communicator" : "threads on communicators of their own");
    t.count_case();
    std::vector<MPI_Comm> comms(threads);
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      laconic_comm_set_info(comm, MPI_INFO_NULL);
    }
    std::vector<std::thread> team;
    for (int k = 0; k < threads; ++k)
      team.emplace_back([&, k] { exchange(t, comms[shared ? 0 : static_cast<std::size_t>(k)], k, rounds); });
    for (std::thread& member : team) member.join();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
  return t.finish();
}
