// SPDX-License-Identifier: BSD-3-Clause
// Counts the communicators of a program that have not been freed, and uses one with a checked sum.  For one source file
// of a program: it defines functions of MPI.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cmath>

#include "support.hpp"

// Counts the communicators made and freed by any code in this process, Laconic included: the program's definitions come
// before the MPI library's.
namespace ranks {
inline std::atomic<long> communicators{0};

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
}  // namespace ranks

#define LACONIC_TEST_MAKES(name, parameters, arguments, made)                  \
  extern "C" __attribute__((visibility("default"))) int name parameters {      \
    static auto* const next = ranks::real<int parameters>(#name);              \
    const int rc = next arguments;                                             \
    if (rc == MPI_SUCCESS && *(made) != MPI_COMM_NULL) ++ranks::communicators; \
    return rc;                                                                 \
  }
LACONIC_TEST_MAKES(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made), made)
LACONIC_TEST_MAKES(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), (comm, info, made), made)
LACONIC_TEST_MAKES(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request), made)
LACONIC_TEST_MAKES(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made), made)
LACONIC_TEST_MAKES(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
                   (comm, type, key, info, made), made)
LACONIC_TEST_MAKES(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made), made)
LACONIC_TEST_MAKES(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
                   (comm, group, tag, made), made)
LACONIC_TEST_MAKES(MPI_Intercomm_create,
                   (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm* made),
                   (local, leader, peer, remote, tag, made), made)

extern "C" __attribute__((visibility("default"))) int MPI_Comm_free(MPI_Comm* comm) {
  static auto* const next = ranks::real<int(MPI_Comm*)>("MPI_Comm_free");
  const int rc = next(comm);
  if (rc == MPI_SUCCESS) --ranks::communicators;
  return rc;
}

namespace ranks {

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

// One sum on comm, checked.  The numbers differ by rank in comm, by place and by salt.
inline laconic_stats use(Test& t, MPI_Comm comm, int salt = 0, int count = 2000,
                         const laconic_options* base = nullptr) {
  const int size = size_of(comm);
  const int rank = rank_in(comm);
  const auto number = [&](int r, int i) { return static_cast<float>(0.25 * ((r + 1) * (i % 37) + salt % 11)); };
  std::vector<float> send(static_cast<std::size_t>(count));
  std::vector<float> receive(static_cast<std::size_t>(count), -1);
  for (int i = 0; i < count; ++i) send[static_cast<std::size_t>(i)] = number(rank, i);
  laconic_stats stats{};
  laconic_options o = base ? *base : options_with(LACONIC_BOUND_ABS, 1e-2);
  o.stats = &stats;
  const int rc = laconic_allreduce(send.data(), receive.data(), count, MPI_FLOAT, MPI_SUM, comm, &o);
  CHECK(t, rc == MPI_SUCCESS, "%s", message_of(rc).c_str());
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    double exact = 0;
    for (int r = 0; r < size; ++r) exact += number(r, i);
    wrong += !(std::fabs(receive[static_cast<std::size_t>(i)] - exact) <= 1.01e-2 + 1e-5 * exact);
  }
  CHECK(t, wrong == 0, "%d of %d numbers are wrong", wrong, count);
  CHECK(t, (size == 1) == (stats.plain_calls == 1), "plain because %s",
        laconic_plain_reason_string(stats.plain_reason));
  return stats;
}

}  // namespace ranks
