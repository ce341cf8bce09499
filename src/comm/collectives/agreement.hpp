// SPDX-License-Identifier: BSD-3-Clause
// The agreement of the ranks before a compressed operation: no rank has found an error in its arguments, all mean the
// same operation, how large the operation is, and the range of the data.  It takes one reduction of a few numbers.
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
#include "tune/tuner.hpp"

namespace laconic {

// The arguments that have to be the same on all ranks, in the order of their names in error messages.
enum class Argument : std::uint8_t {
  function,
  root,
  count,
  datatype,
  op,
  bound,
  target,
  codec,
  effort,
  algorithm,
  variant,
  denormals,
  checksum,
  tune,
  chunk_elements,
  depth,
  plain,
  arguments  // the number of arguments
};
inline constexpr std::size_t all_arguments = static_cast<std::size_t>(Argument::arguments);

// The contribution of one rank.  Where a rank does not see a value, the other ranks' values count.
struct Proposal {
  Status status;  // the error that this rank found
  Range range{};
  std::size_t largest = 0;                         // numbers of the largest block
  std::size_t bytes = 0;                           // size of the data
  laconic_plain_reason plain = LACONIC_PLAIN_NOT;  // why this rank cannot compress
  std::uint64_t salt = 0;                          // any number that no rank has proposed before
  std::uint64_t device = 0;       // key_of() the model of the device that works on this rank's numbers; 0: host
  double fingerprint = 0;         // of the numbers; 0: the rank does not know them
  Measured measured;              // what this rank has learnt about calls of this class
  bool types_may_differ = false;  // each pair of ranks may have its own type; the same on all ranks

  // Adds a value to the hash of an argument that counts on this rank.
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
  // tag: the first of the tags that only this operation uses (Maximum), or no_tag where all ranks start the agreements
  // of the communicator in the same order.
  Status start(MPI_Comm comm, const Proposal& proposal, int tag = no_tag);
  static constexpr int no_tag = -1;

  // True when the values of all ranks have arrived.
  bool poll();

  // The verdict, the same on every rank (a rank that found an error itself gets its own message).
  const Status& verdict() const { return verdict_; }

  // These are the same on every rank: the range of all numbers, the largest counts, whether devices work on the numbers
  // of all ranks or of any, and the key of their model if it is the same everywhere (else 0), the reason of any rank
  // that cannot compress, and the type of the numbers, where there are any.
  const Range& range() const { return range_; }
  std::size_t largest() const { return static_cast<std::size_t>(all_[largest_count]); }
  std::size_t bytes() const { return static_cast<std::size_t>(all_[most_bytes]); }
  bool all_on_devices() const { return all_[device_least] != 0; }
  bool any_on_devices() const { return all_[device_most] != 0; }
  std::uint64_t device() const {
    return all_[device_most] == -all_[device_least] ? static_cast<std::uint64_t>(all_[device_most]) : 0;
  }
  // Whether ranks write other bytes than this one reads: then nothing else that they said has a meaning.
  bool versions_differ() const;
  // Whether the fingerprints of all ranks' numbers are equal.
  bool fingerprints_equal() const { return all_[fingerprint_most] == -all_[fingerprint_least]; }
  bool types_differ() const { return differ(Argument::datatype); }
  std::optional<Dtype> dtype() const;
  // The greatest measurements of all ranks.
  Measured measured() const;
  // A number that no other operation has, on this communicator or another.
  std::uint64_t salt() const { return static_cast<std::uint64_t>(all_[salt_most]); }
  laconic_plain_reason plain() const { return static_cast<laconic_plain_reason>(all_[plain_reason]); }

 private:
  // The first two fields and the number of all fields are the same in every version (docs/wire-format.md), so that
  // ranks of different versions find out that they are.
  enum Field {
    version_most,
    version_least,
    failure,
    range_most,
    range_least,
    largest_count,
    most_bytes,
    plain_reason,
    device_most,
    device_least,
    fingerprint_most,
    fingerprint_least,
    salt_most,
    first_measured,
    first_argument = first_measured + static_cast<int>(Measured::fields),  // two fields for each argument
    used_fields = first_argument + 2 * static_cast<int>(all_arguments),
    fields = 64
  };
  static_assert(used_fields <= fields);

  static std::size_t most_of(Argument a) { return first_argument + 2 * static_cast<std::size_t>(a); }
  static std::size_t least_of(Argument a) { return most_of(a) + 1; }
  bool differ(Argument argument) const;
  std::string disagreement() const;
  std::string versions() const;
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
