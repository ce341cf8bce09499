// SPDX-License-Identifier: BSD-3-Clause
// Before a compressed operation the ranks agree: nobody has found an error in its arguments, all mean the same
// operation, how large it is, and what is the range of the data.  One reduction of a few numbers.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.hpp"
#include "base/status.hpp"
#include "codec/range.hpp"
#include "comm/core/maximum.hpp"
#include "laconic/laconic.h"

namespace laconic {

// What has to be the same on all ranks, by its name in messages.
enum class Argument : std::uint8_t {
  function,
  root,
  count,
  datatype,
  op,
  bound,
  target,
  codec,
  algorithm,
  variant,
  denormals,
  checksum,
  chunk_elements,
  depth,
  arguments  // how many there are
};
inline constexpr std::size_t all_arguments = static_cast<std::size_t>(Argument::arguments);

// What one rank brings.  Where a rank does not see something the others count.
struct Proposal {
  Status status;  // what this rank found wrong
  Range range{};
  std::size_t largest = 0;                         // numbers of the largest block
  std::size_t bytes = 0;                           // of the data
  laconic_plain_reason plain = LACONIC_PLAIN_NOT;  // why this rank cannot compress
  std::uint64_t salt = 0;                          // any number that no rank has proposed before
  bool on_device = false;                          // a device works on this rank's numbers
  bool types_may_differ = false;                   // the same on all ranks

  // Of an argument that counts on this rank.
  void set(Argument argument, std::uint64_t value) {
    std::uint64_t& mine = values[static_cast<std::size_t>(argument)];
    mine = ((mine ^ value) + 1) * 0x9e3779b97f4a7c15ULL;
    mine ^= mine >> 29;
  }
  void set_dtype(Dtype dtype) { values[static_cast<std::size_t>(Argument::datatype)] = code_of(dtype); }
  static constexpr std::uint64_t code_of(Dtype dtype) {
    return (std::uint64_t{static_cast<std::uint8_t>(dtype)} + 1) << 31;
  }

  std::array<std::uint64_t, all_arguments> values{};  // hashes; 0: it does not count
};

class Agreement {
 public:
  // tag: the first of those that only this operation has (Maximum), or no_tag where agreements of the communicator are
  // started in the same order on all ranks.
  Status start(MPI_Comm comm, const Proposal& proposal, int tag = no_tag);
  static constexpr int no_tag = -1;

  // True when all ranks have been heard.
  bool poll();

  // The verdict, the same on every rank (a rank that found an error itself gets its own message).
  const Status& verdict() const { return verdict_; }

  // The same on every rank: the range of all, the largest numbers, whether devices work on all of
  // them, the reason of any rank that cannot compress, and what the numbers are, where there are any.
  const Range& range() const { return range_; }
  std::size_t largest() const { return static_cast<std::size_t>(all_[largest_count]); }
  std::size_t bytes() const { return static_cast<std::size_t>(all_[most_bytes]); }
  bool all_on_devices() const { return all_[any_on_host] == 0; }
  bool types_differ() const { return differ(Argument::datatype); }
  std::optional<Dtype> dtype() const;
  // A number that no other operation has, of this communicator or another.
  std::uint64_t salt() const { return static_cast<std::uint64_t>(all_[salt_most]); }
  laconic_plain_reason plain() const { return static_cast<laconic_plain_reason>(all_[plain_reason]); }

 private:
  enum Field {
    failure,
    range_most,
    range_least,
    largest_count,
    most_bytes,
    plain_reason,
    any_on_host,
    salt_most,
    first_argument,  // two for each
    fields = first_argument + 2 * static_cast<int>(all_arguments)
  };

  static std::size_t most_of(Argument a) { return first_argument + 2 * static_cast<std::size_t>(a); }
  static std::size_t least_of(Argument a) { return most_of(a) + 1; }
  bool differ(Argument argument) const;
  std::string disagreement() const;
  void conclude();

  Status local_;
  bool types_may_differ_ = false;
  Status verdict_;
  Range range_{0, 0};
  int rank_ = 0;
  bool waiting_ = false;
  Maximum maximum_;
  std::array<double, fields> mine_{};
  std::array<double, fields> all_{};
};

}  // namespace laconic
