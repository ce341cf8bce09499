// SPDX-License-Identifier: BSD-3-Clause
// The allreduce that tests of errors spoil, and checks of errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support.hpp"

namespace ranks {

inline constexpr int count = 1000;

struct Call {
  laconic_options options = options_with(LACONIC_BOUND_ABS, 1e-3);
  std::vector<float> send;
  std::vector<float> receive;
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  MPI_Count count = ranks::count;
  MPI_Datatype datatype = MPI_FLOAT;
  MPI_Op op = MPI_SUM;
  const laconic_options* given = nullptr;

  // Twice the room, so that a rank may take them for doubles.
  Call() : send(2 * ranks::count, 1.5F), receive(2 * ranks::count, -3.0F) {
    sendbuf = send.data();
    recvbuf = receive.data();
    given = &options;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

inline MPI_Comm comm = MPI_COMM_NULL;

inline int run(Call& c) { return laconic_allreduce(c.sendbuf, c.recvbuf, c.count, c.datatype, c.op, comm, c.given); }

inline void good_call_follows(Test& t) {
  Call c;
  const int rc = run(c);
  CHECK(t, rc == MPI_SUCCESS, "a good call afterwards: %s", message_of(rc).c_str());
  const float exact = 1.5F * static_cast<float>(t.size());
  bool right = true;
  for (int i = 0; i < count; ++i) right = right && std::fabs(c.receive[static_cast<std::size_t>(i)] - exact) <= 1.1e-3F;
  CHECK(t, right, "a good call afterwards has a wrong result");
}

inline bool untouched(const Call& c) {
  return std::all_of(c.receive.begin(), c.receive.end(), [](float x) { return x == -3.0F; });
}

inline void check_message(Test& t, int rc, const std::vector<const char*>& words) {
  const std::string message = message_of(rc);
  for (const char* word : words)
    CHECK(t, message.find(word) != std::string::npos, "no '%s' in the message '%s'", word, message.c_str());
}

}  // namespace ranks
