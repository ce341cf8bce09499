// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/maximum.hpp"

#include <algorithm>
#include <cstddef>

namespace laconic {

int Maximum::start(MPI_Comm comm, const double* mine, double* all, int count) {
  distance_ = 0;
  requests_[1] = MPI_REQUEST_NULL;
  return MPI_Iallreduce(mine, all, count, MPI_DOUBLE, MPI_MAX, comm, &requests_[0]);
}

// Dissemination (Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988): after the round of
// distance d a rank has the values of 2d ranks, of some of them twice, which does not change a maximum.
int Maximum::start(MPI_Comm comm, int tag, const double* mine, double* all, int count) {
  comm_ = comm;
  tag_ = tag;
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  all_ = all;
  theirs_.resize(static_cast<std::size_t>(count));
  // The maximum of -0 and +0 depends on the order, but all ranks must get the same bits; adding 0 turns -0 into +0.
  for (int k = 0; k < count; ++k) all[k] = mine[k] + 0.0;
  distance_ = 1;
  return next_round();
}

int Maximum::next_round() {
  if (distance_ >= size_) return MPI_SUCCESS;
  const int count = static_cast<int>(theirs_.size());
  const int before = (rank_ + size_ - distance_) % size_;
  const int after = (rank_ + distance_) % size_;
  const int code = MPI_Irecv(theirs_.data(), count, MPI_DOUBLE, before, tag_, comm_, &requests_[0]);
  return code == MPI_SUCCESS ? MPI_Isend(all_, count, MPI_DOUBLE, after, tag_, comm_, &requests_[1]) : code;
}

int Maximum::poll(bool& finished) {
  int code = MPI_SUCCESS;
  for (finished = false; code == MPI_SUCCESS;) {
    int done = 0;
    code = MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS || !done) return code;
    finished = distance_ == 0 || distance_ >= size_;
    if (finished) return code;
    std::transform(theirs_.begin(), theirs_.end(), all_, all_, [](double a, double b) { return std::max(a, b); });
    distance_ *= 2;
    ++tag_;
    code = next_round();
  }
  return code;
}

}  // namespace laconic
