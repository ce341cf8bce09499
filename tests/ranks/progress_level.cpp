// SPDX-License-Identifier: BSD-3-Clause
// progress=thread where MPI takes calls of one thread only: an error on every rank, and nothing is left waiting.
#include "support.hpp"

namespace {

using namespace ranks;

constexpr int many = 100000;

struct Calls {
  Test& t;
  std::vector<float> in = std::vector<float>(many, 1.0F);
  std::vector<float> out = std::vector<float>(many, -1.0F);

  int allreduce(const laconic_options& o, bool blocking) {
    if (blocking) return laconic_allreduce(in.data(), out.data(), many, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &o);
    laconic_request request = LACONIC_REQUEST_NULL;
    const int rc = laconic_iallreduce(in.data(), out.data(), many, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request, &o);
    return rc == MPI_SUCCESS ? laconic_wait(&request, MPI_STATUS_IGNORE) : rc;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "progress_level");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (t.provided() < MPI_THREAD_MULTIPLE) {
    Calls calls{t};
    for (const int asks : {-1, 0, t.size() - 1})  // all ranks, or one
      for (const bool blocking : {true, false}) {
        t.doing(text("rank %d asks, %s", asks, blocking ? "blocking" : "nonblocking"));
        const bool mine = asks < 0 || asks == t.rank();
        laconic_options o;
        laconic_options_init(&o);
        o.bound = {LACONIC_BOUND_ABS, 1e-3};
        if (mine) o.progress = LACONIC_PROGRESS_THREAD;
        const int rc = calls.allreduce(o, blocking);
        CHECK(t, rc != MPI_SUCCESS || (t.size() == 1 && !mine));
        if (mine)
          for (const char* word : {"progress", "thread", "MPI_THREAD_MULTIPLE", "calls"})
            CHECK(t, message_of(rc).find(word) != std::string::npos, "%s", message_of(rc).c_str());
        CHECK(t, calls.out[0] == -1.0F);
        o.progress = LACONIC_PROGRESS_CALLS;
        CHECK(t, calls.allreduce(o, blocking) == MPI_SUCCESS);
        CHECK(t, std::abs(calls.out[0] - static_cast<float>(t.size())) < 2e-3F);
        calls.out.assign(many, -1.0F);
      }
    t.doing("a message");
    laconic_options o;
    laconic_options_init(&o);
    o.progress = LACONIC_PROGRESS_THREAD;
    laconic_request request = LACONIC_REQUEST_NULL;
    const int rc = laconic_isend(calls.in.data(), 1, MPI_FLOAT, t.rank(), 0, MPI_COMM_WORLD, &request, &o);
    CHECK(t, rc != MPI_SUCCESS && request == LACONIC_REQUEST_NULL);
  }
  return t.finish();
}
