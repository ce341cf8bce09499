// SPDX-License-Identifier: BSD-3-Clause
// Messages that repeat earlier ones with the same arguments: MPI moves them at once, and whatever differs from the
// earlier ones is noticed.  And waits for messages that MPI alone moves on.
#include <numeric>
#include <string>
#include <vector>

#include "emulated_nodes.hpp"
#include "support.hpp"

namespace {

using namespace ranks;

constexpr int count = 20000;
constexpr int of_envelope = 20;  // floats in as many bytes as an envelope has
constexpr double bound = 1e-3;

int next_of(const Test& t) { return (t.rank() + 1) % t.size(); }
int previous_of(const Test& t) { return (t.rank() + t.size() - 1) % t.size(); }

std::vector<float> numbers(int rank, int round, int n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 0.001F * static_cast<float>(i % 5000) + static_cast<float>(rank + 10 * round);
  return x;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return worst;
}

// Options with which all messages of this test are below min_bytes.
laconic_options uncompressed() {
  laconic_options o = options_with(LACONIC_BOUND_ABS, bound);
  o.min_bytes = 1 << 20;
  return o;
}

MPI_Comm copy_that_returns_errors(MPI_Comm world) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

void free_copy(MPI_Comm comm) { MPI_Comm_free(&comm); }

struct Exchanged {
  laconic_stats sent{}, received{};
  MPI_Status status{};
  int send_code = MPI_SUCCESS, receive_code = MPI_SUCCESS;
};

// From every rank to the next: even ranks send first, because every call is a blocking one.
Exchanged exchange(Test& t, MPI_Comm comm, int n, int round, const laconic_options& o, double within,
                   bool from_any = false) {
  Exchanged out;
  const std::vector<float> mine = numbers(t.rank(), round, n);
  std::vector<float> got(static_cast<std::size_t>(n), -1);
  laconic_options send_options = o;
  send_options.stats = &out.sent;
  const auto send = [&] {
    out.send_code = laconic_send(mine.data(), n, MPI_FLOAT, next_of(t), 3, comm, &send_options);
  };
  const auto receive = [&] {
    laconic_options receive_options = o;
    receive_options.stats = &out.received;
    out.receive_code = laconic_recv(got.data(), n, MPI_FLOAT, from_any ? MPI_ANY_SOURCE : previous_of(t),
                                    from_any ? MPI_ANY_TAG : 3, comm, &out.status, &receive_options);
  };
  if (t.rank() % 2 == 0) send();
  receive();
  if (t.rank() % 2 == 1) send();
  CHECK(t, out.send_code == MPI_SUCCESS && out.receive_code == MPI_SUCCESS);
  CHECK(t, out.status.MPI_SOURCE == previous_of(t) && out.status.MPI_TAG == 3);
  int elements = 0;
  MPI_Get_count(&out.status, MPI_FLOAT, &elements);
  CHECK(t, elements == n, "%d elements", elements);
  const double worst = difference(got, numbers(previous_of(t), round, n));
  CHECK(t, worst <= within, "%g in round %d", worst, round);
  return out;
}

// Messages below min_bytes are left to MPI, in repeated calls, too, with the same statistics as the first.
void small(Test& t, MPI_Comm comm) {
  for (const int n : {of_envelope, of_envelope - 1, count}) {
    t.doing(text("%d numbers, below min_bytes", n));
    t.count_case();
    const laconic_options o = uncompressed();
    for (int round = 0; round < 5; ++round) {
      const Exchanged e = exchange(t, comm, n, round, o, 0, round % 2 == 1);
      CHECK(t, e.sent.calls == 1 && e.sent.plain_calls == 1 && e.sent.plain_reason == LACONIC_PLAIN_SMALL, "reason %d",
            e.sent.plain_reason);
      CHECK(t, e.sent.bytes_in == static_cast<std::uint64_t>(n) * sizeof(float) && e.sent.bytes_sent == 0);
      CHECK(t, e.received.calls == 1 && e.received.plain_reason == LACONIC_PLAIN_SENDER, "reason %d",
            e.received.plain_reason);
      CHECK(t, e.sent.seconds_total > 0 && e.received.seconds_total > 0 && e.received.ratio == 1);
    }
  }
}

// The sender's hints change between equal calls, so messages are compressed that were not, and back.
void changing_hints(Test& t, MPI_Comm comm) {
  t.doing("hints that change between equal calls");
  t.count_case();
  laconic_options o;
  laconic_options_init(&o);
  o.bound = {LACONIC_BOUND_ABS, bound};
  o.tune = LACONIC_TUNE_OFF;
  for (int round = 0; round < 9; ++round) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    const bool compressed = round / 3 % 2 == 1;
    MPI_Info_set(info, "laconic_min_bytes", compressed ? "1" : "1000000000");
    CHECK(t, laconic_comm_set_info(comm, info) == MPI_SUCCESS);
    MPI_Info_free(&info);
    for (int k = 0; k < 3; ++k) {
      const Exchanged e = exchange(t, comm, count, 3 * round + k, o, compressed ? bound : 0);
      CHECK(t, e.sent.plain_calls == (compressed ? 0u : 1u), "round %d", round);
      CHECK(t, e.received.plain_calls == (compressed ? 0u : 1u), "round %d", round);
    }
  }
}

// Only the sender knows that it compresses, in equal calls of the receiver.
void options_of_the_sender(Test& t, MPI_Comm comm) {
  t.doing("options of the sender that change");
  t.count_case();
  const laconic_options receives = options_with(LACONIC_BOUND_ABS, bound);
  for (int round = 0; round < 12; ++round) {
    laconic_options sends = receives;
    sends.tune = LACONIC_TUNE_OFF;
    sends.min_bytes = round % 3 == 2 ? 1 : 1 << 30;
    const std::vector<float> mine = numbers(t.rank(), round, count);
    std::vector<float> got(count, -1);
    const auto send = [&] {
      CHECK(t, laconic_send(mine.data(), count, MPI_FLOAT, next_of(t), 3, comm, &sends) == MPI_SUCCESS);
    };
    if (t.rank() % 2 == 0) send();
    CHECK(t, laconic_recv(got.data(), count, MPI_FLOAT, previous_of(t), 3, comm, MPI_STATUS_IGNORE, &receives) ==
                 MPI_SUCCESS);
    if (t.rank() % 2 == 1) send();
    const double worst = difference(got, numbers(previous_of(t), round, count));
    CHECK(t, worst <= (sends.min_bytes == 1 ? bound : 0.0), "%g in round %d", worst, round);
  }
}

// After calls that are known: wrong arguments, less room than the message, and a nonblocking message in between.
void different_calls(Test& t, MPI_Comm world) {
  t.doing("calls that differ from the known ones");
  t.count_case();
  const MPI_Comm comm = copy_that_returns_errors(world);
  const laconic_options o = uncompressed();
  for (int round = 0; round < 3; ++round) exchange(t, comm, count, round, o, 0);
  std::vector<float> x(count, 1);
  const auto send = [&](const float* from, int peer, int tag) {
    return class_of(laconic_send(from, count, MPI_FLOAT, peer, tag, comm, &o));
  };
  const auto receive = [&](float* to, int peer, int tag) {
    return class_of(laconic_recv(to, count, MPI_FLOAT, peer, tag, comm, MPI_STATUS_IGNORE, &o));
  };
  CHECK(t, send(x.data(), t.size(), 3) == MPI_ERR_RANK && receive(x.data(), t.size(), 3) == MPI_ERR_RANK);
  CHECK(t, send(x.data(), next_of(t), -5) == MPI_ERR_TAG && receive(x.data(), previous_of(t), -5) == MPI_ERR_TAG);
  CHECK(t, send(nullptr, next_of(t), 3) == MPI_ERR_BUFFER && receive(nullptr, previous_of(t), 3) == MPI_ERR_BUFFER);
  CHECK(t, send(x.data(), MPI_PROC_NULL, 3) == MPI_SUCCESS && receive(x.data(), MPI_PROC_NULL, 3) == MPI_SUCCESS);
  laconic_options wrong = o;
  wrong.depth = -1;
  CHECK(t, laconic_send(x.data(), count, MPI_FLOAT, next_of(t), 3, comm, &wrong) != MPI_SUCCESS);

  // Two messages are compressed and in flight while equal blocking ones are plain.
  laconic_options compressing = o;
  compressing.min_bytes = 1;
  compressing.tune = LACONIC_TUNE_OFF;
  const std::vector<float> mine = numbers(t.rank(), 7, count);
  std::vector<float> got(count, -1);
  laconic_request requests[2] = {LACONIC_REQUEST_NULL, LACONIC_REQUEST_NULL};
  CHECK(t, laconic_irecv(got.data(), count, MPI_FLOAT, previous_of(t), 4, comm, &requests[0], &o) == MPI_SUCCESS);
  CHECK(t,
        laconic_isend(mine.data(), count, MPI_FLOAT, next_of(t), 4, comm, &requests[1], &compressing) == MPI_SUCCESS);
  exchange(t, comm, count, 8, o, 0);
  CHECK(t, laconic_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(t, difference(got, numbers(previous_of(t), 7, count)) <= bound);
  free_copy(comm);
}

// A known receive waits for an answer to a message in frames, which the sender has to hand to MPI meanwhile.
void frames_in_flight(Test& t, MPI_Comm comm) {
  t.doing("a known receive while a message in frames is in flight");
  t.count_case();
  const laconic_options plain = uncompressed();
  for (int round = 0; round < 3; ++round) exchange(t, comm, count, round, plain, 0);
  laconic_options framed = options_with(LACONIC_BOUND_ABS, bound);
  framed.tune = LACONIC_TUNE_OFF;
  framed.depth = 1;
  framed.chunk_elements = 1000;
  const int peer = t.rank() % 2 == 0 ? t.rank() + 1 : t.rank() - 1;
  if (peer == t.size()) return;
  const std::vector<float> mine = numbers(t.rank(), 5, count);
  std::vector<float> got(count, -1);
  if (t.rank() % 2 == 0) {
    laconic_request request = LACONIC_REQUEST_NULL;
    CHECK(t, laconic_isend(mine.data(), count, MPI_FLOAT, peer, 4, comm, &request, &framed) == MPI_SUCCESS);
    CHECK(t, laconic_recv(got.data(), count, MPI_FLOAT, peer, 3, comm, MPI_STATUS_IGNORE, &plain) == MPI_SUCCESS);
    CHECK(t, laconic_wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  } else {
    CHECK(t, laconic_recv(got.data(), count, MPI_FLOAT, peer, 4, comm, MPI_STATUS_IGNORE, &framed) == MPI_SUCCESS);
    CHECK(t, laconic_send(mine.data(), count, MPI_FLOAT, peer, 3, comm, &plain) == MPI_SUCCESS);
  }
  CHECK(t, difference(got, numbers(peer, 5, count)) <= bound);
}

// Nonblocking sends that repeat earlier ones, with hints that change, have the statistics of the first.
void nonblocking(Test& t, MPI_Comm comm) {
  t.doing("nonblocking sends that repeat earlier ones");
  t.count_case();
  constexpr int window = 5;
  for (int round = 0; round < 9; ++round) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    const bool compressed = round / 3 % 2 == 1;
    MPI_Info_set(info, "laconic_min_bytes", compressed ? "1" : "1000000000");
    CHECK(t, laconic_comm_set_info(comm, info) == MPI_SUCCESS);
    MPI_Info_free(&info);
    laconic_options o;
    laconic_options_init(&o);
    o.bound = {LACONIC_BOUND_ABS, bound};
    o.tune = LACONIC_TUNE_OFF;
    const std::vector<float> mine = numbers(t.rank(), round, count);
    std::vector<std::vector<float>> got(window, std::vector<float>(count, -1));
    std::vector<laconic_stats> stats(2 * window);
    std::vector<laconic_request> requests(2 * window, LACONIC_REQUEST_NULL);
    for (int k = 0; k < window; ++k) {
      o.stats = &stats[static_cast<std::size_t>(k)];
      CHECK(t, laconic_irecv(got[static_cast<std::size_t>(k)].data(), count, MPI_FLOAT, previous_of(t), 3, comm,
                             &requests[static_cast<std::size_t>(k)], &o) == MPI_SUCCESS);
    }
    for (int k = window; k < 2 * window; ++k) {
      o.stats = &stats[static_cast<std::size_t>(k)];
      CHECK(t, laconic_isend(mine.data(), count, MPI_FLOAT, next_of(t), 3, comm, &requests[static_cast<std::size_t>(k)],
                             &o) == MPI_SUCCESS);
    }
    std::vector<MPI_Status> statuses(2 * window);
    CHECK(t, laconic_waitall(2 * window, requests.data(), statuses.data()) == MPI_SUCCESS);
    for (int k = 0; k < 2 * window; ++k) {
      const laconic_stats& s = stats[static_cast<std::size_t>(k)];
      CHECK(t, requests[static_cast<std::size_t>(k)] == LACONIC_REQUEST_NULL);
      CHECK(t, s.calls == 1 && s.plain_calls == (compressed ? 0U : 1U) && s.seconds_total > 0, "round %d, message %d",
            round, k);
      const laconic_plain_reason reason = k < window ? LACONIC_PLAIN_SENDER : LACONIC_PLAIN_SMALL;
      CHECK(t, compressed || s.plain_reason == reason, "reason %d", s.plain_reason);
      CHECK(t, k < window || s.bytes_in == count * sizeof(float));
    }
    for (int k = 0; k < window; ++k) {
      CHECK(t, statuses[static_cast<std::size_t>(k)].MPI_SOURCE == previous_of(t));
      const double worst = difference(got[static_cast<std::size_t>(k)], numbers(previous_of(t), round, count));
      CHECK(t, worst <= (compressed ? bound : 0.0), "%g in round %d", worst, round);
    }
  }
}

// The message of the second receive comes first, in frames, and its sender goes on only after they have been received:
// a wait for the first message alone would never end.
void wait_in_order(Test& t, MPI_Comm comm) {
  if (t.rank() >= 2) return;
  laconic_options framed = options_with(LACONIC_BOUND_ABS, bound);
  framed.tune = LACONIC_TUNE_OFF;
  framed.depth = 1;
  framed.chunk_elements = 1000;
  const laconic_options plain = uncompressed();
  for (const bool any : {false, true}) {
    t.doing(text("messages that arrive in another order, %s", any ? "waitany" : "waitall"));
    t.count_case();
    const std::vector<float> first = numbers(1, 3, count);
    const std::vector<float> second = numbers(1, 4, count);
    if (t.rank() == 1) {
      CHECK(t, laconic_send(second.data(), count, MPI_FLOAT, 0, 5, comm, &framed) == MPI_SUCCESS);
      CHECK(t, laconic_send(first.data(), count, MPI_FLOAT, 0, 4, comm, &plain) == MPI_SUCCESS);
      continue;
    }
    std::vector<float> got[2] = {std::vector<float>(count, -1), std::vector<float>(count, -1)};
    laconic_request requests[2] = {LACONIC_REQUEST_NULL, LACONIC_REQUEST_NULL};
    for (int k = 0; k < 2; ++k)
      CHECK(t, laconic_irecv(got[k].data(), count, MPI_FLOAT, 1, 4 + k, comm, &requests[k], &plain) == MPI_SUCCESS);
    if (!any) {
      CHECK(t, laconic_waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    } else {
      int ended = 0;
      for (const int expected : {1, 0}) {
        MPI_Status status{};
        CHECK(t, laconic_waitany(2, requests, &ended, &status) == MPI_SUCCESS);
        CHECK(t, ended == expected && status.MPI_TAG == 4 + expected, "%d ended", ended);
      }
      CHECK(t, laconic_waitany(2, requests, &ended, MPI_STATUS_IGNORE) == MPI_SUCCESS && ended == MPI_UNDEFINED);
    }
    CHECK(t, difference(got[0], first) == 0 && difference(got[1], second) <= bound);
  }
}

// One of several messages that are waited for together is longer than its room.
void too_long_among_others(Test& t, MPI_Comm world) {
  t.doing("a message that is longer than its room, among others");
  t.count_case();
  const MPI_Comm comm = copy_that_returns_errors(world);
  const laconic_options o = uncompressed();
  constexpr int room = 1000;
  const std::vector<float> mine = numbers(t.rank(), 1, 2 * room);
  std::vector<std::vector<float>> got(3, std::vector<float>(2 * room, -1));
  std::vector<laconic_request> requests(6, LACONIC_REQUEST_NULL);
  for (int k = 0; k < 3; ++k)
    CHECK(t, laconic_irecv(got[static_cast<std::size_t>(k)].data(), room, MPI_FLOAT, previous_of(t), k, comm,
                           &requests[static_cast<std::size_t>(k)], &o) == MPI_SUCCESS);
  for (int k = 0; k < 3; ++k)
    CHECK(t, laconic_isend(mine.data(), k == 1 ? 2 * room : room, MPI_FLOAT, next_of(t), k, comm,
                           &requests[static_cast<std::size_t>(3 + k)], &o) == MPI_SUCCESS);
  std::vector<MPI_Status> statuses(6);
  CHECK(t, class_of(laconic_waitall(6, requests.data(), statuses.data())) == MPI_ERR_IN_STATUS);
  for (int k = 0; k < 6; ++k) {
    const int expected = k == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    CHECK(t, class_of(statuses[static_cast<std::size_t>(k)].MPI_ERROR) == expected, "message %d", k);
    CHECK(t, requests[static_cast<std::size_t>(k)] == LACONIC_REQUEST_NULL);
  }
  for (const std::size_t k : {0U, 2U}) {
    got[k].resize(room);
    CHECK(t, difference(got[k], numbers(previous_of(t), 1, room)) == 0);
  }
  free_copy(comm);
}

// A message that is longer than the room of a known receive.
void too_long(Test& t, MPI_Comm world) {
  t.doing("a message that is longer than the room");
  t.count_case();
  const MPI_Comm comm = copy_that_returns_errors(world);
  const laconic_options o = uncompressed();
  constexpr int room = 1000;
  for (int round = 0; round < 3; ++round) exchange(t, comm, room, round, o, 0);
  std::vector<float> x(2 * room, 1);
  const auto send = [&] {
    CHECK(t, laconic_send(x.data(), 2 * room, MPI_FLOAT, next_of(t), 3, comm, &o) == MPI_SUCCESS);
  };
  std::vector<float> got(room);
  if (t.rank() % 2 == 0) send();
  CHECK(t, class_of(laconic_recv(got.data(), room, MPI_FLOAT, previous_of(t), 3, comm, MPI_STATUS_IGNORE, &o)) ==
               MPI_ERR_TRUNCATE);
  if (t.rank() % 2 == 1) send();
  exchange(t, comm, room, 9, o, 0);
  free_copy(comm);
}

void everything(Test& t) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(t, laconic_comm_set_info(comm, MPI_INFO_NULL) == MPI_SUCCESS);
  small(t, comm);
  changing_hints(t, comm);
  options_of_the_sender(t, comm);
  different_calls(t, comm);
  frames_in_flight(t, comm);
  nonblocking(t, comm);
  wait_in_order(t, comm);
  too_long_among_others(t, comm);
  too_long(t, comm);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  Test t(&argc, &argv, "repeated_messages");
  if (t.size() > 1) {
    // Between nodes, blocking messages are waited for inside MPI.
    if (t.size() % 2 == 0) emulate_nodes(t, t.rank());
    everything(t);
  }
  return t.finish();
}
