// SPDX-License-Identifier: BSD-3-Clause
// Moves data between a root and the other ranks, between all ranks or between neighbors, without compression and
// without MPI's collectives.  It serves calls that the ranks have agreed not to compress: by then an MPI collective on
// the application's communicator might come in another order on another rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/status.hpp"
#include "call/neighborhood.hpp"
#include "comm/collectives/call.hpp"

namespace laconic {

class Exchange {
 public:
  // comm: the private communicator; tag: of this operation alone.  Only for collectives in which a rank may see fewer
  // counts than others.  neighborhood: of this rank; only neighborhood collectives need it.
  Status start(const CollectiveCall& call, MPI_Comm comm, int tag, const Neighborhood* neighborhood);
  Status poll(bool& finished);

 private:
  struct Transfer {
    int peer;
    bool sending;
  };

  Status transfer_with_neighbors(const CollectiveCall& call, const Neighborhood& neighborhood);
  Status transfer(bool sending, const Side& side, int part, int peer);
  Status failure(int code) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int tag_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Transfer> transfers_;
  std::vector<MPI_Status> statuses_;
  Status failed_;           // of the first message that failed
  std::vector<int> order_;  // of the edges to neighbors
};

}  // namespace laconic
