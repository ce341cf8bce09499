// SPDX-License-Identifier: BSD-3-Clause
// A program whose calls carry contents of all kinds, for laconic profile: run.py and run_command_test.py compare the
// profile with what is sent here, and follow its suggestion. What is no field of numbers has to arrive with every bit.
#include <mpi.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "support.hpp"

using namespace dropin;
using ranks::Test;

namespace {

constexpr int count = 12000;
constexpr int rounds = 3;

struct World {
  Test& t;
  double bound;
  int rank;
  int size;
  MPI_Comm comm;
  int left() const { return (rank + size - 1) % size; }
  int right() const { return (rank + 1) % size; }
};

// Sums of these numbers are exact in any order.
template <class T>
std::vector<T> field_of(int rank) {
  std::vector<T> x(count);
  for (int i = 0; i < count; ++i)
    x[static_cast<std::size_t>(i)] =
        static_cast<T>(std::round(0x1p20 * (std::sin(0.003 * i + rank) + 1e-4 * std::cos(11.0 * i))) * 0x1p-20);
  return x;
}

// With all bits of a double, by which bytes are told from floats.
std::vector<double> unrounded_of(int rank) {
  std::vector<double> x = field_of<double>(rank);
  for (double& number : x) number += 1e-9 * std::sin(1e3 * number) + 3;
  return x;
}

std::vector<double> whole_numbers_of(int rank) {
  std::vector<double> x(count);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = 1000003.0 * rank + 7 * i;
  return x;
}

// Integers in the memory of doubles, which are denormal numbers.
std::vector<double> integers_of(int rank) {
  std::vector<double> x(count);
  for (int i = 0; i < count; ++i)
    x[static_cast<std::size_t>(i)] = std::bit_cast<double>(std::int64_t{1} * rank + 3 * i);
  return x;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void collectives(World& w) {
  std::vector<double> sum(count);
  std::vector<double> right = field_of<double>(0);
  for (int r = 1; r < w.size; ++r) {
    const std::vector<double> other = field_of<double>(r);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] += other[i];
  }
  const std::vector<double> mine = field_of<double>(w.rank);
  for (int k = 0; k < rounds; ++k) {
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, w.comm);
    CHECK(w.t, alike(sum, right, w.bound, w.size), "MPI_Allreduce of a field");
  }
  std::vector<double> numbers = w.rank == 0 ? whole_numbers_of(0) : std::vector<double>(count);
  MPI_Bcast(numbers.data(), count, MPI_DOUBLE, 0, w.comm);
  CHECK(w.t, same(numbers, whole_numbers_of(0)), "MPI_Bcast of whole numbers");
  std::vector<double> all(static_cast<std::size_t>(count) * static_cast<std::size_t>(w.size));
  const std::vector<double> integers = integers_of(w.rank);
  MPI_Allgather(integers.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, w.comm);
  for (int r = 0; r < w.size; ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r) * count;
    CHECK(w.t, same({begin, begin + count}, integers_of(r)), "MPI_Allgather of integers");
  }
  std::vector<double> gathered(all.size());
  MPI_Gather(mine.data(), count, MPI_DOUBLE, gathered.data(), count, MPI_DOUBLE, w.size - 1, w.comm);
  for (int r = 0; w.rank == w.size - 1 && r < w.size; ++r)
    CHECK(w.t, alike(gathered.data() + static_cast<std::size_t>(r) * count, field_of<double>(r).data(), count, w.bound),
          "MPI_Gather of a field");
}

template <class T>
void pass_on(World& w, const std::vector<T>& mine, MPI_Datatype type, int items, const std::vector<T>& right,
             double bound, const char* what) {
  std::vector<T> in(mine.size());
  MPI_Sendrecv(mine.data(), items, type, w.right(), 1, in.data(), items, type, w.left(), 1, w.comm, MPI_STATUS_IGNORE);
  CHECK(w.t, alike(in, right, bound), what);
}

void messages(World& w) {
  pass_on(w, field_of<float>(w.rank), MPI_FLOAT, count, field_of<float>(w.left()), w.bound, "floats");
  pass_on(w, unrounded_of(w.rank), MPI_BYTE, count * 8, unrounded_of(w.left()), w.bound, "doubles as bytes");
  std::vector<char> text(count, 'x');
  pass_on(w, text, MPI_CHAR, count, text, 0, "text");
  std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
  const std::vector<double> mine = field_of<double>(w.rank);
  std::vector<double> in(count);
  MPI_Recv_init(in.data(), count, MPI_DOUBLE, w.left(), 2, w.comm, &requests[0]);
  MPI_Send_init(mine.data(), count, MPI_DOUBLE, w.right(), 2, w.comm, &requests[1]);
  for (int k = 0; k < rounds; ++k) {
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK(w.t, alike(in, field_of<double>(w.left()), w.bound), "persistent messages");
    in.assign(in.size(), 0);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(count / 4, 2, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(in.data(), 1, column, w.left(), 3, w.comm, &requests[0]);
  MPI_Isend(mine.data(), 1, column, w.right(), 3, w.comm, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  const std::vector<double> theirs = field_of<double>(w.left());
  for (std::size_t i = 0; i < in.size(); i += 4)
    CHECK(w.t, alike(&in[i], &theirs[i], 2, w.bound) && in[i + 2] == 0, "a derived type");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin profile");
  const Expectation expected(argc, argv);
  World w{t, expected.bound, t.rank(), 1, MPI_COMM_NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &w.comm);
  MPI_Comm_set_name(w.comm, "grid");
  MPI_Comm_size(w.comm, &w.size);
  collectives(w);
  messages(w);
  MPI_Comm_free(&w.comm);
  return t.finish();
}
