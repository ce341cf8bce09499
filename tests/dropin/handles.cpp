// SPDX-License-Identifier: BSD-3-Clause
// Handles and addresses that a program frees or does not have: datatypes that are freed while an operation uses them,
// communicators likewise, and absolute addresses (MPI_BOTTOM).
#include <algorithm>
#include <cstdlib>

#include "support.hpp"

using namespace dropin;
using ranks::Random;
using ranks::Test;

namespace {

constexpr int items = 6000;

// MPICH 4.0 itself loses the types of persistent collectives.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
constexpr bool sound_mpi = false;
#else
constexpr bool sound_mpi = true;
#endif

MPI_Datatype spread() {
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(items, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_create_resized(vector, 0, 2 * items * sizeof(double), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&vector);
  return type;
}

// Frees a type, and makes others, which may get the same handle.
void free_type(MPI_Datatype type) {
  MPI_Type_free(&type);
  for (int k = 0; k < 3; ++k) {
    MPI_Datatype other = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(k + 2, MPI_CHAR, &other);
    MPI_Type_commit(&other);
    MPI_Type_free(&other);
  }
}

// A type of `items` numbers, every other number of the memory, at absolute addresses.
MPI_Datatype absolute(std::vector<double>& memory) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Datatype relative = spread();
  MPI_Aint address = 0;
  int one = 1;
  MPI_Get_address(memory.data(), &address);
  MPI_Type_create_hindexed(1, &one, &address, relative, &type);
  MPI_Type_commit(&type);
  MPI_Datatype made = relative;
  MPI_Type_free(&made);
  return type;
}

struct Case {
  Test& t;
  double bound;  // the bound on data that only moves
  Random random;
  void check(const std::vector<double>& got, const std::vector<double>& right, const char* what) {
    CHECK(t, alike(got, right, bound), "%s", what);
    // The memory between the items must stay unchanged.
    for (std::size_t k = 1; k < got.size(); k += 2)
      if (!CHECK(t, got[k] == right[k], "%s: number %zu", what, k)) return;
  }
};

void freed_while_in_flight(Case& c) {
  Test& t = c.t;
  t.doing("types freed while nonblocking calls use them");
  t.count_case();
  auto got = numbers<double>(2 * items, c.random);
  auto right = got;
  MPI_Datatype type = spread();
  PMPI_Bcast(right.data(), 1, type, 0, MPI_COMM_WORLD);
  MPI_Request requests[2];
  MPI_Ibcast(got.data(), 1, type, 0, MPI_COMM_WORLD, &requests[0]);
  free_type(type);
  const auto mine = numbers<double>(2 * items, c.random);
  std::vector<double> all(2 * items * static_cast<std::size_t>(t.size()), 5.0);
  auto all_right = all;
  type = spread();
  PMPI_Allgather(mine.data(), 1, type, all_right.data(), 1, type, MPI_COMM_WORLD);
  MPI_Iallgather(mine.data(), 1, type, all.data(), 1, type, MPI_COMM_WORLD, &requests[1]);
  free_type(type);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  c.check(got, right, "Ibcast");
  c.check(all, all_right, "Iallgather");
}

#if MPI_VERSION >= 4
void freed_after_init(Case& c) {
  Test& t = c.t;
  t.doing("types freed while persistent operations use them");
  t.count_case();
  std::vector<double> got(2 * items);
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Datatype type = spread();
  MPI_Bcast_init(got.data(), 1, type, t.size() - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  free_type(type);
  for (int round = 0; round < 3; ++round) {
    std::ranges::copy(numbers<double>(2 * items, c.random), got.begin());
    auto right = got;
    MPI_Datatype again = spread();
    PMPI_Bcast(right.data(), 1, again, t.size() - 1, MPI_COMM_WORLD);
    MPI_Type_free(&again);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    c.check(got, right, "Bcast_init");
  }
  MPI_Request_free(&request);
}

// MPI lets operations in flight complete when their communicator is freed.
void freed_communicator(Test& t, const Expectation& expected, Random& random) {
  t.doing("a communicator freed while a persistent operation on it is active");
  t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto mine = numbers<double>(items, random);
  std::vector<double> got(items);
  std::vector<double> right(items);
  PMPI_Allreduce(mine.data(), right.data(), items, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Allreduce_init(mine.data(), got.data(), items, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, alike(got, right, expected.bound, t.size()));
  MPI_Request_free(&request);
}
#endif

void absolute_addresses(Case& c) {
  Test& t = c.t;
  auto memory = numbers<double>(2 * items, c.random);
  std::vector<double> right;
  MPI_Datatype type = absolute(memory);
  MPI_Datatype relative = spread();
  const auto doing = [&](const char* what) {
    t.doing(ranks::text("%s with MPI_BOTTOM", what));
    t.count_case();
    std::ranges::copy(numbers<double>(2 * items, c.random), memory.begin());
    right = memory;
  };
  doing("MPI_Bcast");
  PMPI_Bcast(right.data(), 1, relative, 0, MPI_COMM_WORLD);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  c.check(memory, right, "Bcast");

  doing("MPI_Ibcast");
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Bcast(right.data(), 1, relative, 0, MPI_COMM_WORLD);
  MPI_Ibcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  c.check(memory, right, "Ibcast");

  doing("MPI_Gather");
  std::vector<double> all(items * static_cast<std::size_t>(t.size()));
  auto all_right = all;
  PMPI_Gather(memory.data(), 1, relative, all_right.data(), items, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Gather(MPI_BOTTOM, 1, type, all.data(), items, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CHECK(t, alike(all, all_right, c.bound));
  MPI_Type_free(&type);
  MPI_Type_free(&relative);
}

// Messages round the ring, between absolute addresses.
void absolute_messages(Test& t, double bound, Random& random) {
  const int next = (t.rank() + 1) % t.size();
  const int previous = (t.rank() + t.size() - 1) % t.size();
  auto out = numbers<double>(2 * items, random);
  auto in = numbers<double>(2 * items, random);
  MPI_Datatype from = absolute(out);
  MPI_Datatype to = absolute(in);
  auto right = in;
  MPI_Datatype relative = spread();
  PMPI_Sendrecv(out.data(), 1, relative, next, 1, right.data(), 1, relative, previous, 1, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE);
  MPI_Type_free(&relative);
  for (int way = 0; way < 3; ++way) {
    t.doing(ranks::text("messages with MPI_BOTTOM, way %d", way));
    t.count_case();
    for (std::size_t k = 0; k < in.size(); k += 2) in[k] = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (way == 0) {
      MPI_Irecv(MPI_BOTTOM, 1, to, previous, 2, MPI_COMM_WORLD, &request);
      MPI_Send(MPI_BOTTOM, 1, from, next, 2, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (way == 1) {
      MPI_Isend(MPI_BOTTOM, 1, from, next, 2, MPI_COMM_WORLD, &request);
      MPI_Recv(MPI_BOTTOM, 1, to, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Sendrecv(MPI_BOTTOM, 1, from, next, 2, MPI_BOTTOM, 1, to, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK(t, alike(in, right, bound));
  }
  MPI_Type_free(&from);
  MPI_Type_free(&to);
}

// Calls below the minimum size for compression are left to MPI, including mistakes, which MPI may or may not detect.
void aliased_buffers(Test& t) {
  const char* least = std::getenv("LACONIC_MIN_BYTES");
  if (least != nullptr && std::atoi(least) < 1000) return;
  t.doing("small calls whose buffers are one and the same");
  t.count_case();
  constexpr int few = 10;
  std::vector<double> x(few * static_cast<std::size_t>(t.size()));
  // Open MPI gives the error to the handler of MPI_COMM_WORLD, whatever the communicator.
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto same = [&](int got, int right) { return ranks::class_of(got) == ranks::class_of(right); };
  CHECK(t, same(MPI_Allreduce(x.data(), x.data(), few, MPI_DOUBLE, MPI_SUM, comm),
                PMPI_Allreduce(x.data(), x.data(), few, MPI_DOUBLE, MPI_SUM, comm)));
  CHECK(t, same(MPI_Alltoall(x.data(), few, MPI_DOUBLE, x.data(), few, MPI_DOUBLE, comm),
                PMPI_Alltoall(x.data(), few, MPI_DOUBLE, x.data(), few, MPI_DOUBLE, comm)));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  const bool messages = argc > 1 && std::string(argv[argc - 1]) == "messages";
  Test t(&argc, &argv, "dropin handles");
  const Expectation expected(argc, argv);
  const auto seed = t.seed() * 1000 + static_cast<std::uint64_t>(t.rank());
  Random random(seed);
  Case c{t, expected.movement ? expected.bound : 0, Random(seed + 500)};
  freed_while_in_flight(c);
  aliased_buffers(t);
  absolute_addresses(c);
  absolute_messages(t, messages ? expected.bound : 0, random);
#if MPI_VERSION >= 4
  if (sound_mpi || (expected.movement && t.size() > 1)) freed_after_init(c);
  if (sound_mpi || (expected.bound > 0 && t.size() > 1)) freed_communicator(t, expected, random);
#endif
  return t.finish();
}
