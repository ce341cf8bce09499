// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a collective call on one rank: which arguments count, whether they are valid, and where its blocks
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

// MPI's handles in Laconic's terms; unknown types and operations are left to MPI.
struct Signature {
  bool type_known = false;  // one type of numbers that codecs know
  bool composed = false;    // has types that the application composed; type_known is false until they are looked into
  bool no_numbers = false;  // this rank has none, so its types say nothing
  bool in_a_row = true;     // numbers lie one after another, as far as their types have been looked into
  bool integer = false;
  bool op_known = true;
  bool type_hidden = false;  // unknown because of a mistake in the arguments
  bool op_hidden = false;
  Dtype dtype = Dtype::f32;
  Op op = Op::sum;
  bool mean = false;
  std::size_t width = 0;      // bytes of an element, of a known type or not
  std::ptrdiff_t stride = 0;  // bytes from one element to the next
};

class Shape {
 public:
  Shape() = default;
  // neighborhood: nullptr where the communicator has no topology.
  Shape(const CollectiveCall& call, int rank, int size, const Neighborhood* neighborhood);

  // The call has been copied to another place.
  void bind(const CollectiveCall& call) { call_ = &call; }

  const Signature& signature() const { return signature_; }

  // Looks into types that the application has composed.  Their contents are the same on all ranks.
  void look_into_types() { find_types(true); }

  // Sets the type of the numbers that other ranks have, where this rank has none.
  void set_dtype(Dtype dtype);

  // The error of the first invalid argument, with its name and the valid values.
  Status check() const;

  // Checks only that a mean is one of floating-point numbers.
  Status check_mean() const;

  // Checks that the counts of the data that a rank sends to itself are equal, where both sides have one type.
  Status check_own_block() const;

  // Checks that send and receive buffer do not overlap, as far as this is certain.  The caller knows that their extents
  // meet.
  Status check_apart() const;

  // True when a count is invalid, so that nothing that follows from counts is known.
  bool count_hidden() const { return count_hidden_; }

  // Whether this rank may see fewer counts than others: then the ranks have to agree on the treatment of the call.
  bool counts_partial() const { return traits_.counts_partial(); }

  // Whether the arguments of a side matter on this rank, and the number of parts that it has: one for each rank or
  // neighbor, or just one.
  bool uses(bool sending) const;
  int num_parts(bool sending) const;

  // The numbers in the largest of `cut` blocks, and the elements and bytes of the largest buffer, as far as this rank
  // sees them.
  std::size_t largest(std::int32_t cut) const;
  std::size_t total() const { return whole(false); }
  std::size_t bytes() const { return whole(true); }

  // Elements that the application counts as this rank's contribution.
  std::size_t contribution() const;

  // The range of the finite numbers that this rank contributes, which are on the host; and the places of all of
  // them.
  Range range() const;
  void numbers(std::vector<RangeJob::Part>& out) const;

  // All memory that MPI may touch in the buffer of a side; empty where this rank has none.
  std::span<std::byte> extent_of_side(bool sending) const;

  // True when blocks may be read after others have been written to the same memory: then the input has to be copied
  // aside first.  extent() is the memory to copy, from first to last byte.
  bool overlaps() const;
  std::span<const std::byte> extent() const;

  // The memory of each block of a plan.  aside: the copy that stands in for extent(), or nullptr.
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
  bool is_cut(bool sending) const { return traits_.side(sending).cut(); }
  bool cut_and_used(bool sending) const { return is_cut(sending) && uses(sending); }
  std::size_t whole(bool in_bytes) const;
  bool in_place() const { return call_->send.buffer == MPI_IN_PLACE; }
  const Side& input_side() const;  // where this rank's numbers are
  std::size_t parts_of_input() const;
  Part part_of_input(std::size_t k) const;
  Part part_of_output(int source) const;
  Part part_to(const Neighbor& source) const;
  Part part(const Side& side, int peer) const;
  Part equal_part(std::int32_t block, std::int32_t cut) const;
  std::size_t sum(bool sending) const;
  std::size_t room_of_sum() const;  // numbers of the receive buffer of a reduce_scatter
  std::size_t most(bool sending) const;
  Region region(std::int32_t block, std::int32_t cut, const std::byte* input) const;
  Region region_of_neighbor(std::int32_t block, const std::byte* input) const;
  Region make_region(const Part* input, const Part* output, const std::byte* from) const;
  Status check_counts(const Side& side, bool sending) const;
  Status check_buffer(const Side& side, bool sending) const;
  bool may_pass_in_place(bool sending) const;
  Status check_same_count(std::size_t sent, std::size_t expected) const;
  Status check_reach(const Side& side, bool sending) const;
  int pieces(bool sending) const;
  Reach place_of(bool sending, int p, std::ptrdiff_t unit) const;
  const Neighborhood& neighborhood() const;
  bool parts_meet(std::ptrdiff_t send_unit, std::ptrdiff_t recv_unit) const;

  const CollectiveCall* call_ = nullptr;
  CollectiveTraits traits_ = traits_of(Routine::allreduce);
  int rank_ = 0;
  int size_ = 1;
  const Neighborhood* neighborhood_ = nullptr;
  bool root_ = false;
  bool count_hidden_ = false;
  Signature signature_;
};

}  // namespace laconic
