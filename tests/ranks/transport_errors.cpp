// SPDX-License-Identifier: BSD-3-Clause
// A failure between two ranks is reported with the operation and the peer.  The failures are made here, in front of the
// MPI library: a test of several requests reports that one of them has failed, as MPI libraries do.
#include <dlfcn.h>

#include "support.hpp"

namespace {

using namespace ranks;

// While set, the next completion call that finds something reports a failure.
bool fail_next = false;

int fail(int count, MPI_Status* statuses) {
  if (!fail_next || count <= 0 || statuses == MPI_STATUSES_IGNORE) return MPI_SUCCESS;
  fail_next = false;
  for (int k = 0; k < count; ++k) statuses[k].MPI_ERROR = k == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  return MPI_ERR_IN_STATUS;
}

}  // namespace

using TestOrWait = int (*)(int, MPI_Request*, int*, int*, MPI_Status*);
#define FAILING(NAME)                                                                                           \
  extern "C" __attribute__((visibility("default"))) int NAME(int count, MPI_Request requests[], int* completed, \
                                                             int indices[], MPI_Status statuses[]) {            \
    static auto* const next = reinterpret_cast<TestOrWait>(dlsym(RTLD_NEXT, #NAME));                            \
    const int code = next(count, requests, completed, indices, statuses);                                       \
    return code == MPI_SUCCESS && *completed != MPI_UNDEFINED ? fail(*completed, statuses) : code;              \
  }
FAILING(MPI_Testsome)
FAILING(MPI_Waitsome)

namespace {

void says(Test& t, int rc, const std::vector<std::string>& words) {
  const std::string message = message_of(rc);
  CHECK(t, rc != MPI_SUCCESS);
  for (const std::string& word : words)
    CHECK(t, message.find(word) != std::string::npos, "no '%s' in '%s'", word.c_str(), message.c_str());
  CHECK(t, message.find("MPI_ERROR field") == std::string::npos, "'%s'", message.c_str());
}

// The receive of a frame fails.
void in_frames(Test& t, bool blocking) {
  t.doing(blocking ? "a failure in frames of a blocking call" : "a failure in frames of a nonblocking call");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);  // prepares the communicator
  std::vector<float> x(1000, 1);
  const auto bcast = [&] {
    if (blocking) return laconic_bcast(x.data(), 1000, MPI_FLOAT, 0, comm, &o);
    laconic_request request = LACONIC_REQUEST_NULL;
    const int code = laconic_ibcast(x.data(), 1000, MPI_FLOAT, 0, comm, &request, &o);
    return code == MPI_SUCCESS ? laconic_wait(&request, MPI_STATUS_IGNORE) : code;
  };
  CHECK(t, bcast() == MPI_SUCCESS);
  fail_next = t.rank() == 1;
  const int rc = bcast();
  if (t.rank() == 1) says(t, rc, {"frame", "rank 0", "truncat"});
  fail_next = false;
  MPI_Barrier(MPI_COMM_WORLD);
}

// A nonblocking call sends more data uncompressed than there is room for.
void in_an_exchange(Test& t) {
  t.doing("a plain message that is too long");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  std::vector<float> x(1000, 1);
  CHECK(t, laconic_bcast(x.data(), 1000, MPI_FLOAT, 0, comm, &o) == MPI_SUCCESS);  // prepares the communicator
  std::vector<int> mine(500, t.rank());
  std::vector<int> all(static_cast<std::size_t>(500 * t.size()), -1);
  std::vector<MPI_Count> counts(static_cast<std::size_t>(t.size()), 500);
  std::vector<MPI_Aint> displs(static_cast<std::size_t>(t.size()));
  for (std::size_t p = 0; p < displs.size(); ++p) displs[p] = static_cast<MPI_Aint>(p) * 500;
  counts[1] = 100;
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = laconic_igatherv(mine.data(), 500, MPI_INT, all.data(), counts.data(), displs.data(), MPI_INT, 0, comm,
                            &request, &o);
  if (rc == MPI_SUCCESS) rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  if (t.rank() == 0) says(t, rc, {"receive", "rank 1", "runcat"});
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "transport_errors");
  // MPICH gives errors of several requests to the handler of MPI_COMM_WORLD, whatever their communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (t.size() > 1) {
    in_an_exchange(t);
    in_frames(t, true);
    in_frames(t, false);
  }
  return t.finish();
}
