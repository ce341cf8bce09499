// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/flat_call.hpp"

#include <cstdint>
#include <new>

#include "base/dtype.hpp"

namespace laconic {

void FlatSide::set(const Side& side, const Layout& layout, int parts, const std::vector<Neighbor>* sources) {
  sources_ = sources;
  side_ = side;
  layout_ = layout;
  parts_ = parts;
  packs_ = !layout.in_a_row;
  counts_.clear();
  displs_.clear();
  if (side.counts == nullptr) return;
  counts_.reserve(1);  // never without an address
  displs_.reserve(1);
  MPI_Aint next = 0;
  for (int p = 0; p < parts; ++p) {
    counts_.push_back(side.counts[p] * layout.each);
    const bool moved = packs_ || side.displs == nullptr;
    displs_.push_back(moved ? next : side.displs[p] * static_cast<MPI_Aint>(layout.each));
    next += static_cast<MPI_Aint>(counts_.back());
  }
}

Side FlatSide::numbers() const {
  Side flat = side_;
  flat.type = layout_.number;
  flat.count = side_.count * layout_.each;
  if (side_.counts != nullptr) {
    flat.counts = counts_.data();
    flat.displs = displs_.data();
  }
  if (packs_) flat.buffer = const_cast<std::byte*>(copy_.data());
  return flat;
}

Status FlatSide::make_room() {
  if (!packs_) return {};
  MPI_Count items_of_all = 0;
  for (int p = 0; p < parts_; ++p) items_of_all += items(p);
  try {
    copy_.resize(static_cast<std::size_t>(items_of_all * layout_.each) * size_of(layout_.dtype));
  } catch (const std::bad_alloc&) {
    return {Code::memory, "no memory for the numbers of a buffer with gaps"};
  }
  return {};
}

// Computed with integers, because MPI_BOTTOM is not a pointer into any object.
Typed FlatSide::composed(int part) const {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(side_.type, &lower_bound, &extent);
  MPI_Aint at = static_cast<MPI_Aint>(part) * static_cast<MPI_Aint>(side_.count);
  if (side_.displs != nullptr) at = side_.displs[part];
  const auto address = reinterpret_cast<std::uintptr_t>(side_.buffer) + static_cast<std::uintptr_t>(at * extent);
  return {reinterpret_cast<void*>(address), items(part), side_.type};
}

Typed FlatSide::packed(int part) {
  MPI_Aint at = static_cast<MPI_Aint>(part) * static_cast<MPI_Aint>(side_.count * layout_.each);
  if (side_.counts != nullptr) at = displs_[static_cast<std::size_t>(part)];
  return {copy_.data() + static_cast<std::size_t>(at) * size_of(layout_.dtype), items(part) * layout_.each,
          layout_.number};
}

Status FlatSide::pack(int part, int rank, MPI_Comm comm) {
  if (!packs_ || items(part) == 0) return {};
  return move_by_message(composed(part), packed(part), rank, comm);
}

Status FlatSide::unpack(int part, int rank, MPI_Comm comm) {
  const bool is_written = sources_ == nullptr || (*sources_)[static_cast<std::size_t>(part)].exists();
  if (!packs_ || items(part) == 0 || !is_written) return {};
  return move_by_message(packed(part), composed(part), rank, comm);
}

void FlatCall::flatten(Side& side, FlatSide& flat, int parts, const std::vector<Neighbor>* sources) {
  flat.clear();
  if (find_dtype(side.type)) return;
  const std::optional<Layout> layout = layout_of(side.type);
  if (!layout.has_value()) return;  // the side has no elements
  flat.set(side, *layout, parts, sources);
  side = flat.numbers();
}

void FlatCall::set(CollectiveCall& call, const Shape& shape, int rank, const Neighborhood* topology) {
  clear();
  rank_ = rank;
  one_buffer_ = call.traits().one_buffer();
  moves_ = !call.traits().reduces;
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const bool cut = call.traits().all_to_all();
  input_ = in_place ? (cut ? Input::all : Input::part) : Input::none;
  if (one_buffer_) input_ = rank == call.root ? Input::all : Input::none;
  if (!one_buffer_ && shape.uses(true)) flatten(call.send, send_, shape.num_parts(true));
  if (shape.uses(false))
    flatten(call.recv, recv_, shape.num_parts(false),
            call.traits().neighborhood() && topology != nullptr ? &topology->sources : nullptr);
  if (one_buffer_) call.send = call.recv;
}

void FlatCall::clear() {
  send_.clear();
  recv_.clear();
}

Status FlatCall::make_room(CollectiveCall& call) {
  if (send_.packs()) {
    if (Status s = send_.make_room(); !s) return s;
    call.send = send_.numbers();
  }
  if (recv_.packs()) {
    if (Status s = recv_.make_room(); !s) return s;
    call.recv = recv_.numbers();
    if (one_buffer_) call.send = call.recv;
  }
  return {};
}

Status FlatCall::pack(MPI_Comm comm) {
  for (int p = 0; send_.packs() && p < send_.parts(); ++p)
    if (Status s = send_.pack(p, rank_, comm); !s) return s;
  if (input_ == Input::part) return recv_.pack(rank_, rank_, comm);
  for (int p = 0; input_ == Input::all && p < recv_.parts(); ++p)
    if (Status s = recv_.pack(p, rank_, comm); !s) return s;
  return {};
}

Status FlatCall::unpack(MPI_Comm comm, bool rounds_input) {
  const auto is_input = [&](int p) { return moves_ && input_ != Input::none && (one_buffer_ || p == rank_); };
  for (int p = 0; recv_.packs() && p < recv_.parts(); ++p)
    if (rounds_input || !is_input(p))
      if (Status s = recv_.unpack(p, rank_, comm); !s) return s;
  return {};
}

}  // namespace laconic
