// SPDX-License-Identifier: BSD-3-Clause
// Messages of bytes that are numbers, and of bytes that are not, for rules such as send+type:byte=double. What does not
// look like numbers arrives with every bit under any rule.
//
//   within E          bytes that are doubles may be off by E
//   within E floats   bytes that are floats may be
//   within E packed   packed doubles may be
#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"

using namespace dropin;
using ranks::Test;

namespace {

constexpr int bytes = 48000;

struct World {
  Test& t;
  double of_doubles;
  double of_floats;
  double of_packed;
  int rank;
  int left;
  int right;
};

template <class T>
std::vector<T> field_of(int rank) {
  std::vector<T> x(bytes / sizeof(T));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] =
        static_cast<T>(1.5 + std::sin(0.01 * static_cast<double>(i) + rank) + 1e-7 * std::cos(static_cast<double>(i)));
  return x;
}

template <class T>
std::vector<T> passed_on(World& w, const std::vector<T>& mine, MPI_Datatype type) {
  const int size = static_cast<int>(mine.size() * sizeof(T));
  std::vector<T> in(mine.size());
  MPI_Status status;
  MPI_Sendrecv(mine.data(), size, type, w.right, 1, in.data(), size, type, w.left, 1, MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, type, &count);
  CHECK(w.t, count == size, "the count of bytes is %d, not %d", count, size);
  return in;
}

void fields(World& w) {
  CHECK(w.t, alike(passed_on(w, field_of<double>(w.rank), MPI_BYTE), field_of<double>(w.left), w.of_doubles),
        "doubles");
  CHECK(w.t, alike(passed_on(w, field_of<float>(w.rank), MPI_BYTE), field_of<float>(w.left), w.of_floats), "floats");
}

void nonblocking(World& w) {
  const std::vector<double> mine = field_of<double>(w.rank + 10);
  std::vector<double> in(mine.size());
  MPI_Request requests[2];
  MPI_Irecv(in.data(), bytes, MPI_BYTE, w.left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine.data(), bytes, MPI_BYTE, w.right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(w.t, alike(in, field_of<double>(w.left + 10), w.of_doubles), "MPI_Isend of doubles as bytes");
  in.assign(in.size(), 0);
  MPI_Recv_init(in.data(), bytes, MPI_BYTE, w.left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(mine.data(), bytes, MPI_BYTE, w.right, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  CHECK(w.t, alike(in, field_of<double>(w.left + 10), w.of_doubles), "persistent messages of doubles as bytes");
}

void packed(World& w) {
  const std::vector<double> mine = field_of<double>(w.rank + 20);
  std::vector<double> buffer(mine.size());
  int position = 0;
  MPI_Pack(mine.data(), bytes / 8, MPI_DOUBLE, buffer.data(), bytes, &position, MPI_COMM_WORLD);
  const std::vector<double> in = passed_on(w, buffer, MPI_PACKED);
  std::vector<double> out(mine.size());
  position = 0;
  MPI_Unpack(in.data(), bytes, &position, out.data(), bytes / 8, MPI_DOUBLE, MPI_COMM_WORLD);
  CHECK(w.t, alike(out, field_of<double>(w.left + 20), w.of_packed), "packed doubles");
}

// Bytes that are no doubles: all of them arrive.
void others(World& w) {
  const auto exact = [&](const std::vector<unsigned char>& mine, const std::vector<unsigned char>& right,
                         const char* what) { CHECK(w.t, passed_on(w, mine, MPI_BYTE) == right, what); };
  const auto text_of = [](int rank) {
    std::string text;
    while (text.size() < bytes) text += "cell " + std::to_string(rank) + " has the neighbours 17, 4711 and 42\n";
    return std::vector<unsigned char>(text.begin(), text.begin() + bytes);
  };
  exact(text_of(w.rank), text_of(w.left), "text");
  const auto words = [](auto word_of) {
    std::vector<unsigned char> out(bytes);
    for (std::size_t k = 0; k < bytes / 8; ++k) {
      const std::uint64_t word = word_of(k);
      std::memcpy(out.data() + 8 * k, &word, 8);
    }
    return out;
  };
  // Pairs of 32-bit labels.
  const auto labels_of = [&](int rank) {
    return words([&](std::size_t k) { return (k << 32) + 3 * k + static_cast<std::uint64_t>(rank); });
  };
  exact(labels_of(w.rank), labels_of(w.left), "labels");
  // Doubles, and one word among them that is none.
  const auto mixed_of = [&](int rank) {
    const std::vector<double> x = field_of<double>(rank);
    return words([&](std::size_t k) {
      std::uint64_t word = 0;
      std::memcpy(&word, &x[k], 8);
      return k == 1000 ? 0x746867696e000000U + static_cast<std::uint64_t>(rank) : word;
    });
  };
  exact(mixed_of(w.rank), mixed_of(w.left), "doubles with a word that is none");
  // One byte more than doubles have.
  std::vector<unsigned char> longer = mixed_of(w.rank);
  std::vector<unsigned char> right = mixed_of(w.left);
  for (std::vector<unsigned char>* list : {&longer, &right}) {
    const double first = 0.5;
    std::memcpy(list->data() + std::size_t{8} * 1000, &first, 8);
    list->push_back(1);
  }
  exact(longer, right, "a size that is no multiple");
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin bytes");
  const Expectation expected(argc, argv);
  const std::string what = argc > 3 ? argv[3] : "doubles";
  const auto bound_of = [&](const char* name) { return what == name ? expected.bound : 0; };
  World w{t, bound_of("doubles"), bound_of("floats"), bound_of("packed"), t.rank(), 0, 0};
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  w.left = (w.rank + size - 1) % size;
  w.right = (w.rank + 1) % size;
  for (const auto part : {fields, nonblocking, packed, others}) part(w);
  return t.finish();
}
