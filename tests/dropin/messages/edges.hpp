// SPDX-License-Identifier: BSD-3-Clause
// Derived layouts, truncated messages, cancelled and freed requests, and data that is not numbers.
#pragma once

#include "world.hpp"

namespace dropin {

inline void layouts(World& w) {
  for (int way = 0; way < 3; ++way) {
    w.t.doing(text("derived types, way %d", way));
    w.t.count_case();
    const auto mine = content(w.t.rank(), 1, large);
    std::vector<double> gaps(2 * large, -7);
    for (std::size_t k = 0; k < large; ++k) gaps[2 * k] = mine[k];
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(large / 10), 1, 2, MPI_DOUBLE, &pairs);  // ten of them make a message
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(pairs, 0, static_cast<MPI_Aint>(large / 10 * 16), &spread);
    MPI_Type_commit(&spread);
    std::vector<double> got(2 * large, -7);
    std::vector<MPI_Request> requests(2);
    std::vector<MPI_Status> statuses(2);
    const int n = static_cast<int>(large);
    // A receive buffer larger than the message, with gaps on either side or on both.
    if (way != 0) MPI_Irecv(got.data(), 10, spread, w.previous(), 1, w.comm, &requests[0]);
    if (way == 0) MPI_Irecv(got.data(), 2 * n, MPI_DOUBLE, w.previous(), 1, w.comm, &requests[0]);
    if (way != 1) MPI_Isend(gaps.data(), 10, spread, w.next(), 1, w.comm, &requests[1]);
    if (way == 1) MPI_Isend(mine.data(), n, MPI_DOUBLE, w.next(), 1, w.comm, &requests[1]);
    MPI_Type_free(&spread);
    MPI_Type_free(&pairs);
    complete(w.t, way, requests, statuses);
    std::vector<double> row(large);
    bool others = true;
    for (std::size_t k = 0; k < large; ++k) {
      row[k] = way == 0 ? got[k] : got[2 * k];
      others = others && (way == 0 ? got[large + k] : got[2 * k + 1]) == -7;
    }
    CHECK(w.t, others);
    w.check(row, w.previous(), 1, large);
    w.check(statuses[0], w.previous(), 1, large);
  }
  w.t.doing("a message that ends within an item of the receive");
  const auto mine = content(w.t.rank(), 2, large + 5);
  std::vector<double> got(3 * large, -7);
  MPI_Datatype triple = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &triple);
  MPI_Type_commit(&triple);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv(got.data(), static_cast<int>(large) / 2, triple, w.previous(), 1, w.comm, &request);
  MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, w.next(), 1, w.comm);
  MPI_Wait(&request, &status);
  int numbers_received = 0;
  MPI_Get_elements(&status, triple, &numbers_received);
  CHECK(w.t, numbers_received == static_cast<int>(mine.size()));
  std::vector<double> row(mine.size());
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = got[5 * (k / 3) + 2 * (k % 3)];
  w.check(row, w.previous(), 2, row.size());
  MPI_Type_free(&triple);
}

inline void too_long(World& w) {
  // MPICH's own truncated receives may end the connection (OFI over TCP): there only those that are ours.
  std::vector<int> rooms{static_cast<int>(large) - 1};
#ifdef OPEN_MPI
  rooms.push_back(100);
#else
  if (w.expected.bound == 0) return;
#endif
  w.t.doing("messages that are longer than their receives");
  w.t.count_case();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(w.comm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto truncated = [&](int code) {
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    return kind == MPI_ERR_TRUNCATE;
  };
  const int n = static_cast<int>(large);
  const auto mine = content(w.t.rank(), 1, large);
  for (const int room : rooms)
    in_pairs(
        w, [&](int to) { MPI_Send(mine.data(), n, MPI_DOUBLE, to, 1, comm); },
        [&](int from) {
          std::vector<double> got(large, -7);
          CHECK(w.t, truncated(MPI_Recv(got.data(), room, MPI_DOUBLE, from, 1, comm, MPI_STATUS_IGNORE)));
          CHECK(w.t, got[static_cast<std::size_t>(room)] == -7);
        });
  in_pairs(
      w,
      [&](int to) {
        MPI_Send(mine.data(), n, MPI_DOUBLE, to, 1, comm);
        MPI_Send(mine.data(), n, MPI_DOUBLE, to, 2, comm);
      },
      [&](int from) {
        std::vector<double> got(2 * large, -7);
        std::vector<MPI_Request> requests(2);
        std::vector<MPI_Status> statuses(2);
        MPI_Irecv(got.data(), n - 1, MPI_DOUBLE, from, 1, comm, &requests[0]);
        MPI_Irecv(got.data() + n, n, MPI_DOUBLE, from, 2, comm, &requests[1]);
        int kind = MPI_SUCCESS;
        MPI_Error_class(MPI_Waitall(2, requests.data(), statuses.data()), &kind);
        CHECK(w.t, kind == MPI_ERR_IN_STATUS);
        CHECK(w.t, truncated(statuses[0].MPI_ERROR));
        int other = statuses[1].MPI_ERROR;
        if (other == MPI_ERR_PENDING) other = MPI_Wait(&requests[1], &statuses[1]);
        CHECK(w.t, other == MPI_SUCCESS);
        w.check(std::vector<double>(got.begin() + n, got.end()), from, 1, large);
      });
  MPI_Comm_free(&comm);
}

inline void given_up(World& w) {
  w.t.doing("requests that are cancelled or freed");
  w.t.count_case();
  const int n = static_cast<int>(large);
  std::vector<double> got(large);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv(got.data(), n, MPI_DOUBLE, w.previous(), 99, w.comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(w.t, cancelled);
  static std::vector<double> freed(large);
  freed.assign(large, 0);
  const auto mine = content(w.t.rank(), 1, large);
  MPI_Irecv(freed.data(), n, MPI_DOUBLE, w.previous(), 1, w.comm, &request);
  MPI_Request_free(&request);
  MPI_Isend(mine.data(), n, MPI_DOUBLE, w.next(), 1, w.comm, &request);
  MPI_Request_free(&request);
  CHECK(w.t, request == MPI_REQUEST_NULL);
  // The program knows that the freed receive has completed when a later message of the same rank has arrived.
  MPI_Irecv(got.data(), n, MPI_DOUBLE, w.previous(), 1, w.comm, &request);
  MPI_Send(mine.data(), n, MPI_DOUBLE, w.next(), 1, w.comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  w.check(got, w.previous(), 1, large);
  w.check(freed, w.previous(), 1, large);
  MPI_Barrier(w.comm);
}

// Integers and addresses in buffers of doubles, which read as numbers are denormal or NaN: mixed with numbers, and
// alone.
inline void no_numbers(World& w) {
  for (const bool all : {false, true}) {
    w.t.doing(all ? "integers in a buffer of doubles" : "integers among doubles");
    w.t.count_case();
    auto mine = content(w.t.rank(), 1, large);
    for (std::uint64_t k = 0; k < large; ++k) {
      const std::uint64_t whole = k % 3 == 0 ? k : k % 3 == 1 ? ~k : 0x7ff0000000000000U + (k % 2);
      if (all || k % 1500 == 7) std::memcpy(&mine[k], &whole, sizeof whole);
    }
    std::vector<double> got(large);
    const int n = static_cast<int>(large);
    MPI_Sendrecv(mine.data(), n, MPI_DOUBLE, w.next(), 1, got.data(), n, MPI_DOUBLE, w.previous(), 1, w.comm,
                 MPI_STATUS_IGNORE);
    auto right = content(w.previous(), 1, large);
    for (std::uint64_t k = 0; k < large; ++k) {
      const std::uint64_t whole = k % 3 == 0 ? k : k % 3 == 1 ? ~k : 0x7ff0000000000000U + (k % 2);
      if (!all && k % 1500 != 7) continue;
      CHECK(w.t, std::memcmp(&got[k], &whole, sizeof whole) == 0);
      got[k] = right[k] = 0;
    }
    CHECK(w.t, alike(got, right, w.expected.bound));
  }
}

// Messages of bytes whose lengths are those of envelopes, and others.
inline void bytes(World& w) {
  w.t.doing("bytes");
  w.t.count_case();
  for (const int length : {256 + 48, 5 * 256 + 48, 4096, 77}) {
    std::vector<unsigned char> mine(static_cast<std::size_t>(length));
    for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = static_cast<unsigned char>(k * 31 + 7);
    for (int way = 0; way < 4; ++way) {
      std::vector<unsigned char> got(mine.size() + 3, 0xee);
      const int room = static_cast<int>(got.size());
      MPI_Request send = MPI_REQUEST_NULL;
      MPI_Status status;
      MPI_Message message = MPI_MESSAGE_NULL;
      int received = 0;
      MPI_Isend(mine.data(), length, MPI_BYTE, w.next(), 1, w.comm, &send);
      if (way == 1) MPI_Probe(w.previous(), 1, w.comm, &status);
      if (way == 2) MPI_Mprobe(w.previous(), 1, w.comm, &message, &status);
      if (way == 2 || way == 1) MPI_Get_count(&status, MPI_BYTE, &received), CHECK(w.t, received == length);
      if (way == 2)
        MPI_Mrecv(got.data(), room, MPI_BYTE, &message, &status);
      else
        MPI_Recv(got.data(), room, way == 3 ? MPI_CHAR : MPI_BYTE, w.previous(), 1, w.comm, &status);
      MPI_Get_count(&status, MPI_BYTE, &received);
      CHECK(w.t, received == length);
      CHECK(w.t, std::equal(mine.begin(), mine.end(), got.begin()) && got[mine.size()] == 0xee);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
  }
}

}  // namespace dropin
