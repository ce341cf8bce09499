// SPDX-License-Identifier: BSD-3-Clause
// Ranks on several nodes, emulated: ranks in different network namespaces count as ranks on different nodes.
#pragma once

#include <fcntl.h>
#include <sched.h>

#include <vector>

#include "support.hpp"

namespace ranks {

// The first rank of each node makes its namespace, and the others enter it.
inline bool enter_namespace(const Test& t, int number) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, number, t.rank(), &node);
  int local = 0;
  MPI_Comm_rank(node, &local);
  long long leader = getpid();
  int failed = local == 0 && unshare(CLONE_NEWNET) != 0 ? 1 : 0;
  MPI_Bcast(&leader, 1, MPI_LONG_LONG, 0, node);
  MPI_Bcast(&failed, 1, MPI_INT, 0, node);
  if (local > 0 && !failed) {
    const int file = open(text("/proc/%lld/ns/net", leader).c_str(), O_RDONLY | O_CLOEXEC);
    failed = file < 0 || setns(file, CLONE_NEWNET) != 0 ? 1 : 0;
    if (file >= 0) close(file);
  }
  MPI_Comm_free(&node);
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any == 0;
}

// Some MPI libraries connect two ranks at their first message, which has to come before they see different networks.
inline void connect_all(const Test& t) {
  std::vector<int> out(static_cast<std::size_t>(t.size())), in(out.size());
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < t.size(); ++other)
    MPI_Sendrecv(&out[0], 1, MPI_INT, other, 1, &in[0], 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Puts this rank on a node of this number.  Collective, and comes before the first call of Laconic.  False on all ranks
// where the system permits no namespaces.
inline bool emulate_nodes(const Test& t, int number) {
  connect_all(t);
  return enter_namespace(t, number);
}

}  // namespace ranks
