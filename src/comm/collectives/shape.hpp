// SPDX-License-Identifier: BSD-3-Clause
// What a call of a collective means on one rank: which arguments count, whether they are right, and where its blocks
// are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "base/op.hpp"
#include "base/status.hpp"
#include "codec/range.hpp"
#include "comm/collectives/call.hpp"
#include "engine/plan.hpp"
#include "engine/range_job.hpp"
#include "engine/run.hpp"

namespace laconic {

// MPI's handles in our words; what is not known here is left to MPI.
struct Meaning {
  bool type_known = false;  // one type of numbers that codecs know
  bool composed = false;    // not as long as nobody has looked into the application's types
  bool no_numbers = false;  // this rank has none, so its types say nothing
  bool in_a_row = true;     // numbers lie one after another, as far as anybody has looked into their types
  bool integer = false;
  bool op_known = true;
  bool type_hidden = false;  // by a mistake in the arguments
  bool op_hidden = false;
  Dtype dtype = Dtype::f32;
  Op op = Op::sum;
  bool mean = false;
  std::size_t width = 0;      // bytes of an element, known to us or not
  std::ptrdiff_t stride = 0;  // from one to the next
};

class Shape {
 public:
  Shape() = default;
  Shape(const CollectiveCall& call, int rank, int size);

  const Meaning& meaning() const { return meaning_; }

  // Looks into types that the application has composed.  What they hold is the same on all ranks.
  void look_into_types() { find_types(true); }

  // Of the numbers that other ranks have, where this one has none.
  void set_dtype(Dtype dtype);

  // The first argument that is wrong, by name, and what it may be.
  Status check() const;

  // Only that a mean is one of numbers that have one.
  Status check_mean() const;

  // That the counts of what a rank sends to itself are equal, where both are of one type.
  Status check_own_block() const;

  // That nothing is sent from where something is received; as far as this is certain.  The extents of both sides meet.
  Status check_apart() const;

  // True when a count is wrong, so that what follows from counts is not known.
  bool count_hidden() const { return count_hidden_; }

  // Whether this rank may see fewer counts than others: then what to do with the call has to be agreed on.
  bool counts_partial() const { return traits_.counts_partial(); }

  // Whether the arguments of a side matter on this rank, and whether they are one part for each rank.
  bool uses(bool sending) const;
  bool is_cut(bool sending) const { return traits_.side(sending).cut(); }

  // As far as this rank sees them: the numbers of the largest of `cut` blocks, and the elements and bytes of the
  // largest buffer.
  std::size_t largest(std::int32_t cut) const;
  std::size_t total() const { return whole(false); }
  std::size_t bytes() const { return whole(true); }

  // Elements that the application counts as this rank's contribution.
  std::size_t contribution() const;

  // Of the finite numbers that this rank contributes, which are on the host; and where they are.
  Range range() const;
  void numbers(std::vector<RangeJob::Part>& out) const;

  // All that MPI may touch of the buffer of a side; empty where this rank has none.
  std::span<std::byte> extent_of_side(bool sending) const;

  // True when blocks may be read after others have been written to the same memory: then the input has to be copied
  // aside first.  `extent` is what, from first to last byte.
  bool overlaps() const;
  std::span<const std::byte> extent() const;

  // Where each block of a plan is.  aside: what stands in for extent(), or nullptr.
  void regions(const Plan& plan, const std::byte* aside, std::span<Region> out) const;

 private:
  struct Part {
    std::size_t at = 0;  // elements from the beginning of the buffer
    std::size_t count = 0;
  };

  struct Reach {
    std::intptr_t begin = 0;
    std::intptr_t end = 0;
    bool empty() const { return begin == end; }
  };

  bool sends() const { return uses(true); }
  bool receives() const { return uses(false); }
  void find_types(bool look_inside);
  void set_width(MPI_Datatype type);
  const Side& side(bool sending) const { return sending ? call_->send : call_->recv; }
  std::size_t items(bool sending) const;
  bool cut_and_used(bool sending) const { return is_cut(sending) && uses(sending); }
  std::size_t whole(bool in_bytes) const;
  bool in_place() const { return call_->send.buffer == MPI_IN_PLACE; }
  const Side& input_side() const;  // where this rank's numbers are
  std::size_t parts_of_input() const;
  Part part_of_input(std::size_t k) const;
  Part part_of_output(int source) const;
  Part part(const Side& side, int peer) const;
  Part equal_part(std::int32_t block, std::int32_t cut) const;
  std::size_t sum(const Side& side) const;
  std::size_t room_of_sum() const;  // numbers of the receive buffer of a reduce_scatter
  std::size_t most(const Side& side) const;
  Region region(std::int32_t block, std::int32_t cut, const std::byte* input) const;
  Status check_counts(const Side& side, bool sending) const;
  Status check_buffer(const Side& side, bool sending) const;
  Status check_reach(const Side& side, bool sending) const;
  int pieces(bool sending) const;
  Reach place_of(bool sending, int p, std::ptrdiff_t unit) const;
  bool parts_meet(std::ptrdiff_t send_unit, std::ptrdiff_t recv_unit) const;

  const CollectiveCall* call_ = nullptr;
  CollectiveTraits traits_ = traits_of(Routine::allreduce);
  int rank_ = 0;
  int size_ = 1;
  bool root_ = false;
  bool count_hidden_ = false;
  Meaning meaning_;
};

}  // namespace laconic
