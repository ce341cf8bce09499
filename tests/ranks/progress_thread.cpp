// SPDX-License-Identifier: BSD-3-Clause
// progress=thread: operations complete although one of the ranks is not in a call of Laconic.  Without the thread every
// part would wait for ever.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "collective_case.hpp"

namespace {

using namespace ranks;

constexpr MPI_Count many = 400000;
constexpr double bound = 1e-3;

laconic_options with_thread() {
  laconic_options o;
  laconic_options_init(&o);
  o.bound = {LACONIC_BOUND_ABS, bound};
  o.progress = LACONIC_PROGRESS_THREAD;
  return o;
}

std::vector<float> ramp(int rank) {
  std::vector<float> x(static_cast<std::size_t>(many));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(rank + 1) * std::sin(1e-3F * static_cast<float>(i));
  return x;
}

bool near(const std::vector<float>& x, double factor) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::fabs(x[i] - factor * std::sin(1e-3F * static_cast<float>(i))) > bound + 1e-4) return false;
  return true;
}

// Rank 0 waits in MPI for a message that the last rank sends when its operation has completed.
void wait_in_mpi(Test& t, MPI_Comm comm) {
  const int last = t.size() - 1;
  int token = 0;
  if (last == 0) return;
  if (t.rank() == 0) MPI_Recv(&token, 1, MPI_INT, last, 0, comm, MPI_STATUS_IGNORE);
  if (t.rank() == last) MPI_Send(&token, 1, MPI_INT, 0, 0, comm);
}

void collective(Test& t, MPI_Comm comm, MPI_Comm other, bool persistent) {
  t.doing(persistent ? "a persistent allreduce while rank 0 waits in MPI" : "an iallreduce while rank 0 waits in MPI");
  const laconic_options o = with_thread();
  const std::vector<float> mine = ramp(t.rank());
  std::vector<float> sum(mine.size());
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = persistent ? laconic_allreduce_init(mine.data(), sum.data(), many, MPI_FLOAT, MPI_SUM, comm, &request, &o)
                      : laconic_iallreduce(mine.data(), sum.data(), many, MPI_FLOAT, MPI_SUM, comm, &request, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (persistent) rc = laconic_start(&request);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (t.rank() == 0) wait_in_mpi(t, other);
  rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (t.rank() != 0) wait_in_mpi(t, other);
  CHECK(t, near(sum, t.size() * (t.size() + 1) / 2.0));
  if (persistent) CHECK(t, laconic_request_free(&request) == MPI_SUCCESS);
}

// A frame needs progress at its sender, which waits in MPI or in a collective that Laconic hands to MPI.
void message(Test& t, MPI_Comm comm, MPI_Comm other, bool through_laconic) {
  t.doing(through_laconic ? "a message while its sender is in a plain collective of Laconic"
                          : "a message while its sender waits in MPI");
  if (t.size() == 1) return;
  const laconic_options o = with_thread();
  const int last = t.size() - 1;
  std::vector<float> x = ramp(0);
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = MPI_SUCCESS;
  if (t.rank() == 0) rc = laconic_isend(x.data(), many, MPI_FLOAT, last, 3, comm, &request, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (t.rank() == last) {
    std::vector<float> y(x.size());
    rc = laconic_recv(y.data(), many, MPI_FLOAT, 0, 3, comm, MPI_STATUS_IGNORE, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, near(y, 1));
  }
  if (through_laconic) {
    int one = 1;
    int all = 0;
    rc = laconic_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, nullptr);
    CHECK(t, rc == MPI_SUCCESS && all == t.size(), "%s", message_of(rc).c_str());
  } else {
    wait_in_mpi(t, other);
  }
  rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
}

// The number of times the thread has gone to sleep by itself so far; -1 where there is no such thread, or no /proc.
long long sleeps_of_thread() {
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name != "laconic") continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("voluntary_ctxt_switches:")) return std::atoll(line.c_str() + line.find(':') + 1);
  }
  return -1;
}

void sleeping(Test& t) {
  t.doing("nothing in flight");
  const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  rest();  // an operation that has just completed is polled once more
  const long long before = sleeps_of_thread();
  rest();
  CHECK(t, sleeps_of_thread() == before);
#ifdef __linux__
  CHECK(t, before >= 0);
#endif
}

// Random operations, completed in any order, with barriers of MPI in between.
void anything(Test& t, MPI_Comm comm, MPI_Comm other) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_progress", "thread");
  CHECK(t, laconic_comm_set_info(comm, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  Random random(t.seed());
  Random local(t.seed() + 1000003 * static_cast<std::uint64_t>(t.rank() + 1));
  for (int round = 0; round < 8; ++round) {
    t.doing(text("round %d of anything", round));
    std::vector<std::unique_ptr<AnyCall>> calls;
    std::vector<laconic_request> requests;
    for (int k = 0; k < 8; ++k) {
      const Setting s = random_setting(random, t.size(), 3000);
      calls.push_back(make_call(s, random.below(2) == 0, comm));
      requests.push_back(LACONIC_REQUEST_NULL);
      const int rc = random.below(4) == 0 ? calls.back()->run() : calls.back()->begin(&requests.back());
      CHECK(t, rc == MPI_SUCCESS, "%s: %s", describe(s).c_str(), message_of(rc).c_str());
      if (random.below(3) == 0) MPI_Barrier(other);
    }
    wait_in_any_order(t, requests, local);
    for (auto& call : calls) call->check(t);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "progress_thread", MPI_THREAD_MULTIPLE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.provided() == MPI_THREAD_MULTIPLE) {
    for (int round = 0; round < 3; ++round) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm other = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_dup(MPI_COMM_WORLD, &other);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      collective(t, comm, other, false);
      collective(t, comm, other, true);
      message(t, comm, other, false);
      sleeping(t);
      anything(t, comm, other);
      MPI_Comm_free(&comm);
      // On a communicator on which no nonblocking collective was begun plain ones block in MPI.
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
      message(t, comm, other, true);
      MPI_Comm_free(&comm);
      MPI_Comm_free(&other);
    }
  }
  return t.finish();
}
