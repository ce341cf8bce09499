// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one call may pass different datatypes, as long as they hold the same numbers.  Every collective that moves
// data, with another type on every rank and side, blocking, nonblocking and persistent; types are freed as soon as MPI
// allows it.
#include "composed_types.hpp"

#include <cstddef>
#include <functional>

namespace {

using namespace ranks;

enum class Way { blocking, nonblocking, persistent };

// Begins by `call`, which is given a request or nullptr, and whether it is to be persistent; frees the types where that
// is allowed, and completes it, twice if persistent.
using Begin = std::function<int(Way, laconic_request*)>;
void carry_out(Test& t, Way way, const Begin& begin, const std::function<void()>& free_types) {
  laconic_request request = LACONIC_REQUEST_NULL;
  int rc = begin(way, &request);
  if (way == Way::blocking) {
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    return;
  }
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  free_types();
  if (way == Way::persistent) laconic_start(&request);
  rc = laconic_wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (way == Way::persistent) CHECK(t, laconic_request_free(&request) == MPI_SUCCESS);
}

#define LACONIC_EACH_WAY(name, ...)                                            \
  (way == Way::blocking      ? laconic_##name(__VA_ARGS__, comm, &o)           \
   : way == Way::nonblocking ? laconic_i##name(__VA_ARGS__, comm, request, &o) \
                             : laconic_##name##_init(__VA_ARGS__, comm, request, &o))

struct Round {
  MPI_Comm comm;
  Way way;
  std::size_t shift;  // selects the kind of type of each rank and side
  bool in_place;
  MPI_Count numbers;  // the numbers of one part
};

template <class T>
class Case {
 public:
  Case(Test& t, const Round& round) : t_(t), r_(round) {
    o_ = options_with(std::is_integral_v<T> ? LACONIC_BOUND_LOSSLESS : LACONIC_BOUND_ABS, bound);
    if constexpr (std::is_integral_v<T>) o_.bound.value = 0;
    o_.stats = &stats_;
  }

  void bcast(int root) {
    Room<T> room(mine(0), {r_.numbers}, false);
    if (t_.rank() == root) room.fill(0, root, 0);
    const MPI_Comm comm = r_.comm;
    laconic_options& o = o_;
    run(
        "bcast",
        [&](Way way, laconic_request* request) {
          return LACONIC_EACH_WAY(bcast, room.buffer(), room.count(), room.type(), root);
        },
        room, room);
    room.check(t_, 0, root, 0);
    room.check_gaps(t_);
  }

  void allgather(bool counts) {
    Room<T> recv(mine(1), parts(counts), counts);
    Room<T> send(mine(0), {recv.numbers_of(me())}, false);
    send.fill(0, t_.rank(), 0);
    if (r_.in_place) recv.fill(me(), t_.rank(), 0);
    const MPI_Comm comm = r_.comm;
    laconic_options& o = o_;
    run(
        counts ? "allgatherv" : "allgather",
        [&](Way way, laconic_request* request) {
          void* from = r_.in_place ? MPI_IN_PLACE : send.buffer();
          return counts ? LACONIC_EACH_WAY(allgatherv, from, send.count(), send.type(), recv.buffer(),
                                           recv.counts.data(), recv.displs.data(), recv.type())
                        : LACONIC_EACH_WAY(allgather, from, send.count(), send.type(), recv.buffer(), recv.count(),
                                           recv.type());
        },
        send, recv);
    for (std::size_t p = 0; p < ranks(); ++p) recv.check(t_, p, static_cast<int>(p), 0);
    recv.check_gaps(t_);
  }

  void gather(int root, bool counts) {
    Room<T> recv(mine(1), parts(counts), counts);
    Room<T> send(mine(0), {recv.numbers_of(me())}, false);
    send.fill(0, t_.rank(), 0);
    const bool in_place = r_.in_place && t_.rank() == root;
    if (in_place) recv.fill(me(), t_.rank(), 0);
    const MPI_Comm comm = r_.comm;
    laconic_options& o = o_;
    run(
        counts ? "gatherv" : "gather",
        [&](Way way, laconic_request* request) {
          void* from = in_place ? MPI_IN_PLACE : send.buffer();
          return counts ? LACONIC_EACH_WAY(gatherv, from, send.count(), send.type(), recv.buffer(), recv.counts.data(),
                                           recv.displs.data(), recv.type(), root)
                        : LACONIC_EACH_WAY(gather, from, send.count(), send.type(), recv.buffer(), recv.count(),
                                           recv.type(), root);
        },
        send, recv);
    if (t_.rank() == root)
      for (std::size_t p = 0; p < ranks(); ++p) recv.check(t_, p, static_cast<int>(p), 0);
    recv.check_gaps(t_);
  }

  void scatter(int root, bool counts) {
    Room<T> send(mine(1), parts(counts), counts);
    Room<T> recv(mine(0), {send.numbers_of(me())}, false);
    for (std::size_t p = 0; p < ranks(); ++p) send.fill(p, root, static_cast<int>(p));
    const bool in_place = r_.in_place && t_.rank() == root;
    const MPI_Comm comm = r_.comm;
    laconic_options& o = o_;
    run(
        counts ? "scatterv" : "scatter",
        [&](Way way, laconic_request* request) {
          void* to = in_place ? MPI_IN_PLACE : recv.buffer();
          return counts ? LACONIC_EACH_WAY(scatterv, send.buffer(), send.counts.data(), send.displs.data(), send.type(),
                                           to, recv.count(), recv.type(), root)
                        : LACONIC_EACH_WAY(scatter, send.buffer(), send.count(), send.type(), to, recv.count(),
                                           recv.type(), root);
        },
        send, recv);
    if (!in_place) recv.check(t_, 0, root, t_.rank());
    recv.check_gaps(t_);
  }

  void alltoall(bool counts) {
    Room<T> send(mine(1), parts(counts), false);
    Room<T> recv(mine(0), counts ? std::vector<MPI_Count>(ranks(), send.numbers_of(me())) : parts(false), counts);
    for (std::size_t p = 0; p < ranks(); ++p) send.fill(p, t_.rank(), static_cast<int>(p));
    if (r_.in_place)
      for (std::size_t p = 0; p < ranks(); ++p) recv.fill(p, t_.rank(), static_cast<int>(p));
    if (r_.in_place && counts) return;  // in place needs equal counts
    const MPI_Comm comm = r_.comm;
    laconic_options& o = o_;
    run(
        counts ? "alltoallv" : "alltoall",
        [&](Way way, laconic_request* request) {
          void* from = r_.in_place ? MPI_IN_PLACE : send.buffer();
          return counts ? LACONIC_EACH_WAY(alltoallv, from, send.counts.data(), send.displs.data(), send.type(),
                                           recv.buffer(), recv.counts.data(), recv.displs.data(), recv.type())
                        : LACONIC_EACH_WAY(alltoall, from, send.count(), send.type(), recv.buffer(), recv.count(),
                                           recv.type());
        },
        send, recv);
    for (std::size_t p = 0; p < ranks(); ++p) recv.check(t_, p, static_cast<int>(p), t_.rank());
    recv.check_gaps(t_);
  }

 private:
  std::size_t me() const { return static_cast<std::size_t>(t_.rank()); }
  std::size_t ranks() const { return static_cast<std::size_t>(t_.size()); }
  const Kind& mine(std::size_t side) const { return kinds()[(me() + 3 * side + r_.shift) % kinds().size()]; }
  std::vector<MPI_Count> parts(bool counts) const {
    std::vector<MPI_Count> all(ranks(), r_.numbers);
    if (counts)
      for (std::size_t p = 0; p < all.size(); ++p) all[p] = unit * static_cast<MPI_Count>(p == 1 ? 0 : 40 + 7 * p);
    return all;
  }

  void run(const char* name, const Begin& begin, Room<T>& one, Room<T>& other) {
    static const char* const ways[] = {"", ", nonblocking", ", persistent"};
    t_.doing(text("%s%s%s, kinds of types shifted by %zu, %zu bytes a number", name, ways[static_cast<int>(r_.way)],
                  r_.in_place ? ", in place" : "", r_.shift, sizeof(T)));
    t_.count_case();
    stats_ = {};
    carry_out(t_, r_.way, begin, [&] { one.free_type(), other.free_type(); });
    if (t_.size() > 1)
      CHECK(t_, stats_.plain_calls == 0 && stats_.calls == 1, "plain because %s",
            laconic_plain_reason_string(stats_.plain_reason));
  }

  Test& t_;
  Round r_;
  laconic_options o_{};
  laconic_stats stats_{};
};

template <class T>
void all_collectives(Test& t, const Round& round) {
  Case<T> c(t, round);
  const int root = static_cast<int>(round.shift) % t.size();
  if (!round.in_place) c.bcast(root);
  for (const bool counts : {false, true}) {
    c.allgather(counts);
    c.gather(root, counts);
    c.scatter(root, counts);
    c.alltoall(counts);
  }
}

// The minimum size of a compressed call is counted in bytes, whatever the elements are: just enough, and just too
// little.
void size_of_call(Test& t, MPI_Comm comm) {
  for (const MPI_Count less : {0, 1}) {
    t.doing(text("min_bytes, %s", less ? "not reached" : "reached"));
    t.count_case();
    const MPI_Count numbers = 65536 / 4 - less * 4;
    std::vector<float> x(static_cast<std::size_t>(numbers), static_cast<float>(t.rank()));
    MPI_Datatype four = contiguous_type(MPI_FLOAT, 4);
    MPI_Type_commit(&four);
    laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
    laconic_stats stats{};
    o.min_bytes = 0;
    o.stats = &stats;
    const bool single = t.rank() % 2 == 0;
    const int rc =
        laconic_bcast(x.data(), single ? numbers : numbers / 4, single ? MPI_FLOAT : four, t.size() - 1, comm, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, std::fabs(static_cast<double>(x.back()) - (t.size() - 1)) <= 2 * bound);
    if (t.size() > 1) CHECK(t, stats.plain_calls == static_cast<std::uint64_t>(less), "%d", stats.plain_reason);
    MPI_Type_free(&four);
  }
}

// Ranks without numbers may pass any type; here some pairs of ranks exchange a different kind of number from others.
void other_types(Test& t, MPI_Comm comm) {
  if (t.size() < 3) return;
  const laconic_options o = options_with(LACONIC_BOUND_LOSSLESS, 0);
  const auto size = static_cast<std::size_t>(t.size());
  constexpr MPI_Count n = 5000;
  t.doing("gatherv, ranks without numbers have another type");
  std::vector<double> mine(n, t.rank() + 0.5);
  std::vector<double> all(n * size, -1);
  std::vector<MPI_Count> counts(size, n);
  std::vector<MPI_Aint> displs(size);
  for (std::size_t p = 0; p < size; ++p) {
    displs[p] = static_cast<MPI_Aint>(p) * n;
    if (p % 2 == 1) counts[p] = 0;
  }
  const bool none = t.rank() % 2 == 1;
  for (int k = 0; k < 2; ++k) {
    t.count_case();
    const bool gathers = k == 0;
    const int rc = gathers ? laconic_gatherv(mine.data(), none ? 0 : n, none ? MPI_SHORT : MPI_DOUBLE, all.data(),
                                             counts.data(), displs.data(), MPI_DOUBLE, 0, comm, &o)
                           : laconic_allgatherv(mine.data(), none ? 0 : n, none ? MPI_SHORT : MPI_DOUBLE, all.data(),
                                                counts.data(), displs.data(), MPI_DOUBLE, comm, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    for (std::size_t p = 0; p < size && (t.rank() == 0 || !gathers); ++p)
      CHECK(t, all[p * n + 7] == (p % 2 == 1 ? -1 : static_cast<double>(p) + 0.5));
  }
  t.doing("alltoallv, floats between the first two ranks, shorts from the last to itself");
  t.count_case();
  std::vector<MPI_Count> some(size, 0);
  if (t.rank() < 2) some[static_cast<std::size_t>(1 - t.rank())] = n;
  const bool last = t.rank() == t.size() - 1;
  if (last) some.back() = n;
  std::vector<float> from(n, static_cast<float>(t.rank()));
  std::vector<float> to(n, -1);
  std::vector<MPI_Aint> zeros(size, 0);
  const MPI_Datatype type = last ? MPI_SHORT : MPI_FLOAT;
  const int rc = laconic_alltoallv(from.data(), some.data(), zeros.data(), type, to.data(), some.data(), zeros.data(),
                                   type, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  if (t.rank() < 2) CHECK(t, to[n - 1] == static_cast<float>(1 - t.rank()), "%g", static_cast<double>(to[n - 1]));
}

// Types that hold two kinds of numbers are left to MPI by all ranks, however they are composed.  Pairs of one kind
// still count as numbers.
void two_kinds(Test& t, MPI_Comm comm) {
  struct Pair {
    float x;
    int n;
  };
  t.doing("numbers of two kinds");
  t.count_case();
  constexpr int n = 4000;
  std::vector<Pair> pairs(n, {1.5F, t.rank()});
  const int lengths[2] = {1, 1};
  const MPI_Aint displs[2] = {offsetof(Pair, x), offsetof(Pair, n)};
  const MPI_Datatype types[2] = {MPI_FLOAT, MPI_INT};
  MPI_Datatype own;
  MPI_Type_create_struct(2, lengths, displs, types, &own);
  MPI_Type_commit(&own);
  const laconic_options o = options_with(LACONIC_BOUND_LOSSLESS, 0);
  const bool composed = t.rank() % 2 == 0;
  int rc = laconic_bcast(pairs.data(), n, composed ? own : MPI_FLOAT_INT, t.size() - 1, comm, &o);
  CHECK(t, rc == MPI_SUCCESS && pairs[n - 1].n == t.size() - 1, "%s", message_of(rc).c_str());
  MPI_Type_free(&own);
  t.doing("two integers at a time");
  t.count_case();
  std::vector<int> x(2 * n, t.rank());
  rc = laconic_bcast(x.data(), composed ? 2 * n : n, composed ? MPI_INT : MPI_2INT, t.size() - 1, comm, &o);
  CHECK(t, rc == MPI_SUCCESS && x.back() == t.size() - 1, "%s", message_of(rc).c_str());
}

// Types that hold absolute addresses.
void absolute(Test& t, MPI_Comm comm) {
  t.doing("MPI_BOTTOM");
  constexpr int n = 30000;
  std::vector<float> x(n, static_cast<float>(t.rank()));
  MPI_Aint at = 0;
  MPI_Get_address(x.data(), &at);
  const int length = n;
  const MPI_Datatype number = MPI_FLOAT;
  MPI_Datatype there;
  MPI_Type_create_struct(1, &length, &at, &number, &there);
  MPI_Type_commit(&there);
  const laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  for (const bool nonblocking : {false, true})
    for (const int root : {0, t.size() - 1}) {
      t.count_case();
      std::fill(x.begin(), x.end(), static_cast<float>(t.rank()));
      laconic_request request = LACONIC_REQUEST_NULL;
      const bool bottom = t.rank() % 2 == 0;
      void* buffer = bottom ? MPI_BOTTOM : x.data();
      const MPI_Count count = bottom ? 1 : n;
      const MPI_Datatype type = bottom ? there : MPI_FLOAT;
      int rc = nonblocking ? laconic_ibcast(buffer, count, type, root, comm, &request, &o)
                           : laconic_bcast(buffer, count, type, root, comm, &o);
      if (nonblocking) rc = laconic_wait(&request, MPI_STATUS_IGNORE);
      CHECK(t, rc == MPI_SUCCESS && std::fabs(static_cast<double>(x[n - 1]) - root) <= 2 * bound, "%s",
            message_of(rc).c_str());
    }
  MPI_Type_free(&there);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "composed_types");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const Way way : {Way::blocking, Way::nonblocking, Way::persistent})
    for (std::size_t shift = 0; shift < kinds().size(); ++shift)
      for (const bool in_place : {false, true}) {
        const Round round{comm, way, shift, in_place, unit * 100};
        all_collectives<float>(t, round);
        if (shift % 3 == 0) all_collectives<double>(t, round);
        if (shift % 3 == 1) all_collectives<int>(t, round);
      }
  all_collectives<float>(t, {comm, Way::blocking, 1, false, unit * 20000});
  size_of_call(t, comm);
  other_types(t, comm);
  two_kinds(t, comm);
  absolute(t, comm);
  MPI_Comm_free(&comm);
  return t.finish();
}
