// SPDX-License-Identifier: BSD-3-Clause
// The two sides of a call as numbers in a row, which is what Laconic takes: the program's own memory where it is so
// laid out, and a copy of it where it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/call.hpp"
#include "core/datatypes.hpp"

namespace laconic::dropin {

class NumberSide {
 public:
  // Whose parts the side consists of, and whether it counts on this rank.
  void set(const Side& side, int ranks, bool cut);

  bool used() const { return used_; }
  const Layout& layout() const { return layout_; }
  MPI_Count items() const;  // of all parts
  MPI_Count bytes() const { return items() * layout_.each * layout_.numbers.width; }

  // Memory for a copy, where one is needed; false when there is none.
  bool make_room();
  bool packs() const { return !layout_.in_a_row; }

  // From now on by this type in place of the program's own, which may be freed.
  MPI_Datatype program_type() const { return side_.type; }
  void set_program_type(MPI_Datatype type) { side_.type = type; }

  // From the program's memory to the copy, and back: all parts, or one. Where no copy is needed they do nothing.
  int take(int part);
  int take_all();
  int put_all();

  // All numbers, one part after another, whether or not there is a copy of them.
  int save(std::vector<std::byte>& out) const;
  int restore(const std::vector<std::byte>& in) const;

  // As Laconic's functions want it.
  void* buffer() const;
  MPI_Count count() const { return count_of_part() * layout_.each; }
  const MPI_Count* counts() const { return counts_.data(); }
  const MPI_Aint* displs() const { return displs_.data(); }
  MPI_Datatype type() const { return layout_.numbers.type; }

 private:
  MPI_Count count_of_part() const { return side_.count; }
  int parts() const { return ranks_; }
  MPI_Count items_of(int part) const;
  MPI_Aint place_of(int part) const;  // in items
  std::byte* at(int part) const;
  std::size_t bytes_of(int part) const;

  Side side_;
  Layout layout_;
  int ranks_ = 1;  // parts
  bool used_ = false;
  std::vector<MPI_Count> counts_;  // in numbers
  std::vector<MPI_Aint> displs_;
  std::vector<std::byte> copy_;
};

// What this rank receives of a reduction that leaves each rank a block.
Side own_block(const Call& call, int rank);

// Both sides, as far as they count on this rank.
struct NumberSides {
  NumberSide send;
  NumberSide recv;
  bool in_place = false;

  void set(const Call& call, int rank, int ranks);

  // The side that says what the call is about.
  const NumberSide& one() const { return send.used() ? send : recv; }
  // On this rank.
  std::uint64_t most_bytes() const;
  Kind kind() const { return one().layout().numbers.kind; }

  // What this rank contributes is taken to where Laconic reads it.
  int take();

 private:
  CollectiveTraits traits_ = traits_of(Operation::allreduce);
  int rank_ = 0;
  bool root_ = false;
};

}  // namespace laconic::dropin
