// SPDX-License-Identifier: BSD-3-Clause
// The two sides of a call as contiguous numbers, which Laconic requires: the program's own memory if it is contiguous,
// otherwise a packed copy of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calls/call.hpp"
#include "core/communicator.hpp"
#include "core/datatypes.hpp"

namespace laconic::dropin {

class NumberSide {
 public:
  // Marks the side as used on this rank. sources: of the parts, where they come from neighbors; those of neighbors that
  // do not exist are never written.
  void set(const Side& side, int parts, std::vector<int> sources = {});

  // Passes the program's arguments to Laconic as they are, whatever the datatype holds.
  void set_unchanged();

  bool used() const { return used_; }
  const Layout& layout() const { return layout_; }
  MPI_Count items() const;  // in all parts together
  MPI_Count bytes() const { return items() * layout_.each * layout_.numbers.width; }

  // Allocates the copy if one is needed; false if that fails.
  bool make_room();
  bool packs() const { return !layout_.in_a_row; }

  // The program's datatype. It can be replaced by a duplicate, because the program may free its own.
  MPI_Datatype program_type() const { return side_.type; }
  void set_program_type(MPI_Datatype type) { side_.type = type; }

  // The memory of the program from its first to its last byte.
  std::span<const std::byte> extent() const;

  // Pack one part or all parts from the program's memory into the copy, and unpack those that MPI writes. Without a
  // copy they do nothing.
  int take(int part);
  int take_all();
  int put_all();

  // The part that holds what this rank sends: put_all() leaves it as it is.
  void keep_part(int part) { kept_part_ = part; }

  // Save the numbers in the program's memory, one part after another, packed or not, and write those back that differ.
  int save(std::vector<std::byte>& out) const;
  int restore(const std::vector<std::byte>& in) const;

  // The arguments for Laconic's functions.
  void* buffer() const;
  MPI_Count count() const { return count_of_part() * layout_.each; }
  const MPI_Count* counts() const { return counts_.data(); }
  const MPI_Aint* displs() const { return displs_.data(); }
  MPI_Datatype type() const { return layout_.numbers.type; }

 private:
  MPI_Count count_of_part() const { return side_.count; }
  int parts() const { return parts_; }
  MPI_Count items_of(int part) const;
  MPI_Aint place_of(int part) const;  // in items
  std::byte* at(int part) const;
  std::size_t bytes_of(int part) const;
  bool is_written(int part) const;

  void set_counts();

  Side side_;
  Layout layout_;
  int parts_ = 1;
  std::vector<int> sources_;
  int kept_part_ = -1;
  bool used_ = false;
  std::vector<MPI_Count> counts_;  // in numbers
  std::vector<MPI_Aint> displs_;
  std::vector<std::byte> copy_;
};

// The receive side of this rank in a reduction that leaves one block on each rank.
Side own_block(const Call& call, int rank);

// Both sides of a call, and the bound of their numbers. A side whose arguments are not significant on this rank is
// unused.
struct NumberSides {
  NumberSide send;
  NumberSide recv;
  bool in_place = false;
  CallBound bound;

  // Numbers that this rank sends lie in the memory that receives, in a copy: they are to be rounded there, if the bound
  // is not lossless. Sets up what put_all() leaves as it is; false if memory must not be written that is to be rounded.
  bool may_put();

  void set(const Call& call, const Communicator& communicator);
  void set_unchanged();

  // The side that determines the number type of the call.
  const NumberSide& one() const { return send.used() ? send : recv; }
  // The bytes of the larger side on this rank.
  std::uint64_t most_bytes() const;
  Kind kind() const { return one().layout().numbers.kind; }

  // Copies this rank's contribution to where Laconic reads it.
  int take();

 private:
  CollectiveTraits traits_ = traits_of(Operation::allreduce);
  int rank_ = 0;
  bool root_ = false;
};

}  // namespace laconic::dropin
