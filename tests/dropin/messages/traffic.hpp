// SPDX-License-Identifier: BSD-3-Clause
// Messages of all kinds in random order, and from several threads.
#pragma once

#include <thread>

#include "world.hpp"

namespace dropin {

// Every rank sends to every other in its own order; tags count the messages from one rank to another, so that a receive
// of any tag knows which message must come next.
inline void storm(World& w) {
  constexpr int messages = 6;
  const int size = w.t.size();
  const long long rounds = ranks::environment_number("TEST_CASES", 5);
  for (long long round = 0; round < rounds; ++round) {
    w.t.doing(text("storm, round %lld", round));
    w.t.count_case();
    const auto count_of = [&](int from, int to, int number) {
      Random random(
          static_cast<std::uint64_t>(((w.t.seed() + static_cast<std::uint64_t>(round)) * 64 + from) * 64 + to) * 16 +
          number);
      const double u = random.uniform();
      return u < 0.4 ? static_cast<std::size_t>(20 * random.uniform())
                     : static_cast<std::size_t>(6000 * random.uniform());
    };
    std::vector<std::vector<double>> sent;
    std::vector<MPI_Request> sends;
    sent.reserve(static_cast<std::size_t>(size * messages));
    std::vector<int> expected(static_cast<std::size_t>(size), 0);
    const auto send_one = [&](int to, int number) {
      sent.push_back(content(w.t.rank(), number, count_of(w.t.rank(), to, number)));
      sends.push_back(MPI_REQUEST_NULL);
      MPI_Isend(sent.back().data(), static_cast<int>(sent.back().size()), MPI_DOUBLE, to, number, w.comm,
                &sends.back());
    };
    const auto check = [&](const std::vector<double>& got, const MPI_Status& status) {
      const int from = status.MPI_SOURCE;
      if (!CHECK(w.t, from >= 0 && from < size)) return;
      const int number = expected[static_cast<std::size_t>(from)]++;
      w.check(status, from, number, count_of(from, w.t.rank(), number));
      w.check(got, from, number, count_of(from, w.t.rank(), number));
    };
    const auto receive_one = [&] {
      std::vector<double> got(6000);
      MPI_Status status;
      const double how = w.random.uniform();
      MPI_Message message = MPI_MESSAGE_NULL;
      if (how < 0.3) {
        MPI_Recv(got.data(), 6000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm, &status);
      } else if (how < 0.5) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(got.data(), 6000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm, &request);
        MPI_Wait(&request, &status);
      } else if (how < 0.7) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        got.resize(static_cast<std::size_t>(count));
        const int from = status.MPI_SOURCE;
        MPI_Recv(got.data(), count, MPI_DOUBLE, from, how < 0.6 ? status.MPI_TAG : MPI_ANY_TAG, w.comm, &status);
      } else {
        if (how < 0.8) {  // the probe may find the last message of a rank before the rank's other messages
          const int from = static_cast<int>(w.random.uniform() * size);
          int found = 0;
          MPI_Iprobe(from, messages - 1, w.comm, &found, &status);
        }
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm, &message, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        got.resize(static_cast<std::size_t>(count));
        MPI_Mrecv(got.data(), count, MPI_DOUBLE, &message, &status);
      }
      check(got, status);
    };
    int to_receive = size * messages;
    for (int number = 0; number < messages; ++number) {
      const int first = static_cast<int>(w.random.uniform() * size);
      for (int k = 0; k < size; ++k) send_one((first + k) % size, number);
      for (int k = 0; k < size && w.random.uniform() < 0.7; ++k) receive_one(), --to_receive;
    }
    while (to_receive-- > 0) receive_one();
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(w.comm);
  }
}

// Several threads, each with its own tags.
inline void threads(World& w) {
  w.t.doing("threads");
  w.t.count_case();
  std::vector<std::thread> all;
  for (int k = 0; k < 3; ++k)
    all.emplace_back([&w, k] {
      for (int round = 0; round < 15; ++round) {
        const std::size_t count = round % 3 == 0 ? small : large;
        const auto mine = content(w.t.rank(), k * 100 + round, count);
        std::vector<double> got(count);
        const int n = static_cast<int>(count);
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Isend(mine.data(), n, MPI_DOUBLE, w.next(), 100 + k, w.comm, &send);
        if (round % 5 == 1) MPI_Probe(w.previous(), 100 + k, w.comm, &status);
        if (round % 5 == 2) {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Mprobe(w.previous(), 100 + k, w.comm, &message, &status);
          MPI_Mrecv(got.data(), n, MPI_DOUBLE, &message, &status);
        } else if (round % 2 == 0) {
          MPI_Recv(got.data(), n, MPI_DOUBLE, w.previous(), 100 + k, w.comm, &status);
        } else {
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Irecv(got.data(), n, MPI_DOUBLE, w.previous(), 100 + k, w.comm, &request);
          MPI_Wait(&request, &status);
        }
        w.check(got, w.previous(), k * 100 + round, count);
        w.check(status, w.previous(), 100 + k, count);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
      }
    });
  for (std::thread& thread : all) thread.join();
}

}  // namespace dropin
