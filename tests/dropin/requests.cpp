// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives among a program's own requests, completed in every way that MPI has.
#include <algorithm>
#include <thread>

#include "completions.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

constexpr int count = 2000;

// An allreduce of its own numbers, and the expected result.
struct Sum {
  std::vector<double> mine;
  std::vector<double> got;
  std::vector<double> right;
  MPI_Comm comm;
  Sum(MPI_Comm c, Random& random) : mine(numbers<double>(count, random)), got(count), right(count), comm(c) {
    PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, comm);
  }
  int begin(MPI_Request* request) {
    return MPI_Iallreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm, request);
  }
  void block() { MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm); }
  bool good(const Expectation& expected) const {
    int size = 1;
    PMPI_Comm_size(comm, &size);
    return alike(got, right, expected.bound, size);
  }
};

// A message round the ring, sent by the program itself.
struct Ring {
  std::vector<int> out;
  std::vector<int> in;
  int left;
  explicit Ring(const Test& t) : out(100, t.rank()), in(100, -1), left((t.rank() + t.size() - 1) % t.size()) {}
  void begin(const Test& t, MPI_Request* send, MPI_Request* recv) {
    MPI_Irecv(in.data(), 100, MPI_INT, left, 5, MPI_COMM_WORLD, recv);
    MPI_Isend(out.data(), 100, MPI_INT, (t.rank() + 1) % t.size(), 5, MPI_COMM_WORLD, send);
  }
  bool good() const { return in == std::vector<int>(100, left); }
};

void overlapping(Test& t, const Expectation& expected, Random& random) {
  MPI_Comm dup = MPI_COMM_NULL;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 2, t.rank(), &half);
  for (int way = 0; way < ways_to_complete; ++way) {
    t.doing(text("three reductions and a ring, completed in way %d", way));
    t.count_case();
    // With Open MPI nonblocking calls on these are compressed from here on.
    if (way == 1 && expected.bound > 0)
      for (const MPI_Comm comm : {dup, half}) Sum(comm, random).block();
    Sum a(MPI_COMM_WORLD, random);
    Sum b(dup, random);
    Sum c(half, random);
    Sum d(dup, random);
    Ring ring(t);
    std::vector<MPI_Request> requests(6, MPI_REQUEST_NULL);
    std::vector<MPI_Status> statuses(6);
    a.begin(&requests[0]);
    ring.begin(t, &requests[1], &requests[2]);
    // The order on different communicators may differ between ranks.
    if (t.rank() % 2 == 0) b.begin(&requests[3]), c.begin(&requests[4]);
    if (t.rank() % 2 == 1) c.begin(&requests[4]), b.begin(&requests[3]);
    d.begin(&requests[5]);
    complete(t, way, requests, statuses);
    for (const Sum* sum : {&a, &b, &c, &d}) CHECK(t, sum->good(expected));
    CHECK(t, ring.good());
    int received = 0;
    MPI_Get_count(&statuses[2], MPI_INT, &received);
    CHECK(t, statuses[2].MPI_SOURCE == ring.left && statuses[2].MPI_TAG == 5 && received == 100,
          "source %d tag %d count %d", statuses[2].MPI_SOURCE, statuses[2].MPI_TAG, received);
  }
#ifndef OPEN_MPI  // 4.1 itself does not survive it
  t.doing("a communicator freed while a reduction is in flight on it");
  Sum late(half, random);
  MPI_Request request = MPI_REQUEST_NULL;
  late.begin(&request);
  int size = 1;
  MPI_Comm_size(half, &size);
  MPI_Comm_free(&half);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, alike(late.got, late.right, expected.bound, size));
#else
  MPI_Comm_free(&half);
#endif
  MPI_Comm_free(&dup);
}

// A rank that blocks elsewhere must not delay the others.
void blocking_elsewhere(Test& t, const Expectation& expected, Random& random) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int how = 0; how < 3; ++how) {
    t.doing(text("blocking elsewhere, %d", how));
    t.count_case();
    Sum sum(MPI_COMM_WORLD, random);
    MPI_Request request = MPI_REQUEST_NULL;
    const bool first = t.rank() == 0;
    int token = 0;
    sum.begin(&request);
    if (!first) MPI_Wait(&request, MPI_STATUS_IGNORE);
    switch (how) {
      case 0: MPI_Barrier(other); break;
      case 1: MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, other); break;
      default:
        if (first)
          for (int k = 1; k < t.size(); ++k)
            MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
          MPI_Send(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    if (first) MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(t, sum.good(expected));
  }
  MPI_Comm_free(&other);
}

// The memory lives to the end of the program, because a program cannot know when such an operation ends.
void freed_requests(Test& t, const Expectation& expected, Random& random) {
  t.doing("requests that are freed while they are active");
  // The standard does not allow it for collectives that MPI itself does, so only where they are ours: Open MPI refuses
  // all of them, MPICH 4.0 its own, and others may not come to an end by themselves.
#ifndef OPEN_MPI
  static std::vector<Sum>& sums = *new std::vector<Sum>;
  for (int k = 0; expected.bound > 0 && t.size() > 1 && k < 3; ++k) sums.emplace_back(MPI_COMM_WORLD, random);
  for (Sum& sum : sums) {
    MPI_Request request = MPI_REQUEST_NULL;
    sum.begin(&request);
    MPI_Request_free(&request);
    CHECK(t, request == MPI_REQUEST_NULL);
  }
#endif
  Sum sum(MPI_COMM_WORLD, random);
  MPI_Request in_flight = MPI_REQUEST_NULL;
  sum.begin(&in_flight);
  static int message[2] = {0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&message[0], 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  MPI_Request_free(&request);
  MPI_Recv(&message[1], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&in_flight, MPI_STATUS_IGNORE);
  CHECK(t, sum.good(expected));
}

void movement(Test& t, const Expectation& expected, Random& random) {
  t.doing("an iallgather and an ibcast");
  const auto mine = numbers<float>(count, random);
  const auto n = static_cast<std::size_t>(t.size());
  std::vector<float> got(count * n);
  std::vector<float> right(count * n);
  std::vector<float> sent = mine;
  std::vector<float> sent_right = mine;
  PMPI_Allgather(mine.data(), count, MPI_FLOAT, right.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
  PMPI_Bcast(sent_right.data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD);
  MPI_Request requests[2];
  MPI_Iallgather(mine.data(), count, MPI_FLOAT, got.data(), count, MPI_FLOAT, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(sent.data(), count, MPI_FLOAT, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  const double bound = expected.movement ? expected.bound : 0;
  CHECK(t, alike(got, right, bound) && alike(sent, sent_right, bound));
}

void from_threads(Test& t, const Expectation& expected) {
  if (t.provided() < MPI_THREAD_MULTIPLE) return;
  t.doing("reductions from four threads, each on a communicator of its own");
  std::vector<MPI_Comm> comms(4);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < comms.size(); ++k)
    threads.emplace_back([&, k] {
      Random random(t.seed() + 100 * k + static_cast<std::size_t>(t.rank()));
      for (int round = 0; round < 5; ++round) {
        Sum blocking(comms[k], random);
        Sum nonblocking(comms[k], random);
        MPI_Request request = MPI_REQUEST_NULL;
        nonblocking.begin(&request);
        MPI_Allreduce(blocking.mine.data(), blocking.got.data(), count, MPI_DOUBLE, MPI_SUM, comms[k]);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(t, blocking.good(expected) && nonblocking.good(expected));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4
void persistent(Test& t, const Expectation& expected, Random& random) {
  std::vector<double> mine(count);
  std::vector<double> got(count);
  std::vector<double> right(count);
  std::vector<float> own(count);
  int out = 0;
  int in = 0;
  MPI_Request requests[4];
  const int next = (t.rank() + 1) % t.size();
  const int last = (t.rank() + t.size() - 1) % t.size();
  MPI_Allreduce_init(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, next, 11, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&in, 1, MPI_INT, last, 11, MPI_COMM_WORLD, &requests[2]);
  MPI_Reduce_init(t.rank() == 0 ? MPI_IN_PLACE : own.data(), own.data(), count, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD,
                  MPI_INFO_NULL, &requests[3]);
  for (int round = 0; round < 30; ++round) {
    t.doing(text("persistent requests, round %d", round));
    t.count_case();
    // The buffers stay the same, because the requests hold their addresses.
    std::ranges::copy(numbers<double>(count, random), mine.begin());
    std::ranges::copy(numbers<float>(count, random), own.begin());
    std::vector<float> most(count);
    PMPI_Allreduce(own.data(), most.data(), count, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    out = 100 * round + t.rank();
    // Inactive requests are complete; MPICH 5.0's own collective ones are an error there.
    int flag = 0;
    if (expected.bound > 0 && t.size() > 1) {
      MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
      CHECK(t, flag);
    }
    if (round % 2 == 0)
      MPI_Startall(4, requests);
    else
      for (MPI_Request& request : requests) MPI_Start(&request);
    if (round % 3 == 0) {
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else if (round % 3 == 1) {
      for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      for (int done = 0; done < 4;) {
        int now = 0;
        int indices[4];
        MPI_Waitsome(4, requests, &now, indices, MPI_STATUSES_IGNORE);
        if (!CHECK(t, now != MPI_UNDEFINED, "after %d", done)) break;
        done += now;
      }
    }
    for (const MPI_Request& request : requests) CHECK(t, request != MPI_REQUEST_NULL);
    CHECK(t, alike(got, right, expected.bound, t.size()));
    CHECK(t, in == 100 * round + last);
    if (t.rank() == 0) CHECK(t, alike(own, most, expected.bound));
  }
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    CHECK(t, request == MPI_REQUEST_NULL);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && std::string(argv[argc - 1]) == "threads";
  Test t(&argc, &argv, "dropin requests", threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  if (threads) --argc;
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  int level = -1;
  MPI_Query_thread(&level);
  CHECK(t, level == t.provided() && (threads || level == MPI_THREAD_SINGLE), "level %d", level);
  overlapping(t, expected, random);
  blocking_elsewhere(t, expected, random);
  movement(t, expected, random);
  from_threads(t, expected);
#if MPI_VERSION >= 4
  persistent(t, expected, random);
#endif
  freed_requests(t, expected, random);
  return t.finish();
}
