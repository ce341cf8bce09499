// SPDX-License-Identifier: BSD-3-Clause
// Every blocking collective, with int counts and with large ones, in place and not, compared with MPI's own.
#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

// The large-count function where MPI has it and the case asks for it.
#if MPI_VERSION >= 4
#define BOTH(large, Name, ...) ((large) ? MPI_##Name##_c(__VA_ARGS__) : MPI_##Name(__VA_ARGS__))
#else
#define BOTH(large, Name, ...) MPI_##Name(__VA_ARGS__)
#endif

// MPICH 4.0 itself takes MPI_IN_PLACE for an address when the root is not rank 0.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool reduces_in_place_anywhere = false;
#else
constexpr bool reduces_in_place_anywhere = true;
#endif

struct Case {
  Test& t;
  const Expectation& expected;
  Random& random;
  std::size_t count;
  bool in_place;
  bool large;

  int size() const { return t.size(); }
  std::size_t n() const { return static_cast<std::size_t>(t.size()); }
  std::size_t me() const { return static_cast<std::size_t>(t.rank()); }
  int c() const { return static_cast<int>(count); }
  double moved() const { return expected.movement ? expected.bound : 0; }
};

// The counts of all ranks, some of them 0, and the displacements of their blocks, with gaps between.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> displs;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Aint> large_displs;
  std::size_t span = 0;

  Blocks(std::size_t ranks, std::size_t count) {
    for (std::size_t k = 0; k < ranks; ++k) {
      const std::size_t mine = k % 3 == 1 ? 0 : count + 10 * k;
      counts.push_back(static_cast<int>(mine));
      displs.push_back(static_cast<int>(span));
      span += mine + 5;
    }
    large_counts.assign(counts.begin(), counts.end());
    large_displs.assign(displs.begin(), displs.end());
  }
};

#if MPI_VERSION >= 4
#define BOTH_V(large, b, Name, before, after)                                                \
  ((large) ? MPI_##Name##_c(before, (b).large_counts.data(), (b).large_displs.data(), after) \
           : MPI_##Name(before, (b).counts.data(), (b).displs.data(), after))
#else
#define BOTH_V(large, b, Name, before, after) MPI_##Name(before, (b).counts.data(), (b).displs.data(), after)
#endif
#define LIST(...) __VA_ARGS__

template <class T>
void reductions(const Case& k, MPI_Op op) {
  const MPI_Datatype type = type_of<T>();
  const double bound = k.expected.bound;
  const auto mine = numbers<T>(k.count, k.random);
  std::vector<T> right(k.count);
  const MPI_Comm comm = MPI_COMM_WORLD;
  k.t.doing(text("allreduce of %zu%s%s", k.count, k.in_place ? " in place" : "", k.large ? " large" : ""));
  PMPI_Allreduce(mine.data(), right.data(), k.c(), type, op, comm);
  std::vector<T> got = mine;
  const void* send = k.in_place ? MPI_IN_PLACE : mine.data();
  CHECK(k.t, BOTH(k.large, Allreduce, send, got.data(), k.c(), type, op, comm) == MPI_SUCCESS);
  CHECK(k.t, alike(got, right, bound, k.size()));
  for (const int root : {0, k.size() - 1}) {
    k.t.doing(text("reduce to %d of %zu%s", root, k.count, k.in_place ? " in place" : ""));
    got = mine;
    const bool here = k.t.rank() == root;
    send = k.in_place && here && (root == 0 || reduces_in_place_anywhere) ? MPI_IN_PLACE : mine.data();
    CHECK(k.t, BOTH(k.large, Reduce, send, here ? got.data() : nullptr, k.c(), type, op, root, comm) == MPI_SUCCESS);
    if (here) CHECK(k.t, alike(got, right, bound, k.size()));
  }
  k.t.doing(text("reduce_scatter_block of %zu%s", k.count, k.in_place ? " in place" : ""));
  const auto all = numbers<T>(k.count * k.n(), k.random);
  std::vector<T> part(k.count);
  std::vector<T> sums(all.size());
  PMPI_Allreduce(all.data(), sums.data(), k.c() * k.size(), type, op, comm);
  got = k.in_place ? all : std::vector<T>(k.count);
  send = k.in_place ? MPI_IN_PLACE : all.data();
  CHECK(k.t, BOTH(k.large, Reduce_scatter_block, send, got.data(), k.c(), type, op, comm) == MPI_SUCCESS);
  CHECK(k.t, alike(got.data(), &sums[k.me() * k.count], k.count, bound, k.size()));
  k.t.doing(text("reduce_scatter of %zu%s", k.count, k.in_place ? " in place" : ""));
  const Blocks b(k.n(), k.count);
  std::size_t total = 0;
  std::size_t before = 0;
  for (std::size_t r = 0; r < k.n(); ++r) {
    if (r < k.me()) before += static_cast<std::size_t>(b.counts[r]);
    total += static_cast<std::size_t>(b.counts[r]);
  }
  const auto input = numbers<T>(total, k.random);
  sums.resize(total);
  PMPI_Allreduce(input.data(), sums.data(), static_cast<int>(total), type, op, comm);
  got = input;
  send = k.in_place ? MPI_IN_PLACE : input.data();
#if MPI_VERSION >= 4
  const int rc = k.large ? MPI_Reduce_scatter_c(send, got.data(), b.large_counts.data(), type, op, comm)
                         : MPI_Reduce_scatter(send, got.data(), b.counts.data(), type, op, comm);
#else
  const int rc = MPI_Reduce_scatter(send, got.data(), b.counts.data(), type, op, comm);
#endif
  CHECK(k.t, rc == MPI_SUCCESS);
  CHECK(k.t, alike(got.data(), sums.data() + before, static_cast<std::size_t>(b.counts[k.me()]), bound, k.size()));
}

template <class T>
void broadcasts(const Case& k) {
  for (const int root : {0, k.size() - 1}) {
    k.t.doing(text("bcast from %d of %zu", root, k.count));
    const auto mine = numbers<T>(k.count, k.random);
    auto right = mine;
    PMPI_Bcast(right.data(), k.c(), type_of<T>(), root, MPI_COMM_WORLD);
    auto got = mine;
    CHECK(k.t, BOTH(k.large, Bcast, got.data(), k.c(), type_of<T>(), root, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(k.t, alike(got, right, k.moved()));
    CHECK(k.t, ranks::same_everywhere(ranks::hash_of(got.data(), got.size() * sizeof(T)), MPI_COMM_WORLD));
  }
}

template <class T>
void gathers(const Case& k) {
  const MPI_Datatype type = type_of<T>();
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto mine = numbers<T>(k.count, k.random);
  std::vector<T> right(k.count * k.n());
  PMPI_Allgather(mine.data(), k.c(), type, right.data(), k.c(), type, comm);
  const auto own_in_place = [&](std::vector<T>& room, std::size_t at, std::size_t count) {
    std::copy_n(mine.begin(), count, room.begin() + static_cast<std::ptrdiff_t>(at));
  };
  k.t.doing(text("allgather of %zu%s", k.count, k.in_place ? " in place" : ""));
  std::vector<T> got(right.size());
  own_in_place(got, k.me() * k.count, k.count);
  const void* send = k.in_place ? MPI_IN_PLACE : mine.data();
  CHECK(k.t, BOTH(k.large, Allgather, send, k.c(), type, got.data(), k.c(), type, comm) == MPI_SUCCESS);
  CHECK(k.t, alike(got, right, k.moved()));
  const int root = k.size() / 2;
  const bool here = k.t.rank() == root;
  k.t.doing(text("gather to %d of %zu%s", root, k.count, k.in_place ? " in place" : ""));
  std::fill(got.begin(), got.end(), T{});
  own_in_place(got, k.me() * k.count, k.count);
  send = k.in_place && here ? MPI_IN_PLACE : mine.data();
  CHECK(k.t, BOTH(k.large, Gather, send, k.c(), type, got.data(), k.c(), type, root, comm) == MPI_SUCCESS);
  if (here) CHECK(k.t, alike(got, right, k.moved()));

  const Blocks b(k.n(), k.count);
  const auto longest = numbers<T>(k.count + 10 * k.n(), k.random);
  const int own = b.counts[k.me()];
  const auto put = [&](std::vector<T>& room) { std::copy_n(longest.begin(), own, room.begin() + b.displs[k.me()]); };
  std::vector<T> v_right(b.span, T{7});
  PMPI_Allgatherv(longest.data(), own, type, v_right.data(), b.counts.data(), b.displs.data(), type, comm);
  k.t.doing(text("allgatherv of about %zu%s", k.count, k.in_place ? " in place" : ""));
  std::vector<T> v_got(b.span, T{7});
  put(v_got);
  send = k.in_place ? MPI_IN_PLACE : longest.data();
  CHECK(k.t, BOTH_V(k.large, b, Allgatherv, LIST(send, own, type, v_got.data()), LIST(type, comm)) == MPI_SUCCESS);
  CHECK(k.t, alike(v_got, v_right, k.moved()));
  k.t.doing(text("gatherv of about %zu%s", k.count, k.in_place ? " in place" : ""));
  std::fill(v_got.begin(), v_got.end(), T{7});
  put(v_got);
  send = k.in_place && here ? MPI_IN_PLACE : longest.data();
  CHECK(k.t, BOTH_V(k.large, b, Gatherv, LIST(send, own, type, v_got.data()), LIST(type, root, comm)) == MPI_SUCCESS);
  if (here) CHECK(k.t, alike(v_got, v_right, k.moved()));
}

template <class T>
void scatters(const Case& k) {
  const MPI_Datatype type = type_of<T>();
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int root = k.size() - 1;
  const bool here = k.t.rank() == root;
  auto all = numbers<T>(k.count * k.n(), k.random);
  auto whole = all;
  PMPI_Bcast(whole.data(), static_cast<int>(whole.size()), type, root, comm);
  k.t.doing(text("scatter from %d of %zu%s", root, k.count, k.in_place ? " in place" : ""));
  std::vector<T> got(k.count);
  void* recv = k.in_place && here ? MPI_IN_PLACE : got.data();
  CHECK(k.t, BOTH(k.large, Scatter, all.data(), k.c(), type, recv, k.c(), type, root, comm) == MPI_SUCCESS);
  if (recv != MPI_IN_PLACE) CHECK(k.t, alike(got.data(), &whole[k.me() * k.count], k.count, k.moved()));
  const Blocks b(k.n(), k.count);
  all = numbers<T>(b.span, k.random);
  whole = all;
  PMPI_Bcast(whole.data(), static_cast<int>(whole.size()), type, root, comm);
  const int own = b.counts[k.me()];
  got.assign(static_cast<std::size_t>(own), T{});
  recv = k.in_place && here ? MPI_IN_PLACE : got.data();
  k.t.doing(text("scatterv of about %zu%s", k.count, k.in_place ? " in place" : ""));
  CHECK(k.t, BOTH_V(k.large, b, Scatterv, all.data(), LIST(type, recv, own, type, root, comm)) == MPI_SUCCESS);
  if (recv != MPI_IN_PLACE)
    CHECK(k.t, alike(got.data(), &whole[static_cast<std::size_t>(b.displs[k.me()])], got.size(), k.moved()));
}

template <class T>
void exchanges(const Case& k) {
  const MPI_Datatype type = type_of<T>();
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto mine = numbers<T>(k.count * k.n(), k.random);
  std::vector<T> right(mine.size());
  PMPI_Alltoall(mine.data(), k.c(), type, right.data(), k.c(), type, comm);
  k.t.doing(text("alltoall of %zu%s", k.count, k.in_place ? " in place" : ""));
  std::vector<T> got = mine;
  const void* send = k.in_place ? MPI_IN_PLACE : mine.data();
  CHECK(k.t, BOTH(k.large, Alltoall, send, k.c(), type, got.data(), k.c(), type, comm) == MPI_SUCCESS);
  CHECK(k.t, alike(got, right, k.moved()));
  // Symmetric counts, so that the same case can be in place.
  std::vector<int> counts;
  std::vector<int> displs;
  std::size_t span = 0;
  for (std::size_t p = 0; p < k.n(); ++p) {
    const std::size_t n = (p + k.me()) % 3 == 0 ? 0 : k.count;
    counts.push_back(static_cast<int>(n));
    displs.push_back(static_cast<int>(span));
    span += n + 3;
  }
  const auto input = numbers<T>(span, k.random);
  std::vector<T> v_right = input;
  PMPI_Alltoallv(input.data(), counts.data(), displs.data(), type, v_right.data(), counts.data(), displs.data(), type,
                 comm);
  k.t.doing(text("alltoallv of %zu%s", k.count, k.in_place ? " in place" : ""));
  std::vector<T> v_got = input;
  send = k.in_place ? MPI_IN_PLACE : input.data();
#if MPI_VERSION >= 4
  const std::vector<MPI_Count> lc(counts.begin(), counts.end());
  const std::vector<MPI_Aint> ld(displs.begin(), displs.end());
  const int rc = k.large
                     ? MPI_Alltoallv_c(send, lc.data(), ld.data(), type, v_got.data(), lc.data(), ld.data(), type, comm)
                     : MPI_Alltoallv(send, counts.data(), displs.data(), type, v_got.data(), counts.data(),
                                     displs.data(), type, comm);
#else
  const int rc =
      MPI_Alltoallv(send, counts.data(), displs.data(), type, v_got.data(), counts.data(), displs.data(), type, comm);
#endif
  CHECK(k.t, rc == MPI_SUCCESS);
  CHECK(k.t, alike(v_got, v_right, k.moved()));
}

template <class T>
void all(const Case& k) {
  k.t.count_case();
  reductions<T>(k, MPI_SUM);
  reductions<T>(k, MPI_MAX);
  broadcasts<T>(k);
  gathers<T>(k);
  scatters<T>(k);
  exchanges<T>(k);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin collectives");
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  for (const std::size_t count : {std::size_t{3}, std::size_t{3000}})
    for (const bool in_place : {false, true})
      for (const bool large : {false, true}) {
        const Case k{t, expected, random, count, in_place, large};
        all<double>(k);
        all<float>(k);
        all<int>(k);
      }
  return t.finish();
}
