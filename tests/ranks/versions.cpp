// SPDX-License-Identifier: BSD-3-Clause
// A rank whose library writes another version of the wire format: every rank gets an error that names both versions and
// ranks, in the call that would have compressed, and no rank waits for ever, then or in a later call.
//
// The program stands between the library and MPI.  There the contribution of one rank to the agreements becomes that of
// another version, by what docs/wire-format.md says of it.
#include <array>
#include <cmath>
#include <list>
#include <numeric>

#include "support.hpp"

namespace {

constexpr int fields = 64;
constexpr double ranks_per_value = 0x1p20;

double other_version = 0;  // of this rank; 0: its library's own
int changed = 0;           // agreements

// The library gives the memory of its contribution to MPI until the reduction has completed, and so does this.
std::list<std::array<double, fields>> contributions;

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Iallreduce(const void* send, void* recv, int count,
                                                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                                     MPI_Request* request) {
  if (other_version == 0 || count != fields || type != MPI_DOUBLE || op != MPI_MAX)
    return PMPI_Iallreduce(send, recv, count, type, op, comm, request);
  auto& mine = contributions.emplace_back();
  std::memcpy(mine.data(), send, sizeof mine);
  const double rank = std::fmod(mine[0], ranks_per_value);
  mine[0] = other_version * ranks_per_value + rank;
  mine[1] = -mine[0];
  for (int k = 2; k < fields; ++k) mine[static_cast<std::size_t>(k)] = 1e9 * k;  // of no meaning to this library
  ++changed;
  return PMPI_Iallreduce(mine.data(), recv, count, type, op, comm, request);
}

namespace {

using namespace ranks;

constexpr int count = 5000;

struct Numbers {
  std::vector<float> sent = std::vector<float>(count);
  std::vector<float> received = std::vector<float>(count, -3.0F);
  Numbers() { std::iota(sent.begin(), sent.end(), 0.5F); }
};

const laconic_options& options() {
  static const laconic_options o = options_with(LACONIC_BOUND_ABS, 1e-3);
  return o;
}

int allreduce(Numbers& x, MPI_Comm comm) {
  return laconic_allreduce(x.sent.data(), x.received.data(), count, MPI_FLOAT, MPI_SUM, comm, &options());
}

int iallreduce(Numbers& x, MPI_Comm comm) {
  laconic_request request = LACONIC_REQUEST_NULL;
  const int code =
      laconic_iallreduce(x.sent.data(), x.received.data(), count, MPI_FLOAT, MPI_SUM, comm, &request, &options());
  return code != MPI_SUCCESS ? code : laconic_wait(&request, MPI_STATUS_IGNORE);
}

int set_info(Numbers&, MPI_Comm comm) { return laconic_comm_set_info(comm, MPI_INFO_NULL); }

// Around the ring.
int message(Numbers& x, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  return laconic_sendrecv(x.sent.data(), count, MPI_FLOAT, (rank + 1) % size, 1, x.received.data(), count, MPI_FLOAT,
                          (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE, &options());
}

using Way = int (*)(Numbers&, MPI_Comm);

void check_refused(Test& t, int code, const std::string& theirs, int culprit) {
  CHECK(t, code != MPI_SUCCESS, "no error");
  CHECK(t, class_of(code) == MPI_ERR_OTHER, "class %d", class_of(code));
  const std::string message = message_of(code);
  for (const std::string& word : {std::string("wire format"), "version " + theirs, text("rank %d", culprit)})
    CHECK(t, message.find(word) != std::string::npos, "'%s' lacks '%s'", message.c_str(), word.c_str());
}

// The first call on a communicator finds out, and the later ones know.
void other_version_is_refused(Test& t, Way first, Way later, int culprit, double version, const std::string& named) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  other_version = t.rank() == culprit ? version : 0;
  const int before = changed;
  for (Way way : {first, later, later}) {
    Numbers x;
    check_refused(t, way(x, comm), named, culprit);
    bool untouched = true;
    for (const float value : x.received) untouched = untouched && value == -3.0F;
    CHECK(t, untouched, "the result has been written to");
  }
  CHECK(t, t.rank() != culprit || changed > before, "no agreement was changed");
  other_version = 0;
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  t.count_case();
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "versions");
  if (t.size() > 1) {
    struct Named {
      const char* name;
      Way way;
    };
    const Named ways[] = {{"allreduce", allreduce}, {"set_info", set_info}};
    const Named later[] = {{"allreduce", allreduce}, {"iallreduce", iallreduce}, {"message", message}};
    for (const Named& one : ways)
      for (const Named& next : later)
        for (const int culprit : {0, t.size() - 1}) {
          const bool newer = culprit == 0;
          t.doing(
              text("%s, then %s; rank %d has the %s version", one.name, next.name, culprit, newer ? "newer" : "older"));
          const unsigned version = newer ? 7U << 16 | 9U << 8 | 2U : 1U << 16;
          other_version_is_refused(t, one.way, next.way, culprit, version, newer ? "7.9.2" : "1.0.0");
        }
  }
  t.doing("equal versions");
  Numbers x;
  const int code = allreduce(x, MPI_COMM_WORLD);
  CHECK(t, code == MPI_SUCCESS, "%s", message_of(code).c_str());
  CHECK(t, std::fabs(x.received[7] - 7.5F * static_cast<float>(t.size())) <= 1.1e-3F);
  return t.finish();
}
