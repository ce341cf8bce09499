// SPDX-License-Identifier: BSD-3-Clause
// One call with its buffers: guarded, filled with the ranks' contributions, and checked when it is over.
#pragma once

#include <array>
#include <optional>

#include "invoke.hpp"
#include "oracle.hpp"
#include "world.hpp"

namespace attack {

// Memory with a pattern before, behind and, where no numbers are put, inside.
class GuardedBytes {
 public:
  // room: guarded memory behind.  A second time, for the same sizes, the address stays.
  void reset(std::size_t bytes, std::size_t room, std::uint64_t seed);
  void put(std::size_t at, const unsigned char* from, std::size_t bytes);
  void keep() { before_ = memory_; }

  unsigned char* data() { return memory_.data() + front_; }
  const unsigned char* data() const { return memory_.data() + front_; }
  unsigned char* behind() { return memory_.data() + memory_.size() - 1; }

  // Whether all memory is unchanged, except for these ranges (begin, bytes).
  bool unchanged(const std::vector<std::pair<std::size_t, std::size_t>>& but_for) const;

 private:
  Bytes memory_;
  Bytes before_;
  std::size_t front_ = 0;
};

class Operation {
 public:
  // room: bytes behind the buffers, for calls whose arguments claim more than is right.
  Operation(World& world, const Group& group, const Call& call, std::size_t room = 0);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  const Call& call() const { return call_; }
  const Group& group() const { return group_; }
  const laconic_stats& stats() const { return stats_; }
  laconic_options& options() { return options_; }

  void fill(int round);                 // restores numbers and buffers to their state before a call
  Arguments arguments();                // the right arguments
  int begin(laconic_request* request);  // in the mode of the call
  int begin(const Arguments& arguments, laconic_request* request);

  void check();            // after success
  void check_unchanged();  // after an error
  // After check(), for a result that all ranks hold with the same bits: a value to compare it by.
  std::optional<std::array<std::uint64_t, 2>> common() const;
  // Compares with another way to carry out the call on the same numbers: the reproducible results must have the same
  // bits.
  void check_same_results(const Operation& other);

 private:
  // For bundled calls: the types of both sides, and counts and displacements in elements of these types.
  struct Bundle {
    MPI_Count numbers = 1;  // numbers in an element
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::vector<MPI_Count> counts;
    std::vector<MPI_Aint> displs;
  };

  std::size_t width() const { return width_of(call_.type->number); }
  void check_memory(bool succeeded);
  void check_plain();
  void bundle(Bundle& b, Side side, Random& random);
  bool exact_results() const;  // the result is known to the bit
  bool spoil();                // a fault for the attack to find; false where this call cannot have it

  World& world_;
  const Group& group_;
  Call call_;
  Layout layout_;
  std::size_t room_;
  std::array<Bundle, 2> bundles_;
  laconic_options options_{};
  laconic_stats stats_{};
  std::vector<Bytes> inputs_;  // the inputs of every rank
  GuardedBytes send_;
  GuardedBytes recv_;
};

}  // namespace attack
