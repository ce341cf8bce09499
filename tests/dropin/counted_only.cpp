// SPDX-License-Identifier: BSD-3-Clause
// The operations that the drop-in counts and never compresses: they do what they do without it, and run.py compares the
// bytes in the report with those that are sent here.
#include <mpi.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace dropin;
using ranks::Test;

namespace {

constexpr int count = 1000;  // numbers of a call

struct World {
  Test& t;
  int rank;
  int size;
  int left;
  int right;
  MPI_Comm ring;
};

// The numbers that a rank sends to another.
std::vector<double> numbers_from(int source, int dest) {
  std::vector<double> x(count);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = 0.1 * i + source + 100.0 * dest;
  return x;
}

void buffered(World& w) {
  std::vector<char> room(8 * (count * sizeof(double) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  const std::vector<double> x = numbers_from(w.rank, w.right);
  std::vector<double> y(count);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto receive = [&] {
    y.assign(count, 0);
    MPI_Recv(y.data(), count, MPI_DOUBLE, w.left, 1, w.ring, MPI_STATUS_IGNORE);
    CHECK(w.t, y == numbers_from(w.left, w.rank), "a buffered message");
  };
  MPI_Bsend(x.data(), count, MPI_DOUBLE, w.right, 1, w.ring);
  receive();
  MPI_Ibsend(x.data(), count, MPI_DOUBLE, w.right, 1, w.ring, &request);
  receive();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bsend_init(x.data(), count, MPI_DOUBLE, w.right, 1, w.ring, &request);
  for (int k = 0; k < 2; ++k) {
    MPI_Start(&request);
    receive();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
}

void partitioned(World& w) {
#if MPI_VERSION >= 4
  constexpr int parts = 4;
  const std::vector<double> x = numbers_from(w.rank, w.right);
  std::vector<double> y(count);
  std::array<MPI_Request, 2> requests{};
  MPI_Psend_init(x.data(), parts, count / parts, MPI_DOUBLE, w.right, 2, w.ring, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(y.data(), parts, count / parts, MPI_DOUBLE, w.left, 2, w.ring, MPI_INFO_NULL, &requests[1]);
  for (int k = 0; k < 2; ++k) {
    y.assign(count, 0);
    MPI_Startall(2, requests.data());
    for (int part = 0; part < parts; ++part) MPI_Pready(part, requests[0]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK(w.t, y == numbers_from(w.left, w.rank), "a message in partitions");
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
#else
  (void)w;
#endif
}

// The arguments of one side of an MPI_Alltoallw, with `Displ` displacements in bytes.
template <class Displ>
struct Parts {
  std::vector<double> numbers;
  std::vector<int> counts;
  std::vector<Displ> displs;
  std::vector<MPI_Datatype> types;

  void add(const std::vector<double>& part) {
    displs.push_back(static_cast<Displ>(numbers.size() * sizeof(double)));
    numbers.insert(numbers.end(), part.begin(), part.end());
    counts.push_back(count);
    types.push_back(MPI_DOUBLE);
  }
};

void all_to_all(World& w) {
  Parts<int> out;
  Parts<int> in;
  std::vector<double> right;
  for (int r = 0; r < w.size; ++r) {
    out.add(numbers_from(w.rank, r));
    in.add(std::vector<double>(count));
    const std::vector<double> part = numbers_from(r, w.rank);
    right.insert(right.end(), part.begin(), part.end());
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallw(out.numbers.data(), out.counts.data(), out.displs.data(), out.types.data(), in.numbers.data(),
                 in.counts.data(), in.displs.data(), in.types.data(), w.ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(w.t, in.numbers == right, "MPI_Ialltoallw");
}

void to_neighbors(World& w) {
  Parts<MPI_Aint> out;
  Parts<MPI_Aint> in;
  for (int k = 0; k < 2; ++k) {
    out.add(numbers_from(w.rank, k));
    in.add(std::vector<double>(count));
  }
  // The neighbors are in the order left, right.  The left one sends its second part here, the right one its first.
  std::vector<double> right = numbers_from(w.left, 1);
  const std::vector<double> second = numbers_from(w.right, 0);
  right.insert(right.end(), second.begin(), second.end());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoallw(out.numbers.data(), out.counts.data(), out.displs.data(), out.types.data(), in.numbers.data(),
                          in.counts.data(), in.displs.data(), in.types.data(), w.ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // With one or two ranks both neighbors are the same rank, and MPIs differ in which part comes first.
  if (w.size > 2) CHECK(w.t, in.numbers == right, "MPI_Ineighbor_alltoallw");
}

void one_sided(World& w) {
  std::vector<double> got(count);
  const std::vector<double> x = numbers_from(w.rank, w.right);
  double* window = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(static_cast<MPI_Aint>(count * sizeof(double)), sizeof(double), MPI_INFO_NULL, w.ring,
                   static_cast<void*>(&window), &win);
  const auto settled = [&] {
    MPI_Barrier(w.ring);
    MPI_Win_sync(win);
  };
  MPI_Win_lock_all(0, win);
  for (const bool by_request : {false, true}) {
    const auto finish = [&](MPI_Request& request) {
      if (by_request) MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Win_flush(w.right, win);
      settled();
    };
    MPI_Request request = MPI_REQUEST_NULL;
    by_request ? MPI_Rput(x.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, win, &request)
               : MPI_Put(x.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, win);
    finish(request);
    CHECK(w.t, std::vector<double>(window, window + count) == numbers_from(w.left, w.rank), "MPI_Put");
    settled();
    by_request ? MPI_Rget(got.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, win, &request)
               : MPI_Get(got.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, win);
    finish(request);
    CHECK(w.t, got == x, "MPI_Get");
    by_request ? MPI_Raccumulate(x.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, MPI_SUM, win, &request)
               : MPI_Accumulate(x.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE, MPI_SUM, win);
    finish(request);
    by_request ? MPI_Rget_accumulate(x.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, w.right, 0, count,
                                     MPI_DOUBLE, MPI_REPLACE, win, &request)
               : MPI_Get_accumulate(x.data(), count, MPI_DOUBLE, got.data(), count, MPI_DOUBLE, w.right, 0, count,
                                    MPI_DOUBLE, MPI_REPLACE, win);
    finish(request);
    // That reads what MPI_REPLACE has left.
    std::vector<double> read(count);
    by_request ? MPI_Rget_accumulate(nullptr, 0, MPI_BYTE, read.data(), count, MPI_DOUBLE, w.right, 0, count,
                                     MPI_DOUBLE, MPI_NO_OP, win, &request)
               : MPI_Get_accumulate(nullptr, 0, MPI_BYTE, read.data(), count, MPI_DOUBLE, w.right, 0, count, MPI_DOUBLE,
                                    MPI_NO_OP, win);
    finish(request);
    CHECK(w.t, read == x, "MPI_Get_accumulate with MPI_NO_OP");
    std::vector<double> twice = x;
    for (double& number : twice) number += number;
    CHECK(w.t, got == twice, "MPI_Accumulate and MPI_Get_accumulate");
    settled();
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// A file of all ranks, in a folder for temporary files.
class SharedFile {
 public:
  explicit SharedFile(World& w) : w_(w) {
    std::array<char, 4096> name{};
    if (w.rank == 0) {
      const char* folder = std::getenv("TMPDIR");
      const std::string text =
          std::string(folder != nullptr ? folder : "/tmp") + "/laconic-counted-" + std::to_string(getpid());
      text.copy(name.data(), name.size() - 1);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, w.ring);
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    const int code = MPI_File_open(w.ring, name.data(), mode, MPI_INFO_NULL, &file_);
    CHECK(w.t, code == MPI_SUCCESS, "MPI_File_open");
  }
  ~SharedFile() { MPI_File_close(&file_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  MPI_File get() const { return file_; }
  MPI_Offset place() const { return static_cast<MPI_Offset>(count * sizeof(double)) * w_.rank; }
  // All pointers go to the place of the rank, the shared one to the beginning.
  void rewind() const {
    MPI_File_seek(file_, place(), MPI_SEEK_SET);
    MPI_File_seek_shared(file_, 0, MPI_SEEK_SET);
  }
  // One rank after the other calls f().
  void in_turns(const std::function<void()>& f) const {
    for (int r = 0; r < w_.size; ++r) {
      if (r == w_.rank) f();
      MPI_Barrier(w_.ring);
    }
  }

 private:
  World& w_;
  MPI_File file_ = MPI_FILE_NULL;
};

void files(World& w) {
  const SharedFile shared(w);
  MPI_File file = shared.get();
  const MPI_Offset place = shared.place();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  std::vector<double> x(count);
  std::vector<double> y(count);
  struct Way {
    const char* name;
    std::function<void()> write;
    std::function<void()> read;
  };
  // `at`: the place of this rank, for functions that want it.
  const auto blocking = [&](const char* name, auto* write, auto* read, auto... at) {
    return Way{name, [&, write, at...] { write(file, at..., x.data(), count, MPI_DOUBLE, &status); },
               [&, read, at...] { read(file, at..., y.data(), count, MPI_DOUBLE, &status); }};
  };
  const auto nonblocking = [&](const char* name, auto* write, auto* read, auto... at) {
    const auto complete = [&](int) { MPI_Wait(&request, MPI_STATUS_IGNORE); };
    return Way{name,
               [&, write, complete, at...] { complete(write(file, at..., x.data(), count, MPI_DOUBLE, &request)); },
               [&, read, complete, at...] { complete(read(file, at..., y.data(), count, MPI_DOUBLE, &request)); }};
  };
  const auto split = [&](const char* name, auto* write, auto* write_end, auto* read, auto* read_end, auto... at) {
    return Way{name,
               [&, write, write_end, at...] {
                 write(file, at..., x.data(), count, MPI_DOUBLE);
                 write_end(file, x.data(), &status);
               },
               [&, read, read_end, at...] {
                 read(file, at..., y.data(), count, MPI_DOUBLE);
                 read_end(file, y.data(), &status);
               }};
  };
  const auto by_turns = [&](const Way& way) {
    return Way{way.name, [&shared, way] { shared.in_turns(way.write); }, [&shared, way] { shared.in_turns(way.read); }};
  };
  const std::array<Way, 14> ways{blocking("write", MPI_File_write, MPI_File_read),
                                 blocking("write_all", MPI_File_write_all, MPI_File_read_all),
                                 blocking("write_at", MPI_File_write_at, MPI_File_read_at, place),
                                 blocking("write_at_all", MPI_File_write_at_all, MPI_File_read_at_all, place),
                                 blocking("write_ordered", MPI_File_write_ordered, MPI_File_read_ordered),
                                 by_turns(blocking("write_shared", MPI_File_write_shared, MPI_File_read_shared)),
                                 nonblocking("iwrite", MPI_File_iwrite, MPI_File_iread),
                                 nonblocking("iwrite_all", MPI_File_iwrite_all, MPI_File_iread_all),
                                 nonblocking("iwrite_at", MPI_File_iwrite_at, MPI_File_iread_at, place),
                                 nonblocking("iwrite_at_all", MPI_File_iwrite_at_all, MPI_File_iread_at_all, place),
                                 by_turns(nonblocking("iwrite_shared", MPI_File_iwrite_shared, MPI_File_iread_shared)),
                                 split("write_all_begin", MPI_File_write_all_begin, MPI_File_write_all_end,
                                       MPI_File_read_all_begin, MPI_File_read_all_end),
                                 split("write_at_all_begin", MPI_File_write_at_all_begin, MPI_File_write_at_all_end,
                                       MPI_File_read_at_all_begin, MPI_File_read_at_all_end, place),
                                 split("write_ordered_begin", MPI_File_write_ordered_begin, MPI_File_write_ordered_end,
                                       MPI_File_read_ordered_begin, MPI_File_read_ordered_end)};
  for (std::size_t k = 0; k < ways.size(); ++k) {
    x = numbers_from(w.rank, static_cast<int>(k));
    y.assign(count, 0);
    shared.rewind();
    ways[k].write();
    MPI_File_sync(file);
    MPI_Barrier(w.ring);
    MPI_File_sync(file);
    shared.rewind();
    ways[k].read();
    CHECK(w.t, y == x, ways[k].name);
    MPI_Barrier(w.ring);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin counted only");
  World w{t, t.rank(), 1, 0, 0, MPI_COMM_NULL};
  MPI_Comm_size(MPI_COMM_WORLD, &w.size);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &w.size, &periodic, 0, &w.ring);
  MPI_Cart_shift(w.ring, 0, 1, &w.left, &w.right);
  for (const auto part : {buffered, partitioned, all_to_all, to_neighbors, one_sided, files}) part(w);
  MPI_Comm_free(&w.ring);
  return t.finish();
}
