// SPDX-License-Identifier: BSD-3-Clause
// The facts that each rank of a communicator knows about itself, and that all ranks have to know before the first call
// on it is compressed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "call/node_shape.hpp"

namespace laconic {

// One allgather, which also is a barrier.  It finds the nodes, too: the first
// MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) of a process takes 0.7 to 0.9 ms with MPICH 5, as long as 20 calls of 64
// KiB within a node.
class PeerFacts {
 public:
  // Begins, collectively over comm of so many ranks; this object stays where it is until the request has completed.
  // can_prepare: this rank may make one more private communicator.  repeats_neighbors: it has the same neighbor twice.
  // Returns MPI's error code.
  int begin(MPI_Comm comm, int size, bool can_prepare, bool repeats_neighbors, MPI_Request* request);

  // Afterwards, the same on every rank: the ranks that run on the same system and see the same network, and whether
  // all ranks can prepare and whether any rank has a neighbor twice.
  NodeShape nodes() const;
  bool all_can_prepare() const;
  bool any_repeats_neighbors() const;

 private:
  struct Fact {
    std::uint64_t node;
    std::uint64_t flags;
  };
  Fact mine_{};
  std::vector<Fact> all_;
};

}  // namespace laconic
