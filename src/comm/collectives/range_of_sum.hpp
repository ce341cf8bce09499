// SPDX-License-Identifier: BSD-3-Clause
// The range of a sum over all ranks, as far as a sample shows it: relative bounds on sums refer to it where it is
// larger than that of the contributions (docs/error-model.md).  One reduction of 4 or 16 KiB.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "comm/core/exact_sum.hpp"
#include "engine/sampled_sum.hpp"

namespace laconic {

class RangeOfSum {
 public:
  // Whether sums of numbers of this range can be sampled.
  static bool can_sample(const Range& inputs);

  // numbers: the contribution of this rank, on the host; empty where it is in no result that holds those of all others.
  // bytes: the size of a contribution, the same on all ranks.
  // tag: only this operation uses it, or Agreement::no_tag where all ranks start the reductions of the communicator in
  // the same order.  The object stays where it is until the reduction has ended.
  Status start(MPI_Comm comm, int tag, const Range& inputs, std::span<const RangeJob::Part> numbers, std::size_t bytes,
               Dtype dtype);

  // True when the sums of all ranks have arrived, or the reduction has failed.
  bool poll();
  const Status& status() const { return status_; }

  // The width of the range, the same on every rank; 0 where nothing is known about it.
  double width() const { return width_; }
  void forget() { width_ = 0; }

 private:
  SampledSum sums_{Range{0, 1}, Sample::small};
  std::vector<double> numbers_;
  int ranks_ = 1;
  ExactSum reduction_;
  SampledSum::Words mine_;
  SampledSum::Words all_;
  Status status_;
  double width_ = 0;
};

}  // namespace laconic
