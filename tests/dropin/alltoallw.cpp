// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoallw and MPI_Neighbor_alltoallw with subarrays of complex numbers, as parallel FFTs use them, with types
// that differ from part to part, with empty parts and ranks, in place, and with what cannot be compressed.
#include <mpi.h>

#include <complex>
#include <vector>

#include "support.hpp"

using namespace dropin;
using ranks::Test;

namespace {

struct World {
  Test& t;
  double bound;
  int rank;
  int size;
  MPI_Comm ring;
};

// A derived type for as long as it is needed.
class Type {
 public:
  explicit Type(MPI_Datatype made) : type_(made) { MPI_Type_commit(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  Type(Type&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  ~Type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

Type subarray(std::vector<int> sizes, std::vector<int> part, std::vector<int> begin, MPI_Datatype of) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), part.data(), begin.data(), MPI_ORDER_C, of,
                           &type);
  return Type(type);
}

// Calls the program's function and MPI's own, which the drop-in does not see, and compares all of the memory.
template <class T, class Displ>
void compare(World& w, const char* what, const std::vector<T>& send, std::size_t received,
             const std::vector<int>& sendcounts, const std::vector<Displ>& sdispls,
             const std::vector<MPI_Datatype>& sendtypes, const std::vector<int>& recvcounts,
             const std::vector<Displ>& rdispls, const std::vector<MPI_Datatype>& recvtypes, double bound) {
  std::vector<T> got(received, T(7));
  std::vector<T> right(received, T(7));
  const auto exchange = [&](auto function, std::vector<T>& into) {
    function(send.data(), sendcounts.data(), sdispls.data(), sendtypes.data(), into.data(), recvcounts.data(),
             rdispls.data(), recvtypes.data(), w.ring);
  };
  if constexpr (std::is_same_v<Displ, int>) {
    exchange(MPI_Alltoallw, got);
    exchange(PMPI_Alltoallw, right);
  } else {
    exchange(MPI_Neighbor_alltoallw, got);
    exchange(PMPI_Neighbor_alltoallw, right);
  }
  using Part = std::conditional_t<(sizeof(T) > sizeof(double)), double, T>;
  const std::size_t parts = sizeof(T) / sizeof(Part);
  CHECK(w.t,
        alike(reinterpret_cast<const Part*>(got.data()), reinterpret_cast<const Part*>(right.data()), received * parts,
              bound),
        what);
}

// From slabs of rows to slabs of columns, as between two passes of an FFT.
void transpose(World& w, int rows_of_rank) {
  const int rows = rows_of_rank;
  const int columns = 40;
  ranks::Random random(static_cast<std::uint64_t>(w.rank) + 5);
  const auto real = numbers<double>(static_cast<std::size_t>(2 * rows * columns * w.size), random);
  std::vector<std::complex<double>> send;
  for (std::size_t k = 0; k < real.size(); k += 2) send.emplace_back(real[k], real[k + 1]);
  std::vector<int> ones(static_cast<std::size_t>(w.size), 1);
  std::vector<int> none(static_cast<std::size_t>(w.size), 0);
  std::vector<Type> kept;
  std::vector<MPI_Datatype> out;
  std::vector<MPI_Datatype> in;
  std::vector<int> all_rows(static_cast<std::size_t>(w.size));
  MPI_Allgather(&rows, 1, MPI_INT, all_rows.data(), 1, MPI_INT, w.ring);
  int sum = 0;
  for (const int n : all_rows) sum += n;
  int begin = 0;
  std::vector<int> sendcounts = ones;
  std::vector<int> recvcounts = ones;
  for (int r = 0; r < w.size; ++r) {
    const int theirs = all_rows[static_cast<std::size_t>(r)];
    if (rows > 0) {
      kept.push_back(subarray({rows, columns * w.size}, {rows, columns}, {0, columns * r}, MPI_C_DOUBLE_COMPLEX));
      out.push_back(kept.back().get());
    } else {
      out.push_back(MPI_C_DOUBLE_COMPLEX);
      sendcounts[static_cast<std::size_t>(r)] = 0;
    }
    if (theirs > 0) {
      kept.push_back(subarray({sum, columns}, {theirs, columns}, {begin, 0}, MPI_C_DOUBLE_COMPLEX));
      in.push_back(kept.back().get());
    } else {
      in.push_back(MPI_BYTE);  // the types of empty parts do not count
      recvcounts[static_cast<std::size_t>(r)] = 0;
    }
    begin += theirs;
  }
  compare(w, "a transposition", send, static_cast<std::size_t>(sum * columns), sendcounts, none, out, recvcounts, none,
          in, w.bound);
}

// Every second number to one rank, a contiguous part to the next; received without gaps.
void mixed_layouts(World& w) {
  constexpr int count = 600;
  ranks::Random random(static_cast<std::uint64_t>(w.rank) + 9);
  const std::vector<double> send = numbers<double>(static_cast<std::size_t>(2 * count * w.size), random);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &made);
  const Type vector(made);
  std::vector<int> sendcounts;
  std::vector<int> sdispls;
  std::vector<int> recvcounts;
  std::vector<int> rdispls;
  std::vector<MPI_Datatype> out;
  std::vector<MPI_Datatype> in;
  for (int r = 0; r < w.size; ++r) {
    const bool gaps = (w.rank + r) % 2 == 0;
    sendcounts.push_back(gaps ? 1 : count);
    out.push_back(gaps ? vector.get() : MPI_DOUBLE);
    sdispls.push_back(static_cast<int>(2 * count * sizeof(double)) * r);
    recvcounts.push_back(count);
    in.push_back(MPI_DOUBLE);
    rdispls.push_back(static_cast<int>(count * sizeof(double)) * (w.size - 1 - r));
  }
  compare(w, "layouts that differ", send, static_cast<std::size_t>(count * w.size), sendcounts, sdispls, out,
          recvcounts, rdispls, in, w.bound);
}

// The parts to one rank are bytes: nobody's numbers are compressed, and everything arrives.
void bytes_among_numbers(World& w) {
  constexpr int count = 500;
  ranks::Random random(static_cast<std::uint64_t>(w.rank) + 11);
  const std::vector<double> send = numbers<double>(static_cast<std::size_t>(count * w.size), random);
  const auto of = [&](int source, int dest) { return source == 0 && dest == w.size - 1; };
  std::vector<int> sendcounts;
  std::vector<int> recvcounts;
  std::vector<int> displs;
  std::vector<MPI_Datatype> out;
  std::vector<MPI_Datatype> in;
  for (int r = 0; r < w.size; ++r) {
    sendcounts.push_back(of(w.rank, r) ? count * 8 : count);
    recvcounts.push_back(of(r, w.rank) ? count * 8 : count);
    out.push_back(of(w.rank, r) ? MPI_BYTE : MPI_DOUBLE);
    in.push_back(of(r, w.rank) ? MPI_BYTE : MPI_DOUBLE);
    displs.push_back(r * count * 8);
  }
  compare(w, "bytes among numbers", send, static_cast<std::size_t>(count * w.size), sendcounts, displs, out, recvcounts,
          displs, in, 0);
}

void in_place(World& w) {
  constexpr int count = 700;
  ranks::Random random(static_cast<std::uint64_t>(w.rank) + 13);
  const std::vector<double> numbers_here = numbers<double>(static_cast<std::size_t>(count * w.size), random);
  std::vector<double> got = numbers_here;
  std::vector<double> right = numbers_here;
  const std::vector<int> counts(static_cast<std::size_t>(w.size), count);
  const std::vector<MPI_Datatype> types(static_cast<std::size_t>(w.size), MPI_DOUBLE);
  std::vector<int> displs;
  for (int r = 0; r < w.size; ++r) displs.push_back(r * count * 8);
  MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, got.data(), counts.data(), displs.data(), types.data(),
                w.ring);
  PMPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, right.data(), counts.data(), displs.data(), types.data(),
                 w.ring);
  CHECK(w.t, alike(got, right, w.bound), "in place");
}

void to_neighbors(World& w) {
  constexpr int count = 800;
  ranks::Random random(static_cast<std::uint64_t>(w.rank) + 17);
  const std::vector<float> send = numbers<float>(4 * count, random);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 2, MPI_FLOAT, &made);
  const Type vector(made);
  const std::vector<int> ones(2, 1);
  const std::vector<int> counts(2, count);
  const std::vector<MPI_Aint> sdispls{0, 2 * count * static_cast<MPI_Aint>(sizeof(float))};
  const std::vector<MPI_Aint> rdispls{count * static_cast<MPI_Aint>(sizeof(float)), 0};
  compare<float, MPI_Aint>(w, "neighbours", send, 2 * count, ones, sdispls, {vector.get(), vector.get()}, counts,
                           rdispls, {MPI_FLOAT, MPI_FLOAT}, w.bound);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin alltoallw");
  const Expectation expected(argc, argv);
  World w{t, expected.bound, t.rank(), 1, MPI_COMM_NULL};
  MPI_Comm_size(MPI_COMM_WORLD, &w.size);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &w.size, &periodic, 0, &w.ring);
  for (int k = 0; k < 2; ++k) {
    transpose(w, 10 + 3 * w.rank);
    transpose(w, w.rank == 0 ? 0 : 12);
    mixed_layouts(w);
    bytes_among_numbers(w);
    in_place(w);
    if (w.size > 2) to_neighbors(w);  // with fewer ranks MPIs differ in which part comes first
  }
  MPI_Comm_free(&w.ring);
  return t.finish();
}
