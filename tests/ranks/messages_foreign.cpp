// SPDX-License-Identifier: BSD-3-Clause
// Messages on communicators of other kinds, among collectives, and those that Laconic did not send.
#include "message_world.hpp"

namespace {

using namespace ranks;

void unprepared(Test& t, const World& w) {
  t.doing("a communicator that has compressed nothing yet");
  t.count_case();
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(w.comm, &fresh);
  const std::vector<float> x = wave(50000, w.rank);
  std::vector<float> y(50000);
  laconic_options o = compressing();
  laconic_stats stats{};
  o.stats = &stats;
  for (const bool prepared : {false, true}) {
    const int rc = laconic_sendrecv(x.data(), count_of(x), MPI_FLOAT, w.next(), 1, y.data(), count_of(y), MPI_FLOAT,
                                    w.previous(), 1, fresh, MPI_STATUS_IGNORE, &o);
    CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
    CHECK(t, near(y, wave(50000, w.previous()), prepared ? 1e-3 : 0));
    const laconic_plain_reason reason = w.alone()  ? LACONIC_PLAIN_ONE_RANK
                                        : prepared ? LACONIC_PLAIN_NOT
                                                   : LACONIC_PLAIN_UNPREPARED;
    CHECK(t, stats.plain_reason == reason, "%s", laconic_plain_reason_string(stats.plain_reason));
    CHECK(t, stats.calls == 2 && stats.bytes_in == x.size() * sizeof(float));
    laconic_bcast(y.data(), count_of(y), MPI_FLOAT, 0, fresh, &o);
  }
  laconic_stats total{};
  laconic_stats_get(fresh, &total);
  CHECK(t, total.calls == 6, "%llu", static_cast<unsigned long long>(total.calls));
  MPI_Comm_free(&fresh);
}

void by_hints(Test& t, const World& w) {
  if (w.alone()) return;
  t.doing("settings from hints");
  t.count_case();
  MPI_Comm hinted = MPI_COMM_NULL;
  MPI_Comm_dup(w.comm, &hinted);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "laconic_bound", "rel:1e-3");
  MPI_Info_set(info, "laconic_algorithm", "ring");  // a hint for collectives, which has no effect on messages
  CHECK(t, laconic_comm_set_info(hinted, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  const std::vector<float> x = wave(100000, w.rank);
  std::vector<float> y(100000);
  laconic_request request = LACONIC_REQUEST_NULL;
  laconic_isend(x.data(), count_of(x), MPI_FLOAT, w.next(), 1, hinted, &request, nullptr);
  CHECK(t, laconic_recv(y.data(), count_of(y), MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, hinted, MPI_STATUS_IGNORE,
                        nullptr) == MPI_SUCCESS);
  finish(t, request);
  CHECK(t, near(y, wave(100000, w.previous()), 20e-3));
  laconic_stats total{};
  laconic_stats_get(hinted, &total);
  CHECK(t, total.calls == 2 && total.plain_calls == 0 && total.ratio > 1.5, "ratio %g", total.ratio);
  MPI_Comm_free(&hinted);
}

void between_groups(Test& t, const World& w) {
  if (w.alone()) return;
  t.doing("an intercommunicator");
  t.count_case();
  const bool left = w.rank < w.size / 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(w.comm, left, w.rank, &half);
  MPI_Intercomm_create(half, 0, w.comm, left ? w.size / 2 : 0, 9, &between);
  MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
  int others = 0;
  int me = 0;
  MPI_Comm_remote_size(between, &others);
  MPI_Comm_rank(between, &me);
  const std::vector<float> x = wave(50000, w.rank);
  laconic_options o = compressing();
  laconic_stats stats{};
  o.stats = &stats;
  laconic_request request = LACONIC_REQUEST_NULL;
  // Rank k of the smaller group exchanges with rank k of the other.
  if (me < others && me < w.size / 2) {
    laconic_isend(x.data(), count_of(x), MPI_FLOAT, me, 1, between, &request, &o);
    std::vector<float> y(50000);
    CHECK(t, laconic_recv(y.data(), count_of(y), MPI_FLOAT, me, 1, between, MPI_STATUS_IGNORE, &o) == MPI_SUCCESS);
    CHECK(t, near(y, wave(50000, left ? w.size / 2 + me : me), 0));
    CHECK(t, stats.plain_reason == LACONIC_PLAIN_INTERCOMM);
    finish(t, request);
  }
  const int rc = laconic_send(x.data(), 1, MPI_FLOAT, others, 1, between, nullptr);
  CHECK(t, class_of(rc) == MPI_ERR_RANK, "%s", message_of(rc).c_str());
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// A message that is not compressed is one of MPI's, so either end may be an MPI call.  Of these sizes, one is that of
// an envelope, and the smaller ones are received aside.
void foreign(Test& t, const World& w) {
  for (const bool gaps : {false, true})
    for (const std::size_t count : {0, 1, 16, 19, 20, 21, 50, 40000})
      for (const std::size_t room : {count, count + 1, count + 20}) {
        t.doing(text("%zu numbers into room for %zu%s, to and from MPI", count, room, gaps ? " with gaps" : ""));
        t.count_case();
        const std::vector<float> x = wave(count, w.rank);
        const std::vector<float> expected = wave(count, w.previous());
        MPI_Datatype type = comb(MPI_FLOAT, static_cast<int>(room));
        const std::size_t step = gaps ? 2 : 1;
        for (const bool from_mpi : {true, false}) {
          std::vector<float> y(step * room, -1.0F);
          const int elements = gaps ? 1 : static_cast<int>(room);
          const MPI_Datatype into = gaps ? type : MPI_FLOAT;
          MPI_Status status;
          int rc = MPI_SUCCESS;
          if (from_mpi) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(x.data(), count_of(x), MPI_FLOAT, w.next(), 6, w.comm, &request);
            rc = laconic_recv(y.data(), elements, into, w.previous(), 6, w.comm, &status, nullptr);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          } else {
            laconic_options o = compressing();
            o.algorithm = LACONIC_ALGORITHM_PLAIN;
            laconic_request send = send_on(t, w, x, 6, o);
            rc = MPI_Recv(y.data(), elements, into, w.previous(), 6, w.comm, &status);
            finish(t, send);
          }
          CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
          int received = -1;
          MPI_Get_elements(&status, into, &received);
          CHECK(t, received == static_cast<int>(count), "%d", received);
          bool right = true;
          for (std::size_t i = 0; i < y.size(); ++i)
            right = right && y[i] == (i % step == 0 && i / step < count ? expected[i / step] : -1.0F);
          CHECK(t, right, "other numbers than were sent, or more");
        }
        MPI_Type_free(&type);
      }
  t.doing("a message that is too long for a room smaller than an envelope");
  t.count_case();
  const std::vector<char> x(12, 'x');
  std::vector<char> y(11);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(x.data(), 12, MPI_CHAR, w.next(), 6, w.comm, &request);
  const int rc = laconic_recv(y.data(), 11, MPI_CHAR, w.previous(), 6, w.comm, MPI_STATUS_IGNORE, nullptr);
  CHECK(t, class_of(rc) == MPI_ERR_TRUNCATE, "%s", message_of(rc).c_str());
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// While collectives are in flight on the same communicator, begun and completed in between.
void among_collectives(Test& t, const World& w) {
  Random random(t.seed() * 31 + static_cast<std::uint64_t>(w.rank));
  for (int round = 0; round < 10; ++round) {
    t.doing(text("messages among collectives, round %d", round));
    t.count_case();
    constexpr std::size_t count = 60000;
    laconic_options o = compressing();
    o.chunk_elements = 5000;
    const std::vector<float> x = wave(count, w.rank);
    std::vector<float> sum(count);
    std::vector<float> from_root = wave(count, 0);
    std::vector<float> y(count);
    std::vector<laconic_request> requests(4, LACONIC_REQUEST_NULL);
    const bool early = random.below(2) == 0;
    const auto messages = [&] {
      laconic_irecv(y.data(), count_of(y), MPI_FLOAT, w.previous(), round, w.comm, &requests[2], nullptr);
      requests[3] = send_on(t, w, x, round, o);
    };
    if (early) messages();
    laconic_iallreduce(x.data(), sum.data(), count_of(x), MPI_FLOAT, MPI_SUM, w.comm, &requests[0], &o);
    laconic_ibcast(from_root.data(), count_of(x), MPI_FLOAT, 0, w.comm, &requests[1], &o);
    if (!early) messages();
    for (std::size_t left = 4; left > 0; --left) {
      std::swap(requests[left - 1], requests[random.below(left)]);
      finish(t, requests[left - 1]);
    }
    CHECK(t, near(y, wave(count, w.previous()), w.alone() ? 0 : 1e-3));
    CHECK(t, near(from_root, wave(count, 0), 1e-3));
    std::vector<float> exact(count, 0.0F);
    for (int r = 0; r < w.size; ++r) {
      const std::vector<float> part = wave(count, r);
      for (std::size_t i = 0; i < count; ++i) exact[i] += part[i];
    }
    CHECK(t, near(sum, exact, 1e-3 + 1e-5 * w.size));
  }
}

void freed(Test& t, const World& w) {
  t.doing("a communicator that is freed with messages in flight");
  t.count_case();
  MPI_Comm gone = MPI_COMM_NULL;
  MPI_Comm_dup(w.comm, &gone);
  laconic_comm_set_info(gone, MPI_INFO_NULL);
  const std::vector<float> x = wave(300000, w.rank);
  std::vector<float> y(300000);
  laconic_request requests[2];
  laconic_options o = compressing();
  laconic_irecv(y.data(), count_of(y), MPI_FLOAT, w.previous(), 1, gone, &requests[0], nullptr);
  laconic_isend(x.data(), count_of(x), MPI_FLOAT, w.next(), 1, gone, &requests[1], &o);
  MPI_Comm_free(&gone);
  CHECK(t, laconic_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(t, near(y, wave(300000, w.previous()), w.alone() ? 0 : 1e-3));
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "messages_foreign");
  World w = make_world(t);
  unprepared(t, w);
  by_hints(t, w);
  between_groups(t, w);
  foreign(t, w);
  among_collectives(t, w);
  freed(t, w);
  MPI_Comm_free(&w.comm);
  return t.finish();
}
