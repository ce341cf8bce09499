// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/range_of_sum.hpp"

#include <cmath>

#include "comm/collectives/agreement.hpp"
#include "comm/core/errors.hpp"

namespace laconic {
namespace {

Status failed(int code) { return {Code::transport, "the sampling of the sum failed: " + message_of(code)}; }

}  // namespace

bool RangeOfSum::can_sample(const Range& inputs) {
  const double width = inputs.greatest - inputs.least;
  return width > 0 && std::isfinite(width);
}

Status RangeOfSum::start(MPI_Comm comm, int tag, const Range& inputs, std::span<const RangeJob::Part> numbers,
                         std::size_t bytes, Dtype dtype) {
  sums_ = SampledSum(inputs, Sample::size_for(bytes));
  status_ = {};
  width_ = 0;
  MPI_Comm_size(comm, &ranks_);
  numbers_.resize(numbers.empty() ? 0 : Sample::size_for(bytes));
  take_sample(numbers, dtype, numbers_);
  sums_.write_words(numbers_, mine_);
  all_.resize(mine_.size());
  const int count = static_cast<int>(mine_.size());
  const int code = tag == Agreement::no_tag ? reduction_.start(comm, mine_.data(), all_.data(), count)
                                            : reduction_.start(comm, tag, mine_.data(), all_.data(), count);
  return code == MPI_SUCCESS ? Status{} : failed(code);
}

bool RangeOfSum::poll() {
  bool finished = false;
  const int code = reduction_.poll(finished);
  if (code != MPI_SUCCESS) return status_ = failed(code), true;
  if (finished) width_ = sums_.range_of(all_, ranks_);
  return finished;
}

}  // namespace laconic
