// Before a compressed operation the ranks agree: nobody has found an error in its arguments, all mean the same
// operation, and what is the range of the data.  One reduction of a few numbers.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "base/status.hpp"
#include "codec/range.hpp"

namespace laconic {

class Agreement {
 public:
  // local: what this rank found; signature: equal on ranks that mean the same operation.
  Status start(MPI_Comm comm, const Status& local, std::uint64_t signature, const Range& range);

  // True when all ranks have been heard.
  bool poll();

  // The verdict, the same on every rank (a rank that found an error itself gets its own message).
  const Status& verdict() const { return verdict_; }
  const Range& range() const { return range_; }

 private:
  enum Field { failure, signature_most, signature_least, range_most, range_least, fields };

  void conclude();

  Status local_;
  Status verdict_;
  Range range_{0, 0};
  int rank_ = 0;
  bool waiting_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::array<double, fields> mine_{};
  std::array<double, fields> all_{};
};

}  // namespace laconic
