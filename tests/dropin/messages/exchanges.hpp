// SPDX-License-Identifier: BSD-3-Clause
// Receives and sends in all modes and forms, blocking, nonblocking and persistent, and both at once.
#pragma once

#include "world.hpp"

namespace dropin {

// The nonblocking send modes, to a receive that is already posted.
inline void begin_send(int mode, const std::vector<double>& x, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const int n = static_cast<int>(x.size());
  const bool counts = mode >= 3;
  switch (mode % 3) {
    case 0: EITHER(counts, Isend, x.data(), n, MPI_DOUBLE, to, tag, comm, request); break;
    case 1: EITHER(counts, Issend, x.data(), n, MPI_DOUBLE, to, tag, comm, request); break;
    default: EITHER(counts, Irsend, x.data(), n, MPI_DOUBLE, to, tag, comm, request);
  }
}

inline void round_the_ring(World& w) {
  for (const std::size_t count : {small, large})
    for (int mode = 0; mode < 6; ++mode)
      for (int way = 0; way < ways_to_complete; ++way) {
        w.t.doing(text("ring: %zu numbers, mode %d, completed in way %d", count, mode, way));
        w.t.count_case();
        const auto mine = content(w.t.rank(), mode, count);
        std::vector<double> got(count + 50, -7);
        std::vector<double> other(count + 50, -7);
        std::vector<MPI_Request> requests(4, MPI_REQUEST_NULL);
        std::vector<MPI_Status> statuses(4);
        const int room = static_cast<int>(got.size());
        MPI_Irecv(got.data(), room, MPI_DOUBLE, w.previous(), 1, w.comm, &requests[0]);
        EITHER(true, Irecv, other.data(), room, MPI_DOUBLE, MPI_ANY_SOURCE, 2, w.comm, &requests[2]);
        MPI_Barrier(w.comm);  // the receive of a ready-mode send must be posted
        begin_send(mode, mine, w.next(), 1, w.comm, &requests[1]);
        begin_send(mode, mine, w.next(), 2, w.comm, &requests[3]);
        complete(w.t, way, requests, statuses);
        w.check(got, w.previous(), mode, count);
        w.check(other, w.previous(), mode, count);
        CHECK(w.t, got[count] == -7 && other[count] == -7);
        w.check(statuses[0], w.previous(), 1, count);
        w.check(statuses[2], w.previous(), 2, count);
      }
}

// The received data is in place as soon as the program is told so, before it completes the request.
inline void told_before(World& w) {
  w.t.doing("MPI_Request_get_status");
  w.t.count_case();
  const auto mine = content(w.t.rank(), 1, large);
  std::vector<double> got(large + 50, -7);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_DOUBLE, w.previous(), 1, w.comm, &request);
  MPI_Send(mine.data(), static_cast<int>(large), MPI_DOUBLE, w.next(), 1, w.comm);
  for (int flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
  w.check(got, w.previous(), 1, large);
  w.check(status, w.previous(), 1, large);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  int flag = 0;
  MPI_Request_get_status_all(1, &request, &flag, &status);
  CHECK(w.t, flag);
  w.check(status, w.previous(), 1, large);
#endif
  MPI_Wait(&request, &status);
  w.check(got, w.previous(), 1, large);
  w.check(status, w.previous(), 1, large);
}

inline void blocking(World& w) {
  w.t.doing("blocking calls");
  w.t.count_case();
  for (const bool counts : {false, true})
    for (const std::size_t count : {small, large}) {
      const int n = static_cast<int>(count);
      in_pairs(
          w,
          [&](int to) {
            EITHER(counts, Send, content(w.t.rank(), 1, count).data(), n, MPI_DOUBLE, to, 3, w.comm);
            EITHER(counts, Ssend, content(w.t.rank(), 2, count).data(), n, MPI_DOUBLE, to, 4, w.comm);
            const auto x = content<float>(w.t.rank(), 3, count);
            EITHER(counts, Send, x.data(), n, MPI_FLOAT, to, 5, w.comm);
            const auto whole = content<int>(w.t.rank(), 4, count);
            EITHER(counts, Send, whole.data(), n, MPI_INT, to, 6, w.comm);
          },
          [&](int from) {
            std::vector<double> got(count);
            MPI_Status status;
            EITHER(counts, Recv, got.data(), n, MPI_DOUBLE, from, MPI_ANY_TAG, w.comm, &status);
            w.check(got, from, 1, count);
            w.check(status, from, 3, count);
            EITHER(counts, Recv, got.data(), n, MPI_DOUBLE, MPI_ANY_SOURCE, 4, w.comm, MPI_STATUS_IGNORE);
            w.check(got, from, 2, count);
            std::vector<float> single(count);
            EITHER(counts, Recv, single.data(), n, MPI_FLOAT, from, 5, w.comm, MPI_STATUS_IGNORE);
            w.check(single, from, 3, count);
            std::vector<int> whole(count);
            EITHER(counts, Recv, whole.data(), n, MPI_INT, from, 6, w.comm, MPI_STATUS_IGNORE);
            CHECK(w.t, whole == content<int>(from, 4, count));
          });
    }
}

// Programs and their language bindings may call either name, on either side.
inline void by_other_names(World& w) {
  w.t.doing("MPI on one side, PMPI on the other");
  w.t.count_case();
  const int n = static_cast<int>(large);
  in_pairs(
      w,
      [&](int to) {
        PMPI_Send(content(w.t.rank(), 1, large).data(), n, MPI_DOUBLE, to, 3, w.comm);
        MPI_Send(content(w.t.rank(), 2, large).data(), n, MPI_DOUBLE, to, 3, w.comm);
        MPI_Send(content(w.t.rank(), 3, large).data(), n, MPI_DOUBLE, to, 3, w.comm);
        MPI_Send(content(w.t.rank(), 4, large).data(), n, MPI_DOUBLE, to, 3, w.comm);
      },
      [&](int from) {
        std::vector<double> got(large);
        MPI_Status status;
        MPI_Recv(got.data(), n, MPI_DOUBLE, from, 3, w.comm, &status);
        w.check(got, from, 1, large);
        w.check(status, from, 3, large);
        PMPI_Recv(got.data(), n, MPI_DOUBLE, from, 3, w.comm, &status);
        w.check(got, from, 2, large);
        w.check(status, from, 3, large);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(got.data(), n, MPI_DOUBLE, from, 3, w.comm, &request);
        PMPI_Wait(&request, &status);
        w.check(got, from, 3, large);
        w.check(status, from, 3, large);
        PMPI_Irecv(got.data(), n, MPI_DOUBLE, from, 3, w.comm, &request);
        int index = -1;
        PMPI_Waitany(1, &request, &index, &status);
        w.check(got, from, 4, large);
        w.check(status, from, 3, large);
      });
}

inline void exchanges(World& w) {
  for (const bool held : {false, true})
    for (const bool counts : {false, true})
      for (const std::size_t count : {small, large}) {
        w.t.doing(text("exchanges of %zu%s", count, held ? ", after probing" : ""));
        w.t.count_case();
        const int n = static_cast<int>(count);
        const int me = w.t.rank();
        std::vector<double> mine = content(me, 1, count);
        std::vector<double> got(count);
        MPI_Status status;
        // A message of another tag that is asked for before: what was sent with it before is out of MPI's hands.
        std::vector<double> extra = content(me, 9, large);
        std::vector<double> got_extra(large);
        MPI_Request sending = MPI_REQUEST_NULL;
        const auto before = [&] {
          MPI_Barrier(w.comm);
          if (!held) return;
          MPI_Isend(extra.data(), static_cast<int>(large), MPI_DOUBLE, w.next(), 9, w.comm, &sending);
          MPI_Probe(w.previous(), 9, w.comm, &status);
          w.check(status, w.previous(), 9, large);
        };
        const auto after = [&] {
          if (!held) return;
          MPI_Recv(got_extra.data(), static_cast<int>(large), MPI_DOUBLE, w.previous(), 9, w.comm, &status);
          w.check(got_extra, w.previous(), 9, large);
          MPI_Wait(&sending, MPI_STATUS_IGNORE);
        };
        before();
        EITHER(counts, Sendrecv, mine.data(), n, MPI_DOUBLE, w.next(), 1, got.data(), n, MPI_DOUBLE, w.previous(), 1,
               w.comm, &status);
        w.check(got, w.previous(), 1, count);
        w.check(status, w.previous(), 1, count);
        after();
        before();
        MPI_Request other = MPI_REQUEST_NULL;
        if (held) {  // the held message is the one that it receives
          MPI_Irecv(got.data(), n, MPI_DOUBLE, w.previous(), 1, w.comm, &other);
          EITHER(counts, Sendrecv, mine.data(), n, MPI_DOUBLE, w.next(), 1, got_extra.data(), static_cast<int>(large),
                 MPI_DOUBLE, w.previous(), 9, w.comm, &status);
          w.check(got_extra, w.previous(), 9, large);
          w.check(status, w.previous(), 9, large);
          MPI_Wait(&other, MPI_STATUS_IGNORE);
          w.check(got, w.previous(), 1, count);
          MPI_Wait(&sending, MPI_STATUS_IGNORE);
        }
        got = mine;
        before();
        EITHER(counts, Sendrecv_replace, got.data(), n, MPI_DOUBLE, w.next(), 2, MPI_ANY_SOURCE, 2, w.comm, &status);
        w.check(got, w.previous(), 1, count);
        w.check(status, w.previous(), 2, count);
        after();
        if (held) {
          before();
          std::vector<double> both = content(me, 3, large);
          std::vector<double> third(large);
          MPI_Irecv(third.data(), static_cast<int>(large), MPI_DOUBLE, w.previous(), 3, w.comm, &other);
          EITHER(counts, Sendrecv_replace, both.data(), static_cast<int>(large), MPI_DOUBLE, w.next(), 3, w.previous(),
                 9, w.comm, &status);
          w.check(both, w.previous(), 9, large);
          w.check(status, w.previous(), 9, large);
          MPI_Wait(&other, &status);
          w.check(third, w.previous(), 3, large);
          MPI_Wait(&sending, MPI_STATUS_IGNORE);
        }
#if MPI_VERSION >= 4
        MPI_Request request = MPI_REQUEST_NULL;
        before();
        EITHER(counts, Isendrecv, mine.data(), n, MPI_DOUBLE, w.next(), 4, got.data(), n, MPI_DOUBLE, w.previous(), 4,
               w.comm, &request);
        MPI_Wait(&request, &status);
        w.check(got, w.previous(), 1, count);
        after();
        got = mine;
        before();
        EITHER(counts, Isendrecv_replace, got.data(), n, MPI_DOUBLE, w.next(), 5, w.previous(), 5, w.comm, &request);
        MPI_Wait(&request, &status);
        w.check(got, w.previous(), 1, count);
        after();
        if (held) {
          before();
          MPI_Irecv(got.data(), n, MPI_DOUBLE, w.previous(), 4, w.comm, &other);
          EITHER(counts, Isendrecv, mine.data(), n, MPI_DOUBLE, w.next(), 4, got_extra.data(), static_cast<int>(large),
                 MPI_DOUBLE, w.previous(), 9, w.comm, &request);
          MPI_Wait(&request, &status);
          w.check(got_extra, w.previous(), 9, large);
          MPI_Wait(&other, MPI_STATUS_IGNORE);
          w.check(got, w.previous(), 1, count);
          MPI_Wait(&sending, MPI_STATUS_IGNORE);
        }
#endif
      }
}

inline void persistent(World& w) {
  for (int way = 0; way < ways_to_complete; ++way) {
    if (way == 7) continue;  // this way needs null requests
    w.t.doing(text("persistent requests, way %d", way));
    w.t.count_case();
    const int n = static_cast<int>(large);
    std::vector<double> mine(large);
    std::vector<double> again(large);
    std::vector<double> got(large);
    std::vector<double> also(large);
    std::vector<MPI_Request> requests(4);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(n, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(got.data(), 1, type, w.previous(), 1, w.comm, &requests[0]);
    MPI_Send_init(mine.data(), 1, type, w.next(), 1, w.comm, &requests[1]);
    EITHER(true, Ssend_init, again.data(), n, MPI_DOUBLE, w.next(), 2, w.comm, &requests[2]);
    EITHER(true, Recv_init, also.data(), n, MPI_DOUBLE, w.previous(), MPI_ANY_TAG, w.comm, &requests[3]);
    MPI_Type_free(&type);
    for (int round = 0; round < 4; ++round) {
      std::ranges::copy(content(w.t.rank(), round, large), mine.begin());
      std::ranges::copy(content(w.t.rank(), 10 + round, large), again.begin());
      // The receive of any tag must be the later one.
      MPI_Start(&requests[0]);
      MPI_Startall(3, &requests[1]);
      std::vector<MPI_Status> statuses(4);
      if (way == 0) {
        MPI_Waitall(4, requests.data(), statuses.data());
      } else if (way < 4) {
        for (int left = 4; left > 0; --left) {
          int index = -1;
          MPI_Status status;
          MPI_Waitany(4, requests.data(), &index, &status);
          if (CHECK(w.t, index >= 0)) statuses[static_cast<std::size_t>(index)] = status;
        }
      } else {
        for (std::size_t k = 0; k < 4; ++k) MPI_Wait(&requests[k], &statuses[k]);
      }
      w.check(got, w.previous(), round, large);
      w.check(also, w.previous(), 10 + round, large);
      w.check(statuses[0], w.previous(), 1, large);
      w.check(statuses[3], w.previous(), 2, large);
      int done = 0;
      MPI_Testall(4, requests.data(), &done, MPI_STATUSES_IGNORE);  // inactive ones count as complete
      CHECK(w.t, done);
    }
    MPI_Start(&requests[3]);  // no message for it arrives
    MPI_Cancel(&requests[3]);
    MPI_Status status;
    MPI_Wait(&requests[3], &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(w.t, cancelled);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    MPI_Barrier(w.comm);
  }
}

}  // namespace dropin
