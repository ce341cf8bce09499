// Before a compressed operation the ranks agree: nobody has found an error in its arguments, all mean the same
// operation, how large it is, and what is the range of the data.  One reduction of a few numbers.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "codec/range.hpp"
#include "laconic/laconic.h"

namespace laconic {

// What one rank brings.  Where a rank does not see something the others count.
struct Proposal {
  Status status;                // what this rank found wrong
  std::uint64_t signature = 0;  // equal on ranks that mean the same operation
  Range range{};
  std::size_t largest = 0;                         // numbers of the largest block
  std::size_t bytes = 0;                           // of the data
  laconic_plain_reason plain = LACONIC_PLAIN_NOT;  // why this rank cannot compress
  bool on_device = false;                          // a device works on this rank's numbers
};

class Agreement {
 public:
  Status start(MPI_Comm comm, const Proposal& proposal);

  // True when all ranks have been heard.
  bool poll();

  // The verdict, the same on every rank (a rank that found an error itself gets its own message).
  const Status& verdict() const { return verdict_; }

  // The same on every rank: the range of all, the largest numbers, whether devices work on all of
  // them, and the reason of any rank that cannot compress.
  const Range& range() const { return range_; }
  std::size_t largest() const { return static_cast<std::size_t>(all_[largest_count]); }
  std::size_t bytes() const { return static_cast<std::size_t>(all_[most_bytes]); }
  bool all_on_devices() const { return all_[any_on_host] == 0; }
  laconic_plain_reason plain() const { return static_cast<laconic_plain_reason>(all_[plain_reason]); }

 private:
  enum Field {
    failure,
    signature_most,
    signature_least,
    range_most,
    range_least,
    largest_count,
    most_bytes,
    plain_reason,
    any_on_host,
    fields
  };

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
