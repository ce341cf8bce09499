// SPDX-License-Identifier: BSD-3-Clause
// The results of probes of messages; receives after them must take the right messages.
#pragma once

#include "world.hpp"

namespace dropin {

// Messages with tags 1, 2, ... of alternating sizes, which the receiver probes before it receives them.
inline void probes(World& w) {
  const auto size_of = [](int tag) { return tag % 3 == 0 ? small : large + 10 * static_cast<std::size_t>(tag); };
  constexpr int last = 6;
  // Functions of one status leave its MPI_ERROR unchanged (except MPICH's, for messages from a rank to itself).
  MPI_Status unused{};
  unused.MPI_ERROR = 4711;
  const auto check = [&](const MPI_Status& status, int tag) {
    w.check(status, w.previous(), tag, size_of(tag));
    CHECK(w.t, w.t.size() == 1 || status.MPI_ERROR == unused.MPI_ERROR);
  };
  for (int how = 0; how < 6; ++how) {
    w.t.doing(text("probes, in way %d", how));
    w.t.count_case();
    std::vector<std::vector<double>> mine;
    std::vector<MPI_Request> sends(last, MPI_REQUEST_NULL);
    for (int tag = 1; tag <= last; ++tag) mine.push_back(content(w.t.rank(), tag, size_of(tag)));
    for (int tag = 1; tag <= last; ++tag) {
      const auto& x = mine[static_cast<std::size_t>(tag - 1)];
      MPI_Isend(x.data(), static_cast<int>(x.size()), MPI_DOUBLE, w.next(), tag, w.comm,
                &sends[static_cast<std::size_t>(tag - 1)]);
    }
    const auto receive = [&](int source, int asked, int tag) {
      std::vector<double> got(size_of(tag));
      MPI_Status status = unused;
      MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_DOUBLE, source, asked, w.comm, &status);
      w.check(got, w.previous(), tag, size_of(tag));
      check(status, tag);
    };
    const auto look = [&](int source, int asked, int tag) {
      MPI_Status status = unused;
      int found = how % 2;
      if (found) MPI_Probe(source, asked, w.comm, &status);
      while (!found) MPI_Iprobe(source, asked, w.comm, &found, &status);
      check(status, tag);
    };
    const auto take = [&](int asked, int tag) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status = unused;
      int found = how % 2;
      if (found) MPI_Mprobe(w.previous(), asked, w.comm, &message, &status);
      while (!found) MPI_Improbe(w.previous(), asked, w.comm, &found, &message, &status);
      check(status, tag);
      std::vector<double> got(size_of(tag));
      MPI_Request request = MPI_REQUEST_NULL;
      const int n = static_cast<int>(got.size());
      if (tag % 2 == 0) {
        EITHER(how > 3, Mrecv, got.data(), n, MPI_DOUBLE, &message, &status);
      } else {
        EITHER(how > 3, Imrecv, got.data(), n, MPI_DOUBLE, &message, &request);
        MPI_Wait(&request, &status);
      }
      CHECK(w.t, message == MPI_MESSAGE_NULL);
      w.check(got, w.previous(), tag, size_of(tag));
      check(status, tag);
    };
    if (how < 2) {  // each message before it is received, by exact values and by wildcards
      for (int tag = 1; tag <= last; ++tag) {
        look(tag % 2 ? MPI_ANY_SOURCE : w.previous(), MPI_ANY_TAG, tag);
        look(w.previous(), tag, tag);
        receive(w.previous(), tag % 2 ? MPI_ANY_TAG : tag, tag);
      }
    } else if (how < 4) {  // a later message first: no message may overtake another that a receive of any tag matches
      look(w.previous(), 5, 5);
      look(w.previous(), 2, 2);
      receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 1);
      receive(w.previous(), 5, 5);
      std::vector<double> got(size_of(2));
      std::vector<MPI_Request> requests(1);
      std::vector<MPI_Status> statuses(1);
      MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, w.comm,
                requests.data());
      complete(w.t, how, requests, statuses);
      w.check(got, w.previous(), 2, size_of(2));
      w.check(statuses[0], w.previous(), 2, size_of(2));
      take(MPI_ANY_TAG, 3);
      for (const int tag : {4, 6}) receive(w.previous(), MPI_ANY_TAG, tag);
    } else {
      take(4, 4);
      take(MPI_ANY_TAG, 1);
      look(w.previous(), 6, 6);
      take(5, 5);
      take(MPI_ANY_TAG, 2);
      take(MPI_ANY_TAG, 3);
      take(6, 6);
    }
    MPI_Waitall(last, sends.data(), MPI_STATUSES_IGNORE);
    // The messages of every round have the same tags, so rounds must not overlap.
    MPI_Barrier(w.comm);
  }
}

}  // namespace dropin
