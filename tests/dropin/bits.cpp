// SPDX-License-Identifier: BSD-3-Clause
// A program that moves and reduces its data in many ways, each part with the results of those before, and prints
// digests of the data of every rank. run.py compares them between runs: where nothing may change, every bit of the data
// is the same in all of them.
#include <mpi.h>

#include <array>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

namespace {

constexpr int rows = 64;
constexpr int columns = 48;
constexpr int width = 12;  // columns that neighbors in the ring exchange

struct State {
  int rank = 0;
  int size = 1;
  int left = 0;
  int right = 0;
  MPI_Comm ring = MPI_COMM_NULL;
  std::vector<double> field;  // rows of columns
  std::vector<double> incoming;
  std::vector<float> singles;
  std::vector<std::complex<double>> waves;
};

std::uint64_t digest(std::uint64_t h, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t k = 0; k < bytes; ++k) h = (h ^ at[k]) * 0x100000001b3ULL;
  return h;
}

template <class T>
std::uint64_t digest(std::uint64_t h, const std::vector<T>& x) {
  return digest(h, x.data(), x.size() * sizeof(T));
}

void tell(const State& s, const char* part) {
  std::uint64_t mine = 0xcbf29ce484222325ULL;
  mine = digest(digest(digest(mine, s.field), s.singles), s.waves);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(s.size));
  PMPI_Gather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (s.rank == 0)
    for (int r = 0; r < s.size; ++r)
      std::printf("bits %s %d %016" PRIx64 "\n", part, r, all[static_cast<std::size_t>(r)]);
}

// The mean of what a rank has and what it received, so that every part changes the data that the next begins with.
template <class T>
void mix(std::vector<T>& x, const std::vector<T>& received, int terms = 1) {
  using Real = decltype(std::real(T{}));
  for (std::size_t i = 0; i < x.size() && i < received.size(); ++i)
    x[i] = (x[i] + received[i] / static_cast<Real>(terms)) * static_cast<Real>(0.5);
}

void begin(State& s) {
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.size);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &s.size, &periodic, 0, &s.ring);
  MPI_Cart_shift(s.ring, 0, 1, &s.left, &s.right);
  for (int i = 0; i < rows * columns; ++i) {
    const double x = std::sin(0.013 * i + s.rank) + 1e-3 * std::cos(7.1 * i);
    s.field.push_back(x);
    s.singles.push_back(static_cast<float>(std::cos(x)));
    s.waves.push_back(std::polar(1.0, 3 * x));
  }
  s.incoming = s.field;
}

void blocking(State& s) {
  if (s.size == 1) return;
  const auto send = [&] { MPI_Send(s.field.data(), rows * columns, MPI_DOUBLE, s.right, 1, s.ring); };
  const auto receive = [&] {
    MPI_Recv(s.incoming.data(), rows * columns, MPI_DOUBLE, MPI_ANY_SOURCE, 1, s.ring, MPI_STATUS_IGNORE);
  };
  if (s.rank % 2 == 0) {
    send();
    receive();
  } else {
    receive();
    send();
  }
  mix(s.field, s.incoming);
}

void nonblocking(State& s) {
  MPI_Datatype band = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, width, columns, MPI_DOUBLE, &band);
  MPI_Type_commit(&band);
  std::array<MPI_Request, 4> requests{};
  MPI_Irecv(s.incoming.data(), 1, band, s.left, 2, s.ring, &requests[0]);
  MPI_Irecv(s.incoming.data() + columns - width, 1, band, s.right, 3, s.ring, &requests[1]);
  MPI_Isend(s.field.data() + columns - 2 * width, 1, band, s.right, 2, s.ring, &requests[2]);
  MPI_Issend(s.field.data() + width, 1, band, s.left, 3, s.ring, &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Type_free(&band);
  mix(s.field, s.incoming);
}

void exchanged(State& s) {
  std::vector<std::complex<double>> received(s.waves.size());
  const auto count = static_cast<int>(s.waves.size());
  MPI_Sendrecv(s.waves.data(), count, MPI_C_DOUBLE_COMPLEX, s.right, 4, received.data(), count, MPI_C_DOUBLE_COMPLEX,
               s.left, 4, s.ring, MPI_STATUS_IGNORE);
  mix(s.waves, received);
  std::vector<float> singles = s.singles;
  MPI_Sendrecv_replace(singles.data(), static_cast<int>(singles.size()), MPI_FLOAT, s.left, 5, s.right, 5, s.ring,
                       MPI_STATUS_IGNORE);
  mix(s.singles, singles);
}

void persistent(State& s) {
  const std::array<int, 2> sizes{rows, columns};
  const std::array<int, 2> part{rows / 2, columns / 2};
  const std::array<int, 2> begin{rows / 4, columns / 4};
  MPI_Datatype middle = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, sizes.data(), part.data(), begin.data(), MPI_ORDER_C, MPI_DOUBLE, &middle);
  MPI_Type_commit(&middle);
  std::array<MPI_Request, 2> requests{};
  MPI_Recv_init(s.incoming.data(), 1, middle, s.left, 6, s.ring, &requests[0]);
  MPI_Send_init(s.field.data(), 1, middle, s.right, 6, s.ring, &requests[1]);
  MPI_Type_free(&middle);
  for (int k = 0; k < 3; ++k) {
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    mix(s.field, s.incoming);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void layouts(State& s) {
  const std::array<int, 3> lengths{100, 300, 200};
  const std::array<int, 3> places{0, 512, 1500};
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_Type_indexed(3, lengths.data(), places.data(), MPI_FLOAT, &pieces);
  MPI_Type_commit(&pieces);
  std::vector<float> received = s.singles;
  MPI_Sendrecv(s.singles.data(), 1, pieces, s.right, 7, received.data(), 1, pieces, s.left, 7, s.ring,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&pieces);
  mix(s.singles, received);
}

void reductions(State& s) {
  const int count = rows * columns / s.size * s.size;
  std::vector<double> sum(s.field.size());
  MPI_Allreduce(s.field.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, s.ring);
  mix(s.field, sum, s.size);
  MPI_Allreduce(MPI_IN_PLACE, s.singles.data(), count, MPI_FLOAT, MPI_MAX, s.ring);
  MPI_Reduce(s.field.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, s.size - 1, s.ring);
  mix(s.field, sum, s.size);
  MPI_Reduce_scatter_block(s.field.data(), sum.data(), count / s.size, MPI_DOUBLE, MPI_SUM, s.ring);
  const std::vector<int> counts(static_cast<std::size_t>(s.size), count / s.size);
  mix(s.field, sum, s.size);
  MPI_Reduce_scatter(s.field.data(), sum.data(), counts.data(), MPI_DOUBLE, MPI_SUM, s.ring);
  mix(s.field, sum, s.size);
  MPI_Scan(s.field.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, s.ring);
  mix(s.field, sum, s.size);
  MPI_Exscan(s.field.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, s.ring);
  if (s.rank > 0) mix(s.field, sum, s.size);
}

void movement(State& s) {
  const int part = rows * columns / s.size;
  const std::vector<int> counts(static_cast<std::size_t>(s.size), part);
  std::vector<int> places;
  for (int r = 0; r < s.size; ++r) places.push_back(r * part);
  std::vector<double>& in = s.incoming;
  MPI_Bcast(in.data(), rows * columns, MPI_DOUBLE, 0, s.ring);
  mix(s.field, in);
  MPI_Allgather(s.field.data(), part, MPI_DOUBLE, in.data(), part, MPI_DOUBLE, s.ring);
  mix(s.field, in);
  MPI_Allgatherv(s.field.data(), part, MPI_DOUBLE, in.data(), counts.data(), places.data(), MPI_DOUBLE, s.ring);
  mix(s.field, in);
  MPI_Gather(s.field.data(), part, MPI_DOUBLE, in.data(), part, MPI_DOUBLE, 0, s.ring);
  mix(s.field, in);
  MPI_Scatter(s.field.data(), part, MPI_DOUBLE, in.data(), part, MPI_DOUBLE, 0, s.ring);
  mix(s.field, in);
  MPI_Gatherv(s.field.data(), part, MPI_DOUBLE, in.data(), counts.data(), places.data(), MPI_DOUBLE, 0, s.ring);
  mix(s.field, in);
  MPI_Scatterv(s.field.data(), counts.data(), places.data(), MPI_DOUBLE, in.data(), part, MPI_DOUBLE, 0, s.ring);
  mix(s.field, in);
  MPI_Alltoall(s.field.data(), part, MPI_DOUBLE, in.data(), part, MPI_DOUBLE, s.ring);
  mix(s.field, in);
  MPI_Alltoallv(s.field.data(), counts.data(), places.data(), MPI_DOUBLE, in.data(), counts.data(), places.data(),
                MPI_DOUBLE, s.ring);
  mix(s.field, in);
  MPI_Neighbor_alltoall(s.field.data(), rows * columns / 2, MPI_DOUBLE, in.data(), rows * columns / 2, MPI_DOUBLE,
                        s.ring);
  mix(s.field, in);
}

void later(State& s) {
  std::vector<double> sum(s.field.size());
  std::array<MPI_Request, 2> requests{};
  MPI_Iallreduce(s.field.data(), sum.data(), rows * columns, MPI_DOUBLE, MPI_SUM, s.ring, &requests[0]);
  MPI_Ibcast(s.waves.data(), rows * columns, MPI_C_DOUBLE_COMPLEX, s.size / 2, s.ring, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  mix(s.field, sum, s.size);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  State s;
  const auto run = [&](const char* name, void (*part)(State&)) {
    part(s);
    tell(s, name);
  };
  run("begin", begin);
  run("blocking", blocking);
  run("nonblocking", nonblocking);
  run("exchanged", exchanged);
  run("persistent", persistent);
  run("layouts", layouts);
  run("reductions", reductions);
  run("movement", movement);
  run("later", later);
  MPI_Comm_free(&s.ring);
  MPI_Finalize();
  return 0;
}
