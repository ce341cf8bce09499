// SPDX-License-Identifier: BSD-3-Clause
// Calls that must go to MPI unchanged, data in other layouts, hints, errors, and communicators that are made and freed.
#include <cstdlib>

#include "support.hpp"

namespace {

using namespace dropin;
using ranks::Random;
using ranks::Test;
using ranks::text;

constexpr int count = 3000;

double moved(const Expectation& e) { return e.movement ? e.bound : 0; }

void add(void* in, void* out, int* n, MPI_Datatype*) {
  for (int k = 0; k < *n; ++k) static_cast<double*>(out)[k] += static_cast<double*>(in)[k];
}

void untouched(Test& t, Random& random) {
  t.doing("a user operation");
  const auto mine = numbers<double>(count, random);
  std::vector<double> got(count);
  std::vector<double> right(count);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  CHECK(t, alike(got, right, 0));
  MPI_Op_free(&op);
  t.doing("MPI_PROD");
  MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  CHECK(t, alike(got, right, 0));
  t.doing("MPI_MINLOC");
  struct Pair {
    double value;
    int where;
  };
  std::vector<Pair> pairs(count);
  std::vector<Pair> least(count);
  for (int k = 0; k < count; ++k) pairs[static_cast<std::size_t>(k)] = {mine[static_cast<std::size_t>(k)], t.rank()};
  MPI_Allreduce(pairs.data(), least.data(), count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  for (const Pair& pair : least) CHECK(t, pair.where >= 0 && pair.where < t.size());
  t.doing("long double");
  std::vector<long double> longs(count, 1.0L / 3);
  MPI_Allreduce(MPI_IN_PLACE, longs.data(), count, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(t, longs[0] == 1.0L / 3);
  t.doing("bytes");
  std::vector<unsigned char> bytes(count * 8, static_cast<unsigned char>(t.rank()));
  MPI_Bcast(bytes.data(), count * 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(t, bytes[0] == 0 && bytes.back() == 0);
  // MPI does not allow it, but all MPI libraries do it. The first call prepares the communicator.
  t.doing("numbers on some ranks, bytes on others");
  for (int k = 0; k < 3; ++k) {
    std::vector<double> mixed(count, k + t.rank());
    const bool as_bytes = k > 0 && t.rank() % 2 == 1;
    MPI_Bcast(mixed.data(), as_bytes ? count * 8 : count, as_bytes ? MPI_BYTE : MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(t, std::abs(mixed[0] - k) <= 1e-3 && std::abs(mixed.back() - k) <= 1e-3);
  }
  t.doing("nothing at all");
  CHECK(t, MPI_Allreduce(nullptr, nullptr, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(t, MPI_Bcast(nullptr, 0, MPI_DOUBLE, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
}

void intercommunicator(Test& t, Random& random) {
  if (t.size() < 2) return;
  t.doing("an intercommunicator");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  const int side = t.rank() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, t.rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 1, &between);
  const auto mine = numbers<double>(count, random);
  std::vector<double> got(count);
  std::vector<double> right(count);
  MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_MAX, between);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_MAX, between);
  CHECK(t, alike(got, right, 0));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// A column of a matrix, a triangle, pairs: numbers of one kind that are not contiguous.
void layouts(Test& t, const Expectation& expected, Random& random) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Datatype backwards = MPI_DATATYPE_NULL;
  MPI_Datatype three = MPI_DATATYPE_NULL;
  MPI_Datatype mixed = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, 1, 4, MPI_DOUBLE, &column);
  std::vector<int> lengths(count, 1);
  std::vector<int> places(count);
  for (int k = 0; k < count; ++k) places[static_cast<std::size_t>(k)] = count - 1 - k;
  MPI_Type_indexed(count, lengths.data(), places.data(), MPI_DOUBLE, &backwards);
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
  const int one[2] = {1, 1};
  const MPI_Aint at[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, one, at, types, &mixed);
  for (MPI_Datatype* type : {&column, &backwards, &three, &mixed}) MPI_Type_commit(type);
  // Every rank has its own layout for the same numbers.
  const MPI_Datatype mine = t.rank() % 3 == 0 ? column : t.rank() % 3 == 1 ? backwards : three;
  const int items = t.rank() % 3 == 2 ? count / 3 : 1;
  const auto root = numbers<double>(count * 4, random);
  t.doing("a broadcast into other layouts");
  auto got = root;
  auto right = root;
  MPI_Bcast(got.data(), items, mine, 0, MPI_COMM_WORLD);
  PMPI_Bcast(right.data(), items, mine, 0, MPI_COMM_WORLD);
  CHECK(t, alike(got, right, moved(expected)));
  t.doing("an allgather from other layouts");
  const auto n = static_cast<std::size_t>(t.size());
  std::vector<double> all(count * n);
  std::vector<double> all_right(count * n);
  MPI_Allgather(root.data(), items, mine, all.data(), count / 3, three, MPI_COMM_WORLD);
  PMPI_Allgather(root.data(), items, mine, all_right.data(), count / 3, three, MPI_COMM_WORLD);
  CHECK(t, alike(all, all_right, moved(expected)));
  t.doing("a gather into columns");
  std::vector<double> columns(count * 4 * n, 5.0);
  std::vector<double> columns_right(count * 4 * n, 5.0);
  MPI_Gather(root.data(), count, MPI_DOUBLE, columns.data(), 1, column, 0, MPI_COMM_WORLD);
  PMPI_Gather(root.data(), count, MPI_DOUBLE, columns_right.data(), 1, column, 0, MPI_COMM_WORLD);
  CHECK(t, alike(columns, columns_right, moved(expected)));
  t.doing("a struct of two kinds");
  std::vector<char> structs(count * 16, static_cast<char>(t.rank()));
  MPI_Bcast(structs.data(), count, mixed, 0, MPI_COMM_WORLD);
  CHECK(t, structs[0] == 0);
  t.doing("complex numbers");
  std::vector<double> sums(count * 2);
  MPI_Allreduce(root.data(), sums.data(), count, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  right.resize(count * 2);
  PMPI_Allreduce(root.data(), right.data(), count * 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(t, alike(sums, right, expected.bound, t.size()));
  for (MPI_Datatype* type : {&column, &backwards, &three, &mixed}) MPI_Type_free(type);
}

// A layout that cannot be copied, on one rank, while the others have begun: all ranks get an error. Either an item is
// larger than MPI packs, or there is no memory.
void no_copy(Test& t, const Expectation& expected, int items, int length) {
  if (t.size() == 1 || !expected.movement) return;
  t.doing(text("a nonblocking broadcast of %d items of %d KiB of which one rank can make no copy", items, length));
  t.count_case();
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(128, MPI_DOUBLE, &piece);
  MPI_Type_vector(length, 1, 2, piece, &spread);
  MPI_Type_contiguous(length, piece, &row);
  const MPI_Datatype mine = t.rank() == 1 ? spread : row;
  for (MPI_Datatype* type : {&piece, &spread, &row}) MPI_Type_commit(type);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (const MPI_Comm one : {comm, MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
  // After this call, nonblocking calls are compressed with every MPI.
  std::vector<double> before(count, 1.0);
  MPI_Bcast(before.data(), count, MPI_DOUBLE, 0, comm);
  double nothing = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Ibcast(&nothing, items, mine, 0, comm, &request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, code != MPI_SUCCESS && nothing == 0);
  t.doing("after it");
  const auto right = std::vector<double>(count, 3.0);
  auto got = std::vector<double>(count, t.rank() == 0 ? 3.0 : 0.0);
  CHECK(t, MPI_Ibcast(got.data(), count, MPI_DOUBLE, 0, comm, &request) == MPI_SUCCESS);
  CHECK(t, MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && alike(got, right, expected.bound));
  for (const MPI_Comm one : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(one, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
  for (MPI_Datatype* type : {&piece, &spread, &row}) MPI_Type_free(type);
}

// The wheel of MPICH 5 is built without checks of arguments.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
void errors(Test&) {}
#else
void errors(Test& t) {
  t.doing("errors with MPI_ERRORS_RETURN");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<double> x(count, 1.0);
  std::vector<double> y(count);
  struct Outcome {
    int ours;
    int plain;
  };
  const Outcome outcomes[] = {
      {MPI_Allreduce(x.data(), y.data(), -1, MPI_DOUBLE, MPI_SUM, comm),
       PMPI_Allreduce(x.data(), y.data(), -1, MPI_DOUBLE, MPI_SUM, comm)},
      {MPI_Allreduce(x.data(), y.data(), count, MPI_DATATYPE_NULL, MPI_SUM, comm),
       PMPI_Allreduce(x.data(), y.data(), count, MPI_DATATYPE_NULL, MPI_SUM, comm)},
      {MPI_Allreduce(x.data(), y.data(), count, MPI_DOUBLE, MPI_OP_NULL, comm),
       PMPI_Allreduce(x.data(), y.data(), count, MPI_DOUBLE, MPI_OP_NULL, comm)},
      {MPI_Reduce(x.data(), y.data(), count, MPI_DOUBLE, MPI_SUM, t.size(), comm),
       PMPI_Reduce(x.data(), y.data(), count, MPI_DOUBLE, MPI_SUM, t.size(), comm)},
      {MPI_Bcast(x.data(), count, MPI_DOUBLE, -3, comm), PMPI_Bcast(x.data(), count, MPI_DOUBLE, -3, comm)},
  };
  int which = 0;
  for (const Outcome& o : outcomes) {
    t.doing(text("error %d with MPI_ERRORS_RETURN", which++));
    CHECK(t, ranks::class_of(o.ours) == ranks::class_of(o.plain), "class %d, not %d", ranks::class_of(o.ours),
          ranks::class_of(o.plain));
  }
  t.doing("after the errors");
  CHECK(t, MPI_Allreduce(x.data(), y.data(), count, MPI_DOUBLE, MPI_MAX, comm) == MPI_SUCCESS);
  MPI_Comm_free(&comm);
}
#endif

long resident() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long total = 0;
  long pages = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (file != nullptr) std::fclose(file);
  return pages * 4;  // KiB
}

void communicators(Test& t, const Expectation& expected, Random& random) {
  t.doing("communicators that come and go");
  const auto mine = numbers<double>(count, random);
  std::vector<double> got(count);
  std::vector<double> right(count);
  long before = 0;
  for (int round = 0; round < 60; ++round) {
    if (round == 20) before = resident();
    MPI_Comm dup = MPI_COMM_NULL;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(dup, t.rank() % 2, 0, &part);
    MPI_Comm_set_name(part, "part");
    for (const MPI_Comm comm : {dup, part}) {
      int size = 1;
      MPI_Comm_size(comm, &size);
      MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, comm);
      PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, comm);
      CHECK(t, alike(got, right, expected.bound, size));
    }
    MPI_Comm_free(&part);
    MPI_Comm_free(&dup);
  }
  // Not a limit on all memory: a leak of the memory that a communicator needs for compressing would be many times this.
  CHECK(t, resident() - before < 16 * 1024, "%ld KiB more", resident() - before);
}

// This is relevant only where the environment sets no bound.
void hints(Test& t, Random& random) {
  if (std::getenv("TEST_HINTS") == nullptr) return;
  t.doing("hints on a communicator");
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_bound", "abs:0.5");
  MPI_Info_set(info, "laconic_min_bytes", "1000");
  MPI_Info_set(info, "laconic_codec", "szx");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Comm_dup(comm, &child);
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Comm_set_name(comm, "hinted");
  MPI_Comm_set_name(plain, "plain");
  for (const MPI_Comm one : {comm, child}) {
    MPI_Info back = MPI_INFO_NULL;
    MPI_Comm_get_info(one, &back);
    char value[100] = "";
    int found = 0;
    MPI_Info_get(back, "laconic_bound", 99, value, &found);
    CHECK(t, found && std::string(value) == "abs:0.5", "found %d: %s", found, value);
    MPI_Info_free(&back);
  }
  const auto mine = numbers<double>(count, random);
  std::vector<double> got(count);
  std::vector<double> right(count);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const bool alone = t.size() == 1;
  const auto sum_on = [&](MPI_Comm one) {
    MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, one);
    CHECK(t, alike(got, right, 0.5, t.size()));
    return alike(got, right, 0);
  };
  CHECK(t, sum_on(comm) == alone);
  CHECK(t, sum_on(child) == alone);
  CHECK(t, sum_on(plain));
  t.doing("hints that are taken back");
  MPI_Info none = MPI_INFO_NULL;
  MPI_Info_create(&none);
  MPI_Comm_set_info(comm, none);
  MPI_Info_free(&none);
  CHECK(t, sum_on(comm));
  t.doing("hints that differ between ranks, and hints that are not valid");
  MPI_Info_set(info, "laconic_bound", t.rank() == 0 ? "abs:0.25" : "abs:0.5");
  MPI_Comm_set_info(comm, info);
  CHECK(t, t.size() == 1 || sum_on(comm));
  MPI_Info_set(info, "laconic_bound", t.rank() == t.size() - 1 ? "garbage" : "abs:0.5");
  MPI_Comm_set_info(comm, info);
  CHECK(t, sum_on(comm));
  MPI_Info_set(info, "laconic_bound", "abs:0.5");
  MPI_Comm_set_info(comm, info);
  CHECK(t, sum_on(comm) == alone);
  MPI_Info_free(&info);
  for (MPI_Comm* one : {&comm, &child, &plain}) MPI_Comm_free(one);
}

// Duplicates that are made by nonblocking calls.
void hints_of_duplicates(Test& t, Random& random) {
  if (std::getenv("TEST_HINTS") == nullptr) return;
  t.doing("hints on duplicates that are made without blocking");
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_bound", "abs:0.5");
  MPI_Info_set(info, "laconic_min_bytes", "1000");
  MPI_Info_set(info, "laconic_codec", "szx");
  const auto mine = numbers<double>(count, random);
  std::vector<double> got(count);
  std::vector<double> right(count);
  PMPI_Allreduce(mine.data(), right.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const auto sum_on = [&](MPI_Comm one) {
    MPI_Allreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, one);
    CHECK(t, alike(got, right, 0.5, t.size()));
    return alike(got, right, 0);
  };
  const bool alone = t.size() == 1;
  MPI_Comm hinted = MPI_COMM_NULL;
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hinted);
  MPI_Comm_idup(hinted, &child, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(t, sum_on(child) == alone);
#if MPI_VERSION >= 4
  constexpr int number = 4;
  MPI_Comm made[number];
  MPI_Request requests[number];
  // The last rank begins only after a message from the first, which has begun already: no rank may wait for all others.
  int word = 0;
  const int last = t.size() - 1;
  if (t.rank() == last && last > 0) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made[0], &requests[0]);
  MPI_Comm_idup_with_info(hinted, MPI_INFO_NULL, &made[1], &requests[1]);
  MPI_Info_set(info, "laconic_bound", t.rank() == 0 ? "abs:0.25" : "abs:0.5");
  MPI_Comm_idup_with_info(hinted, info, &made[2], &requests[2]);
  MPI_Info_set(info, "laconic_bound", "abs:0.5");
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made[3], &requests[3]);  // it is never used
  if (t.rank() == 0 && last > 0) MPI_Send(&word, 1, MPI_INT, last, 0, MPI_COMM_WORLD);
  MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
  MPI_Comm second = MPI_COMM_NULL;  // a duplicate of a communicator whose hints were not read yet
  MPI_Comm_dup(made[0], &second);
  MPI_Request sum = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, made[0], &sum);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  CHECK(t, alike(got, right, 0.5, t.size()));
  CHECK(t, sum_on(made[0]) == alone);
  CHECK(t, sum_on(second) == alone);
  CHECK(t, sum_on(made[1]));
  CHECK(t, alone || sum_on(made[2]));
  MPI_Info back = MPI_INFO_NULL;
  MPI_Comm_get_info(second, &back);
  char value[100] = "";
  int found = 0;
  MPI_Info_get(back, "laconic_bound", 99, value, &found);
  CHECK(t, found && std::string(value) == "abs:0.5", "found %d: %s", found, value);
  MPI_Info_free(&back);
  MPI_Comm_free(&second);
  for (MPI_Comm& one : made) MPI_Comm_free(&one);
#endif
  MPI_Info_free(&info);
  MPI_Comm_free(&hinted);
  MPI_Comm_free(&child);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "dropin edges");
  const Expectation expected(argc, argv);
  Random random(t.seed() * 1000 + static_cast<std::uint64_t>(t.rank()));
  untouched(t, random);
  intercommunicator(t, random);
  layouts(t, expected, random);
  errors(t);
  no_copy(t, expected, 1, 1 << 22);
  no_copy(t, expected, 1 << 28, 1 << 20);
  communicators(t, expected, random);
  hints(t, random);
  hints_of_duplicates(t, random);
  return t.finish();
}
