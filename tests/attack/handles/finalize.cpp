// SPDX-License-Identifier: BSD-3-Clause
// What a library may do when MPI ends: a callback on MPI_COMM_SELF runs at the beginning of MPI_Finalize, and may
// communicate. It receives what was sent before.
#include "play.hpp"

namespace handles {
namespace {

constexpr int tag = 5;

struct AtEnd {
  Run* run = nullptr;
  std::uint64_t key = 0;
  std::uint64_t form = 0;
  int sums = 0;
  Callbacks callbacks;
  std::shared_ptr<Buffer> sent, received, mine, sum, bcast;
};

AtEnd& at_end() {
  static AtEnd all;
  return all;
}

int communicate(MPI_Comm, int, void*, void*) {
  AtEnd& a = at_end();
  Run& run = *a.run;
  run.journal.now("a callback on MPI_COMM_SELF in MPI_Finalize");
  int finalized = 1;
  MPI_Finalized(&finalized);
  CHECK(run.journal, !finalized);
  const auto data = [](Buffer& b) { return b.data(); };
  const auto items = [](Buffer& b) { return b.items(b.blocks()[0].numbers); };
  const int from = (run.rank + run.size - 1) % run.size;
  MPI_Status status{};
  MPI_Message found = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  Buffer& in = *a.received;
  if (a.form % 3 == 0) {
    run.good(MPI_Recv(data(in), items(in), MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &status), "MPI_Recv");
  } else if (a.form % 3 == 1) {
    run.good(MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status), "MPI_Mprobe");
    run.good(MPI_Mrecv(data(in), items(in), MPI_DOUBLE, &found, &status), "MPI_Mrecv");
  } else {
    run.good(MPI_Irecv(data(in), items(in), MPI_DOUBLE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &request), "MPI_Irecv");
    run.good(MPI_Wait(&request, &status), "MPI_Wait");
  }
  int count = -1;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(run.journal, status.MPI_SOURCE == from && status.MPI_TAG == tag && count == items(in),
        "source %d, tag %d, %d numbers", status.MPI_SOURCE, status.MPI_TAG, count);
  in.check("received in MPI_Finalize");
  if (a.form / 3 % 2 == 0) {
    run.good(MPI_Allreduce(data(*a.mine), data(*a.sum), items(*a.sum), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
             "MPI_Allreduce");
  } else {
    run.good(MPI_Iallreduce(data(*a.mine), data(*a.sum), items(*a.sum), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request),
             "MPI_Iallreduce");
    run.good(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  a.mine->check("added up in MPI_Finalize");
  a.sum->check("a sum in MPI_Finalize");
  if (a.form / 6 % 2 == 0) {
    MPI_Comm copy = MPI_COMM_NULL;
    run.good(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
    run.good(MPI_Bcast(data(*a.bcast), items(*a.bcast), MPI_DOUBLE, 0, copy), "MPI_Bcast");
    run.good(MPI_Comm_free(&copy), "MPI_Comm_free");
  } else {
    run.good(MPI_Bcast(data(*a.bcast), items(*a.bcast), MPI_DOUBLE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  }
  a.bcast->check("a bcast in MPI_Finalize");
  run.good(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  a.sent->check("sent before MPI_Finalize");
  return MPI_SUCCESS;
}

}  // namespace

void prepare_finalize(Run& run, Random shared) {
  AtEnd& a = at_end();
  a.run = &run;
  a.key = shared.bits();
  a.form = shared.below(12);
  if (old_mpich && a.form % 3 == 1) --a.form;  // 4.0 itself crashes in MPI_Mrecv of what came long before
  const std::size_t numbers = grain * shared.below(4000);
  const Signature doubles{Kind::f64, false};
  const auto type = std::make_shared<Type>(run, Kind::f64, a.callbacks);
  const auto buffer = [&](std::optional<Way> before, std::vector<Way> after) {
    auto b = std::make_shared<Buffer>(run, shared, doubles, type,
                                      std::vector<Block>{{0, numbers, before, std::move(after)}});
    b->fill(a.key);
    return b;
  };
  const int next = (run.rank + 1) % run.size;
  const int last = (run.rank + run.size - 1) % run.size;
  std::vector<Way> all;
  for (int r = 0; r < run.size; ++r) all.push_back(Way{r, -1});
  a.sent = buffer(Way{run.rank, next}, {});
  a.received = buffer({}, {Way{last, run.rank}});
  a.mine = buffer(Way{run.rank, -1}, {});
  a.sum = buffer({}, all);
  a.bcast = buffer(run.rank == 0 ? std::optional(Way{0, -2}) : std::nullopt, {Way{0, -2}});
  int keyval = MPI_KEYVAL_INVALID;
  run.good(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicate, &keyval, nullptr), "MPI_Comm_create_keyval");
  run.good(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr), "MPI_Comm_set_attr");
  MPI_Request request = MPI_REQUEST_NULL;
  run.good(MPI_Isend(a.sent->data(), a.sent->items(numbers), MPI_DOUBLE, next, tag, MPI_COMM_WORLD, &request),
           "MPI_Isend");
  run.good(MPI_Request_free(&request), "MPI_Request_free");
}

}  // namespace handles
