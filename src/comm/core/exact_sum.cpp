// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/exact_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace laconic {

int ExactSum::start(MPI_Comm comm, const std::int64_t* mine, std::int64_t* all, int count) {
  steps_.clear();
  next_ = 0;
  return MPI_Iallreduce(mine, all, count, MPI_INT64_T, MPI_SUM, comm, &request_);
}

int ExactSum::start(MPI_Comm comm, int tag, const std::int64_t* mine, std::int64_t* all, int count) {
  comm_ = comm;
  tag_ = tag;
  count_ = count;
  all_ = all;
  std::copy_n(mine, count, all);
  theirs_.resize(static_cast<std::size_t>(count));
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  list_steps(rank, size);
  next_ = 0;
  return begin_step();
}

// Up a binomial tree to rank 0, and down again.
void ExactSum::list_steps(int rank, int size) {
  steps_.clear();
  int distance = 1;
  for (; distance < size && (rank & distance) == 0; distance *= 2)
    if (rank + distance < size) steps_.push_back({Verb::add, rank + distance});
  if (rank > 0) steps_.insert(steps_.end(), {{Verb::send, rank - distance}, {Verb::receive, rank - distance}});
  for (distance /= 2; distance > 0; distance /= 2)
    if (rank + distance < size) steps_.push_back({Verb::send, rank + distance});
}

int ExactSum::begin_step() {
  if (next_ == steps_.size()) return MPI_SUCCESS;
  const auto [verb, peer] = steps_[next_];
  if (verb == Verb::send) return MPI_Isend(all_, count_, MPI_INT64_T, peer, tag_, comm_, &request_);
  std::int64_t* const to = verb == Verb::add ? theirs_.data() : all_;
  return MPI_Irecv(to, count_, MPI_INT64_T, peer, tag_, comm_, &request_);
}

int ExactSum::poll(bool& finished) {
  for (finished = false;;) {
    int done = 0;
    int code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || !done) return code;
    finished = next_ == steps_.size();
    if (finished) return code;
    if (steps_[next_].verb == Verb::add) std::transform(theirs_.begin(), theirs_.end(), all_, all_, std::plus<>());
    ++next_;
    code = begin_step();
    if (code != MPI_SUCCESS) return code;
  }
}

}  // namespace laconic
