// SPDX-License-Identifier: BSD-3-Clause
// The ranks of the job, on a separate communicator that returns errors.
#pragma once

#include <mpi.h>

#include "bench/operation.hpp"

namespace laconic::cli::bench {

class Job {
 public:
  Job() {
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks_.comm);
    MPI_Comm_set_errhandler(ranks_.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks_.comm, &ranks_.rank);
    MPI_Comm_size(ranks_.comm, &ranks_.size);
  }
  ~Job() { MPI_Comm_free(&ranks_.comm); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  const Ranks& ranks() const { return ranks_; }

 private:
  Ranks ranks_;
};

}  // namespace laconic::cli::bench
