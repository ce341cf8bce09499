// SPDX-License-Identifier: BSD-3-Clause
// Calls that have been made before do not allocate. The program exports its operator new, which therefore also replaces
// that of the libraries it runs with.
#include "../support/counted_new.hpp"
#include "support.hpp"

using namespace dropin;
using ranks::Random;
using ranks::Test;

namespace {

constexpr int count = 20000;
constexpr int tag = 3;

struct World {
  int next;
  int previous;
  std::vector<float> mine;
  std::vector<float> theirs;
  std::vector<float> sum;
  MPI_Request persistent[2] = {};

  void blocking() {
    MPI_Sendrecv(mine.data(), count, MPI_FLOAT, next, tag, theirs.data(), count, MPI_FLOAT, previous, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void nonblocking() {
    MPI_Request requests[4];
    for (int k = 0; k < 2; ++k)
      MPI_Irecv(theirs.data() + k * count / 2, count / 2, MPI_FLOAT, previous, tag + k, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < 2; ++k)
      MPI_Isend(mine.data() + k * count / 2, count / 2, MPI_FLOAT, next, tag + k, MPI_COMM_WORLD, &requests[2 + k]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  void completed_one_by_one() {
    MPI_Request requests[2];
    MPI_Irecv(theirs.data(), count, MPI_FLOAT, previous, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine.data(), count, MPI_FLOAT, next, tag, MPI_COMM_WORLD, &requests[1]);
    for (int left = 2; left > 0; --left) {
      int which = 0;
      MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    }
  }
  void probed() {
    MPI_Request request;
    MPI_Isend(mine.data(), count, MPI_FLOAT, next, tag, MPI_COMM_WORLD, &request);
    MPI_Status status;
    MPI_Probe(previous, tag, MPI_COMM_WORLD, &status);
    int items = 0;
    MPI_Get_count(&status, MPI_FLOAT, &items);
    MPI_Recv(theirs.data(), items, MPI_FLOAT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void started_again() {
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
  }
  void allreduce() { MPI_Allreduce(mine.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
  void in_flight() {
    MPI_Request request;
    MPI_Iallreduce(mine.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

struct Part {
  const char* name;
  void (World::*run)();
};
constexpr Part parts[] = {{"MPI_Sendrecv", &World::blocking},
                          {"MPI_Isend, MPI_Irecv, MPI_Waitall", &World::nonblocking},
                          {"MPI_Waitany", &World::completed_one_by_one},
                          {"MPI_Probe, MPI_Recv", &World::probed},
                          {"MPI_Startall", &World::started_again},
                          {"MPI_Allreduce", &World::allreduce},
                          {"MPI_Iallreduce", &World::in_flight}};

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin allocations", MPI_THREAD_MULTIPLE);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  World w{(t.rank() + 1) % t.size(),     (t.rank() + t.size() - 1) % t.size(),
          numbers<float>(count, random), std::vector<float>(count),
          std::vector<float>(count),     {}};
  MPI_Recv_init(w.theirs.data(), count, MPI_FLOAT, w.previous, tag, MPI_COMM_WORLD, &w.persistent[0]);
  MPI_Send_init(w.mine.data(), count, MPI_FLOAT, w.next, tag, MPI_COMM_WORLD, &w.persistent[1]);
  for (const Part& part : parts) {
    for (int warm = 0; warm < 30; ++warm) (w.*part.run)();
    MPI_Barrier(MPI_COMM_WORLD);
    const long allocations = counted_new::during([&] {
      for (int k = 0; k < 20; ++k) (w.*part.run)();
    });
    CHECK(t, allocations == 0, "%s: %ld allocations in 20 rounds", part.name, allocations);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (MPI_Request& request : w.persistent) MPI_Request_free(&request);
  return t.finish();
}
