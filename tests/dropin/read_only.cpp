// SPDX-License-Identifier: BSD-3-Clause
// Memory that MPI only reads lies in pages without write permission: send buffers, the root's buffer of a broadcast, a
// rank's own block in place. And several broadcasts in flight from one buffer.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

constexpr int count = 4096;  // whole pages of doubles

// Numbers in pages of their own.
class Pages {
 public:
  explicit Pages(std::size_t number)
      : bytes_(number * sizeof(double)),
        at_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Pages() { munmap(at_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  double* data() { return static_cast<double*>(at_); }
  void fill(const std::vector<double>& x) { std::copy(x.begin(), x.end(), data()); }
  // The part of so many numbers, whole pages, may be written or not.
  void allow(bool writes, std::size_t first = 0, std::size_t number = 0) {
    const std::size_t bytes = number == 0 ? bytes_ : number * sizeof(double);
    mprotect(data() + first, bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
  }

 private:
  std::size_t bytes_;
  void* at_;
};

// Whether all ranks have the same bits.
bool equal_on_all(const double* x, std::size_t number) {
  std::uint64_t hash = 1469598103934665603ULL;
  const auto bytes = std::as_bytes(std::span(x, number));
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211ULL;
  std::uint64_t both[2] = {hash, ~hash};
  std::uint64_t most[2] = {};
  PMPI_Allreduce(both, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most[0] == ~most[1];
}

void send_buffers(Test& t, const Expectation& e, Random& random) {
  t.doing("send buffers");
  t.count_case();
  const auto p = static_cast<std::size_t>(t.size());
  Pages mine(count * p);
  const auto x = numbers<double>(count * p, random);
  mine.fill(x);
  mine.allow(false);
  std::vector<double> got(count * p);
  std::vector<double> right(count * p);
  const double moved = e.movement ? e.bound : 0;
  const auto same = [&](double bound) { CHECK(t, alike(got, right, bound, t.size())); };
  const MPI_Comm world = MPI_COMM_WORLD;
  PMPI_Allreduce(x.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, world);
  same(e.bound);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  same(e.bound);
  PMPI_Allgather(x.data(), count, MPI_DOUBLE, right.data(), count, MPI_DOUBLE, world);
  MPI_Allgather(mine.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, world);
  same(moved);
  MPI_Iallgather(mine.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  same(moved);
  PMPI_Alltoall(x.data(), count, MPI_DOUBLE, right.data(), count, MPI_DOUBLE, world);
  MPI_Alltoall(mine.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, world);
  same(moved);
  MPI_Sendrecv(mine.data(), count, MPI_DOUBLE, t.rank(), 0, got.data(), count, MPI_DOUBLE, t.rank(), 0, world,
               MPI_STATUS_IGNORE);
}

using Broadcast = void (*)(void* buffer, MPI_Count items, MPI_Datatype type);

void blocking(void* buffer, MPI_Count items, MPI_Datatype type) {
  MPI_Bcast(buffer, static_cast<int>(items), type, 0, MPI_COMM_WORLD);
}
void nonblocking(void* buffer, MPI_Count items, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(buffer, static_cast<int>(items), type, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#if MPI_VERSION >= 4
void persistent(void* buffer, MPI_Count items, MPI_Datatype type) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Bcast_init(buffer, static_cast<int>(items), type, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}
#endif

// The root's memory changes its permission between calls, so that what was known of it is not true any more.
void roots(Test& t, const Expectation& e, Broadcast broadcast, bool spaced, const char* what) {
  t.doing(text("%s%s from a root without write permission", what, spaced ? " of numbers with gaps" : ""));
  t.count_case();
  MPI_Datatype gaps = MPI_DATATYPE_NULL;
  MPI_Type_vector(count / 4, 2, 4, MPI_DOUBLE, &gaps);
  MPI_Type_commit(&gaps);
  const double moved = e.movement ? e.bound : 0;
  Pages memory(count);
  for (const bool writes : {false, true, false}) {
    Random common(7);
    const auto x = numbers<double>(count, common);
    memory.allow(true);
    memory.fill(t.rank() == 0 ? x : std::vector<double>(count, -1));
    if (t.rank() == 0) memory.allow(writes);
    broadcast(memory.data(), spaced ? 1 : count, spaced ? gaps : MPI_DOUBLE);
    std::vector<double> right = x;
    for (int k = 0; spaced && t.rank() != 0 && k < count; ++k)
      if (k % 4 > 1) right[static_cast<std::size_t>(k)] = -1;
    CHECK(t, alike(memory.data(), right.data(), count, moved));
    std::vector<double> values;
    for (int k = 0; k < count; ++k)
      if (!spaced || k % 4 < 2) values.push_back(memory.data()[k]);
    CHECK(t, equal_on_all(values.data(), values.size()));
  }
  memory.allow(true);
  MPI_Type_free(&gaps);
}

// Each rank's own block may not be written, the others may.
void in_place(Test& t, const Expectation& e, Random& random) {
  t.doing("own blocks in place without write permission");
  t.count_case();
  const auto p = static_cast<std::size_t>(t.size());
  const auto own = static_cast<std::size_t>(t.rank()) * count;
  const auto mine = numbers<double>(count, random);
  std::vector<double> right(count * p);
  PMPI_Allgather(mine.data(), count, MPI_DOUBLE, right.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
  Pages all(count * p);
  for (const bool waits : {false, true}) {
    all.allow(true);
    all.fill(std::vector<double>(count * p, -1));
    std::copy(mine.begin(), mine.end(), all.data() + own);
    all.allow(false, own, count);
    MPI_Request request = MPI_REQUEST_NULL;
    if (waits)
      MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD, &request);
    else
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(t, alike(all.data(), right.data(), count * p, e.movement ? e.bound : 0));
    CHECK(t, equal_on_all(all.data(), count * p));
  }
  all.allow(true);
}

// Two broadcasts and a sum read one buffer at a time. On other ranks than the root, the second broadcast may come first
// and be completed before the other begins, for they are on different communicators.
void together(Test& t, const Expectation& e, Random& random, bool crossed, MPI_Comm first, MPI_Comm second) {
  t.doing(crossed ? "broadcasts from one buffer, begun crosswise" : "broadcasts from one buffer");
  t.count_case();
  Random common(11);
  const auto x = numbers<double>(count, common);
  const double moved = e.movement ? e.bound : 0;
  std::vector<double> a = t.rank() == 0 ? x : std::vector<double>(count, -1);
  std::vector<double> b(count, -2);
  std::vector<double> sum(count);
  std::vector<double> right(count);
  PMPI_Allreduce(t.rank() == 0 ? x.data() : b.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const std::vector<double> own = b;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (t.rank() == 0 || !crossed) {
    MPI_Ibcast(a.data(), count, MPI_DOUBLE, 0, first, &requests[0]);
    if (random.below(2) == 0) usleep(1000);
    MPI_Ibcast(t.rank() == 0 ? a.data() : b.data(), count, MPI_DOUBLE, 0, second, &requests[1]);
  } else {
    MPI_Ibcast(b.data(), count, MPI_DOUBLE, 0, second, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Ibcast(a.data(), count, MPI_DOUBLE, 0, first, &requests[0]);
  }
  MPI_Iallreduce(t.rank() == 0 ? a.data() : own.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                 &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  const std::vector<double>& other = t.rank() == 0 ? a : b;
  CHECK(t, alike(a, x, moved) && alike(other, x, moved));
  CHECK(t, equal_on_all(a.data(), count) && equal_on_all(other.data(), count));
  CHECK(t, alike(sum, right, e.bound + moved, t.size()));
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin read_only");
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  send_buffers(t, expected, random);
  for (const bool spaced : {false, true}) {
    roots(t, expected, blocking, spaced, "MPI_Bcast");
    roots(t, expected, nonblocking, spaced, "MPI_Ibcast");
#if MPI_VERSION >= 4
    if (!spaced) roots(t, expected, persistent, spaced, "MPI_Bcast_init");
#endif
  }
#ifndef OPEN_MPI  // Open MPI 4.1 itself writes own blocks
  in_place(t, expected, random);
#else
  (void)in_place;
#endif
  MPI_Comm comms[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<double> x(count, 1);
    MPI_Allreduce(MPI_IN_PLACE, x.data(), count, MPI_DOUBLE, MPI_SUM, comm);  // prepares it
  }
  for (int round = 0; round < 10; ++round) {
    together(t, expected, random, false, comms[0], comms[0]);
    together(t, expected, random, false, comms[0], comms[1]);
    together(t, expected, random, true, comms[0], comms[1]);
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  return t.finish();
}
