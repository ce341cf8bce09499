// SPDX-License-Identifier: BSD-3-Clause
// The sum of each of a few integers over all ranks of a communicator, computed without blocking.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace laconic {

class ExactSum {
 public:
  // Uses MPI's reduction, which matches others on the communicator by the order in which they are started.  `mine` and
  // `all` must stay valid until it has finished.
  int start(MPI_Comm comm, const std::int64_t* mine, std::int64_t* all, int count);

  // Uses messages with this tag, which match only reductions with the same tag: reductions with different tags may be
  // started in different orders on different ranks.
  int start(MPI_Comm comm, int tag, const std::int64_t* mine, std::int64_t* all, int count);

  int poll(bool& finished);

 private:
  enum class Verb : std::uint8_t { add, send, receive };
  struct Step {
    Verb verb;
    int peer;
  };

  void list_steps(int rank, int size);
  int begin_step();

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int tag_ = 0;
  int count_ = 0;
  std::int64_t* all_ = nullptr;
  std::vector<Step> steps_;  // none: MPI reduces
  std::size_t next_ = 0;     // the step under way
  std::vector<std::int64_t> theirs_;
};

}  // namespace laconic
