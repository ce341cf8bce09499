// SPDX-License-Identifier: BSD-3-Clause
// Scans, and collectives among the neighbors of grids and graphs, in every form, compared with MPI's own.
#include <array>
#include <functional>

#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

enum class Form { blocking, nonblocking, persistent };

// Calls MPI's function in one of its forms, and completes it; `again` restores the buffers before the second start of a
// persistent operation.
template <class Blocking, class Nonblocking, class Persistent>
int call(Form form, Blocking blocking, Nonblocking nonblocking, [[maybe_unused]] Persistent persistent,
         [[maybe_unused]] const std::function<void()>& again) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == Form::blocking) return blocking();
  if (form == Form::nonblocking) {
    const int code = nonblocking(&request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
#if MPI_VERSION >= 4
  if (const int code = persistent(&request); code != MPI_SUCCESS) return code;
  for (int round = 0; round < 2; ++round) {
    again();
    if (const int code = MPI_Start(&request); code != MPI_SUCCESS) return code;
    if (const int code = MPI_Wait(&request, MPI_STATUS_IGNORE); code != MPI_SUCCESS) return code;
  }
  return MPI_Request_free(&request);
#else
  return MPI_ERR_INTERN;
#endif
}

#define LIST(...) __VA_ARGS__
#if MPI_VERSION >= 4
#define PERSISTENT(Name, ARGUMENTS, comm) \
  [&](MPI_Request* r) { return MPI_##Name##_init(LIST ARGUMENTS, comm, MPI_INFO_NULL, r); }
#else
#define PERSISTENT(Name, ARGUMENTS, comm) [&](MPI_Request*) { return MPI_ERR_INTERN; }
#endif
#define CALL(form, again, Name, name, ARGUMENTS, comm)        \
  call(                                                       \
      form, [&] { return MPI_##Name(LIST ARGUMENTS, comm); }, \
      [&](MPI_Request* r) { return MPI_I##name(LIST ARGUMENTS, comm, r); }, PERSISTENT(Name, ARGUMENTS, comm), again)

struct Case {
  Test& t;
  const Expectation& expected;
  Random& random;
  int count;
  Form form;

  double moved() const { return expected.movement ? expected.bound : 0; }
  std::string describe(const char* what) const {
    return text("%s of %d, form %d", what, count, static_cast<int>(form));
  }
};

template <class T>
void scans(const Case& k) {
  const MPI_Datatype type = type_of<T>();
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto n = static_cast<std::size_t>(k.count);
  const auto mine = numbers<T>(n, k.random);
  for (const bool in_place : {false, true}) {
    k.t.doing(k.describe(in_place ? "scan in place" : "scan"));
    std::vector<T> right(n);
    PMPI_Scan(mine.data(), right.data(), k.count, type, MPI_SUM, comm);
    std::vector<T> got = mine;
    const void* send = in_place ? MPI_IN_PLACE : mine.data();
    const auto again = [&] { got = mine; };
    CHECK(k.t, CALL(k.form, again, Scan, scan, (send, got.data(), k.count, type, MPI_SUM), comm) == MPI_SUCCESS);
    CHECK(k.t, alike(got, right, k.expected.bound, k.t.size()));
    k.t.doing(k.describe(in_place ? "exscan in place" : "exscan"));
    PMPI_Exscan(mine.data(), right.data(), k.count, type, MPI_SUM, comm);
    got = mine;
    CHECK(k.t, CALL(k.form, again, Exscan, exscan, (send, got.data(), k.count, type, MPI_SUM), comm) == MPI_SUCCESS);
    if (k.t.rank() > 0) CHECK(k.t, alike(got, right, k.expected.bound, k.t.size()));
  }
}

// A communicator with a topology in which no two edges lead from one rank to the same other one: MPI libraries match
// such edges in different ways.
struct Graph {
  const char* name;
  MPI_Comm comm = MPI_COMM_NULL;
  std::size_t sources = 0;
  std::size_t destinations = 0;
};

Graph grid(int size) {
  Graph g{"grid"};
  std::array<int, 2> dims{0, 0};
  const std::array<int, 2> periods{0, 0};
  MPI_Dims_create(size, 2, dims.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &g.comm);
  g.sources = g.destinations = 4;
  return g;
}

// Every rank sends to the next few ranks, fewer and fewer; the last ranks send nothing.
Graph uneven(int rank, int size) {
  Graph g{"graph"};
  std::vector<int> sources;
  std::vector<int> destinations;
  const auto degree = [&](int r) { return std::max(0, size - 2 - r); };
  for (int k = 1; k <= degree(rank); ++k) destinations.push_back((rank + k) % size);
  for (int r = 0; r < size; ++r)
    for (int k = 1; k <= degree(r); ++k)
      if ((r + k) % size == rank) sources.push_back(r);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &g.comm);
  g.sources = sources.size();
  g.destinations = destinations.size();
  return g;
}

// Blocks of `type`, which holds `width` numbers with gaps or without, `extent` numbers apart.
template <class T>
void neighbors(const Case& k, const Graph& g, MPI_Datatype type, std::size_t extent, const char* what) {
  const auto n = static_cast<std::size_t>(k.count);
  const auto blocks = numbers<T>(g.destinations * n * extent + 1, k.random);
  const std::vector<T> before(g.sources * n * extent + 1, T{7});
  std::vector<T> right = before;
  std::vector<T> got = before;
  const auto again = [&] { got = before; };
  const auto check = [&](int code) {
    CHECK(k.t, code == MPI_SUCCESS);
    CHECK(k.t, alike(got, right, k.moved()));
    right = got = before;
  };
  k.t.doing(k.describe("neighbor_allgather") + " on a " + g.name + " of " + what);
  const auto one = numbers<T>(n * extent, k.random);
  PMPI_Neighbor_allgather(one.data(), k.count, type, right.data(), k.count, type, g.comm);
  check(CALL(k.form, again, Neighbor_allgather, neighbor_allgather,
             (one.data(), k.count, type, got.data(), k.count, type), g.comm));
  k.t.doing(k.describe("neighbor_alltoall") + " on a " + g.name + " of " + what);
  PMPI_Neighbor_alltoall(blocks.data(), k.count, type, right.data(), k.count, type, g.comm);
  check(CALL(k.form, again, Neighbor_alltoall, neighbor_alltoall,
             (blocks.data(), k.count, type, got.data(), k.count, type), g.comm));

  // The same counts in both directions of every edge, in another order of the blocks.
  // One element more than there are blocks: Open MPI takes no null pointer, not even for no neighbors.
  const std::vector<int> sent(g.destinations + 1, k.count);
  const std::vector<int> received(g.sources + 1, k.count);
  const auto backwards = [&](std::size_t parts) {
    std::vector<int> displs;
    for (std::size_t p = parts; p-- > 0;) displs.push_back(static_cast<int>(p) * k.count);
    displs.push_back(0);
    return displs;
  };
  const auto sent_at = backwards(g.destinations);
  const auto received_at = backwards(g.sources);
  k.t.doing(k.describe("neighbor_allgatherv") + " on a " + g.name + " of " + what);
  PMPI_Neighbor_allgatherv(one.data(), k.count, type, right.data(), received.data(), received_at.data(), type, g.comm);
  check(CALL(k.form, again, Neighbor_allgatherv, neighbor_allgatherv,
             (one.data(), k.count, type, got.data(), received.data(), received_at.data(), type), g.comm));
  k.t.doing(k.describe("neighbor_alltoallv") + " on a " + g.name + " of " + what);
  PMPI_Neighbor_alltoallv(blocks.data(), sent.data(), sent_at.data(), type, right.data(), received.data(),
                          received_at.data(), type, g.comm);
  check(CALL(k.form, again, Neighbor_alltoallv, neighbor_alltoallv,
             (blocks.data(), sent.data(), sent_at.data(), type, got.data(), received.data(), received_at.data(), type),
             g.comm));
}

template <class T>
void all(const Case& k, const std::vector<Graph>& graphs) {
  k.t.count_case();
  scans<T>(k);
  // Two numbers and a gap, as in the faces of an array.
  MPI_Datatype face = MPI_DATATYPE_NULL;
  MPI_Datatype spaced = MPI_DATATYPE_NULL;
  MPI_Type_vector(1, 2, 3, type_of<T>(), &face);
  MPI_Type_create_resized(face, 0, 3 * static_cast<MPI_Aint>(sizeof(T)), &spaced);
  MPI_Type_commit(&spaced);
  for (const Graph& g : graphs) {
    neighbors<T>(k, g, type_of<T>(), 1, "numbers");
    neighbors<T>(k, g, spaced, 3, "numbers with gaps");
  }
  MPI_Type_free(&spaced);
  MPI_Type_free(&face);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin neighbors");
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  std::vector<Graph> graphs{grid(t.size()), uneven(t.rank(), t.size())};
  for (const int count : {3, 3000})
    for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
      if (form == Form::persistent && MPI_VERSION < 4) continue;
      const Case k{t, expected, random, count, form};
      all<double>(k, graphs);
      all<float>(k, graphs);
      all<int>(k, graphs);
    }
  for (Graph& g : graphs) MPI_Comm_free(&g.comm);
  return t.finish();
}
