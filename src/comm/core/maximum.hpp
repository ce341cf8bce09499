// SPDX-License-Identifier: BSD-3-Clause
// The maximum of each of a few numbers over all ranks of a communicator, computed without blocking.
#pragma once

#include <mpi.h>

#include <vector>

namespace laconic {

class Maximum {
 public:
  // Uses MPI's reduction, which matches others on the communicator by the order in which they are started.  `mine` and
  // `all` must stay valid until it has finished.
  int start(MPI_Comm comm, const double* mine, double* all, int count);

  // Uses messages with tags [tag, tag + most_rounds), which match only reductions with the same tags: reductions with
  // different tags may be started in different orders on different ranks.  -0 counts as 0.
  int start(MPI_Comm comm, int tag, const double* mine, double* all, int count);

  int poll(bool& finished);

  static constexpr int most_rounds = 32;

 private:
  int next_round();

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int rank_ = 0;
  int size_ = 1;
  int tag_ = 0;
  int distance_ = 0;  // between the ranks that exchange in this round; 0: MPI reduces
  double* all_ = nullptr;
  std::vector<double> theirs_;
};

}  // namespace laconic
