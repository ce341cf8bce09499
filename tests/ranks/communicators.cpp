// SPDX-License-Identifier: BSD-3-Clause
// Communicators of every kind, made, used, mixed and freed: Laconic follows them and leaves nothing behind.
#include <thread>

#include "counted_communicators.hpp"

namespace {

using namespace ranks;

void kinds(Test& t) {
  t.doing("MPI_COMM_WORLD, MPI_COMM_SELF");
  use(t, MPI_COMM_WORLD);
  use(t, MPI_COMM_SELF);
  t.doing("halves");
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 2, 0, &half);
  use(t, half, 1);
  t.doing("backwards");
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -t.rank(), &backwards);
  use(t, backwards, 2);
  t.doing("a duplicate of a communicator in use");
  MPI_Comm twin;
  MPI_Comm_dup(backwards, &twin);
  use(t, twin, 3);
  use(t, backwards, 4);
  t.doing("all but the last rank");
  MPI_Comm most;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() == t.size() - 1 ? MPI_UNDEFINED : 0, 0, &most);
  if (most != MPI_COMM_NULL) use(t, most, 5);
  t.doing("a grid");
  int dims[2] = {0, 0};
  int periods[2] = {1, 0};
  MPI_Dims_create(t.size(), 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  if (grid != MPI_COMM_NULL) {
    ++communicators;  // MPI_Cart_create is not counted
    use(t, grid, 6);
    MPI_Comm_free(&grid);
  }
  if (most != MPI_COMM_NULL) MPI_Comm_free(&most);
  MPI_Comm_free(&half);
  MPI_Comm_free(&backwards);
  use(t, twin, 7);
  MPI_Comm_free(&twin);
}

void many(Test& t) {
  // More communicators than MPICH has contexts, two for each.
  const int cycles = static_cast<int>(environment_number("TEST_CYCLES", 200));
  use(t, MPI_COMM_WORLD);
  const long before = communicators;
  for (int k = 0; k < cycles; ++k) {
    t.doing(text("communicator %d made, used, freed", k));
    MPI_Comm comm;
    if (k % 2 == 0)
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
      MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 3, t.rank(), &comm);
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
    if (k % 20 == 0) o.threads = 2;
    use(t, comm, k, 200, &o);
    MPI_Comm_free(&comm);
    if (!CHECK(t, communicators == before, "%ld communicators left behind", communicators - before)) break;
    t.count_case();
  }
  t.doing("ten at a time, freed in another order");
  std::vector<MPI_Comm> some(10);
  for (MPI_Comm& comm : some) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int k = 0; k < 30; ++k) use(t, some[static_cast<std::size_t>(k * 7 % 10)], k, 300);
  for (const std::size_t k : {3U, 1U, 9U, 0U, 5U, 7U, 2U, 8U, 4U, 6U}) MPI_Comm_free(&some[k]);
  CHECK(t, communicators == before, "%ld communicators left behind", communicators - before);
}

// Ranks that are done with a communicator free it while others still wait in calls on another one.
void freed_early(Test& t) {
  t.doing("freed while others are busy");
  MPI_Comm busy;
  MPI_Comm gone;
  MPI_Comm_split(MPI_COMM_WORLD, t.rank() % 2, 0, &busy);
  MPI_Comm_dup(MPI_COMM_WORLD, &gone);
  use(t, gone);
  use(t, busy);
  if (t.rank() % 2 == 0)
    for (int k = 0; k < 5; ++k) use(t, busy, k, 50000);
  MPI_Comm_free(&gone);
  if (t.rank() % 2 == 1)
    for (int k = 0; k < 5; ++k) use(t, busy, k, 50000);
  use(t, busy);
  MPI_Comm_free(&busy);
}

void interleaved(Test& t) {
  t.doing("two communicators in turn, other messages between");
  MPI_Comm one;
  MPI_Comm two;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_split(MPI_COMM_WORLD, 0, t.size() - t.rank(), &two);
  const int next = (t.rank() + 1) % t.size();
  const int previous = (t.rank() + t.size() - 1) % t.size();
  for (int k = 0; k < 10; ++k) {
    // The application's own traffic, tags and wildcards included, must not meet Laconic's.
    int token = k;
    int got = -1;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, one, &requests[0]);
    use(t, one, k, 3000);
    use(t, two, k, 100);
    MPI_Isend(&token, 1, MPI_INT, next, k, one, &requests[1]);
    use(t, one, k + 1, 50);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(t, got == k, "from rank %d: %d", previous, got);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

void threads(Test& t) {
  if (t.provided() < MPI_THREAD_MULTIPLE) {
    if (t.rank() == 0) std::printf("communicators: no MPI_THREAD_MULTIPLE, threads not tested\n");
    return;
  }
  constexpr int workers = 3;
  std::vector<MPI_Comm> base(workers);
  for (MPI_Comm& comm : base) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const long before = communicators;
  t.doing("three threads, each with a communicator");
  std::vector<std::thread> crew;
  crew.reserve(workers);
  for (int w = 0; w < workers; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 20; ++k) {
        laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
        o.threads = 1 + (w == 2);
        use(t, base[static_cast<std::size_t>(w)], w * 100 + k, 500 + 100 * w, &o);
      }
    });
  for (std::thread& thread : crew) thread.join();
  crew.clear();
  // The first call on a communicator makes Laconic's own, which waits for all ranks.  A thread that did this for
  // another thread's call would be missing where its own call needs it, and ranks would wait for each other crosswise.
  t.doing("three threads, each with the first calls on many communicators");
  std::vector<MPI_Comm> fresh(static_cast<std::size_t>(workers) * 15);
  for (MPI_Comm& comm : fresh) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int w = 0; w < workers; ++w)
    crew.emplace_back([&, w] {
      for (std::size_t k = static_cast<std::size_t>(w); k < fresh.size(); k += workers)
        use(t, fresh[k], static_cast<int>(k), 200);
    });
  for (std::thread& thread : crew) thread.join();
  crew.clear();
  for (MPI_Comm& comm : fresh) MPI_Comm_free(&comm);
  // Freeing runs Laconic's callback inside MPI while the other threads look up their communicators.
  t.doing("one thread makes and frees communicators, the others use theirs");
  for (int w = 0; w < workers; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 20; ++k) {
        MPI_Comm comm = base[static_cast<std::size_t>(w)];
        MPI_Comm inner;
        if (w == 0) {
          MPI_Comm_dup(comm, &inner);
          use(t, inner, k, 200);
          MPI_Comm_free(&inner);
        } else {
          for (int i = 0; i < 3; ++i) use(t, comm, w * 100 + k, 300);
          // Only look-ups, as fast as possible.
          for (int i = 0; i < 200; ++i) {
            laconic_stats stats;
            laconic_stats_get(comm, &stats);
          }
        }
      }
    });
  for (std::thread& thread : crew) thread.join();
  crew.clear();
  for (MPI_Comm& comm : base) MPI_Comm_free(&comm);
  CHECK(t, communicators == before - workers);
  // Each thread has its own error messages.
  t.doing("messages of two threads");
  std::atomic<int> mixed{0};
  for (int w = 0; w < 2; ++w)
    crew.emplace_back([&, w] {
      for (int k = 0; k < 200; ++k) {
        laconic_options o;
        laconic_options_init(&o);
        const int rc = laconic_options_set(&o, w ? "depth" : "threads", "no");
        if (message_of(rc).find(w ? "depth" : "threads") == std::string::npos) ++mixed;
      }
    });
  for (std::thread& thread : crew) thread.join();
  CHECK(t, mixed == 0, "%d messages of the other thread", mixed.load());
}

void intercommunicator(Test& t) {
  if (t.size() < 2) return;
  t.doing("an intercommunicator of uneven halves");
  const int first = std::max(1, t.size() / 3);
  const bool low = t.rank() < first;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &half);
  MPI_Comm both;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? first : 0, 7, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  const int remote = low ? t.size() - first : first;
  laconic_stats stats{};
  laconic_options o = options_with(LACONIC_BOUND_ABS, 0.1);
  o.stats = &stats;
  std::vector<double> send(100, t.rank() + 1.0);
  for (const bool mean : {false, true}) {
    std::vector<double> receive(100, -1);
    const int rc =
        laconic_allreduce(send.data(), receive.data(), 100, MPI_DOUBLE, mean ? LACONIC_AVG : MPI_SUM, both, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    // The result on one side is made of the contributions of the other side.
    double exact = 0;
    for (int r = low ? first : 0; r < (low ? t.size() : first); ++r) exact += r + 1.0;
    if (mean) exact /= remote;
    CHECK(t, std::fabs(receive[99] - exact) < 1e-12, "%s is %g, expected %g", mean ? "mean" : "sum", receive[99],
          exact);
    CHECK(t, stats.plain_reason == LACONIC_PLAIN_INTERCOMM && stats.plain_calls == 1, "plain because %s",
          laconic_plain_reason_string(stats.plain_reason));
  }
  o.depth = 1000;
  std::vector<double> receive(100, -1);
  const int rc = laconic_allreduce(send.data(), receive.data(), 100, MPI_DOUBLE, MPI_SUM, both, &o);
  CHECK(t, class_of(rc) == MPI_ERR_ARG, "class %d", class_of(rc));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "communicators", MPI_THREAD_MULTIPLE);
  const long before = communicators;
  kinds(t);
  many(t);
  freed_early(t);
  interleaved(t);
  threads(t);
  intercommunicator(t);
  // The duplicate of MPI_COMM_WORLD is left; MPI_Finalize has to free it and these.
  CHECK(t, communicators - before <= 1, "%ld communicators left behind", communicators - before);
  t.doing("communicators that are never freed");
  for (int k = 0; k < 3; ++k) {
    MPI_Comm left;
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-2);
    o.threads = 1 + k;
    use(t, left, k, 500, &o);
  }
  return t.finish();
}
