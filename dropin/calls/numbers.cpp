// SPDX-License-Identifier: BSD-3-Clause
#include "calls/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/writable.hpp"

namespace laconic::dropin {
namespace {

Side with_counts_of_sum(const Call& call) {
  Side all = call.send;
  all.buffer = call.recv.buffer;
  return all;
}

}  // namespace

Side own_block(const Call& call, int rank) {
  Side mine = call.recv;
  mine.count = call.send.counts.given() ? call.send.counts[rank] : call.send.count;
  return mine;
}

void NumberSide::set(const Side& side, int parts, std::vector<int> sources) {
  used_ = true;
  side_ = side;
  parts_ = parts;
  sources_ = std::move(sources);
  layout_ = layout_of(side.type);
  set_counts();
}

void NumberSide::set_unchanged() {
  if (!used_) return;
  layout_ = {{Kind::none, side_.type, 1, 0}, 1, 0, true};
  set_counts();
}

void NumberSide::set_counts() {
  counts_.clear();
  displs_.clear();
  if (!side_.counts.given()) return;
  // Never without an address, which Open MPI does not take even for no parts.
  counts_.reserve(1);
  displs_.reserve(1);
  MPI_Aint next = 0;
  for (int part = 0; part < parts_; ++part) {
    counts_.push_back(items_of(part) * layout_.each);
    displs_.push_back(packs() ? next : place_of(part) * static_cast<MPI_Aint>(layout_.each));
    next += static_cast<MPI_Aint>(counts_.back());
  }
}

MPI_Count NumberSide::items_of(int part) const { return side_.counts.given() ? side_.counts[part] : side_.count; }

MPI_Aint NumberSide::place_of(int part) const {
  if (side_.displs.given()) return side_.displs[part];
  if (!side_.counts.given()) return static_cast<MPI_Aint>(part) * static_cast<MPI_Aint>(side_.count);
  MPI_Aint before = 0;
  for (int p = 0; p < part; ++p) before += static_cast<MPI_Aint>(side_.counts[p]);
  return before;
}

std::byte* NumberSide::at(int part) const {
  return static_cast<std::byte*>(side_.buffer) + place_of(part) * layout_.extent;
}

std::size_t NumberSide::bytes_of(int part) const {
  return static_cast<std::size_t>(items_of(part) * layout_.each * layout_.numbers.width);
}

bool NumberSide::is_written(int part) const {
  return sources_.empty() || sources_[static_cast<std::size_t>(part)] != MPI_PROC_NULL;
}

MPI_Count NumberSide::items() const {
  if (!side_.counts.given()) return side_.count * parts_;
  MPI_Count all = 0;
  for (int part = 0; part < parts_; ++part) all += side_.counts[part];
  return all;
}

bool NumberSide::make_room() {
  if (!packs()) return true;
  if (!can_pack(layout_)) return false;
  try {
    copy_.resize(static_cast<std::size_t>(bytes()) + 1);  // never without an address
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void* NumberSide::buffer() const { return packs() ? const_cast<std::byte*>(copy_.data()) : side_.buffer; }

int NumberSide::take(int part) {
  if (!packs()) return MPI_SUCCESS;
  std::size_t before = 0;
  for (int p = 0; p < part; ++p) before += bytes_of(p);
  return pack(at(part), items_of(part), side_.type, layout_, copy_.data() + before);
}

int NumberSide::take_all() {
  int code = MPI_SUCCESS;
  for (int part = 0; part < parts() && code == MPI_SUCCESS; ++part) code = take(part);
  return code;
}

std::span<const std::byte> NumberSide::extent() const {
  MPI_Aint lower = 0;
  MPI_Aint bytes = 0;
  if (items() == 0 || PMPI_Type_get_true_extent(side_.type, &lower, &bytes) != MPI_SUCCESS) return {};
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  for (int part = 0; part < parts(); ++part) {
    if (items_of(part) == 0) continue;
    const std::byte* const first = at(part) + lower;
    const std::byte* const last = at(part) + (items_of(part) - 1) * layout_.extent + lower + bytes;
    begin = begin == nullptr ? first : std::min(begin, first);
    end = std::max(end, last);
  }
  return {begin, end};
}

int NumberSide::put_all() {
  if (!packs()) return MPI_SUCCESS;
  const std::byte* from = copy_.data();
  int code = MPI_SUCCESS;
  for (int part = 0; part < parts() && code == MPI_SUCCESS; ++part) {
    if (is_written(part) && part != kept_part_) code = unpack(from, at(part), items_of(part), side_.type, layout_);
    from += bytes_of(part);
  }
  return code;
}

int NumberSide::save(std::vector<std::byte>& out) const {
  out.resize(static_cast<std::size_t>(bytes()));
  std::byte* to = out.data();
  int code = MPI_SUCCESS;
  for (int part = 0; part < parts() && code == MPI_SUCCESS; ++part) {
    if (packs())
      code = pack(at(part), items_of(part), side_.type, layout_, to);
    else if (bytes_of(part) > 0)
      std::memcpy(to, at(part), bytes_of(part));
    to += bytes_of(part);
  }
  return code;
}

int NumberSide::restore(const std::vector<std::byte>& in) const {
  std::vector<std::byte> now;
  if (const int code = save(now); code != MPI_SUCCESS) return code;
  std::size_t before = 0;
  int code = MPI_SUCCESS;
  for (int part = 0; part < parts() && code == MPI_SUCCESS; ++part) {
    const std::byte* const from = in.data() + before;
    const std::size_t bytes = bytes_of(part);
    if (bytes > 0 && std::memcmp(from, now.data() + before, bytes) != 0) {
      if (packs())
        code = unpack(from, at(part), items_of(part), side_.type, layout_);
      else
        std::memcpy(at(part), from, bytes);
    }
    before += bytes;
  }
  return code;
}

void NumberSides::set(const Call& call, const Communicator& communicator) {
  traits_ = call.traits();
  rank_ = communicator.rank();
  root_ = rank_ == call.root;
  const auto parts = [&](bool sending) {
    return traits_.side(sending).cut() ? communicator.num_parts(traits_, sending) : 1;
  };
  in_place = call.send.buffer == MPI_IN_PLACE || call.recv.buffer == MPI_IN_PLACE;
  const auto counts = [&](const SideTraits& side, const Side& of_call) {
    if (side.contents == Contents::exclusive_prefix && rank_ == 0 && !in_place) return false;
    return side.contents != Contents::nothing && (!side.root_only || root_) && of_call.buffer != MPI_IN_PLACE;
  };
  if (!traits_.one_buffer() && counts(traits_.send, call.send)) send.set(call.send, parts(true));
  if (traits_.one_buffer()) {
    recv.set(call.recv, 1);
  } else if (counts(traits_.recv, call.recv)) {
    // In place, the receive buffer holds the whole input, with the blocks of all ranks.
    if (traits_.keeps_block() && in_place)
      recv.set(with_counts_of_sum(call), communicator.size());
    else
      recv.set(traits_.keeps_block() ? own_block(call, rank_) : call.recv, parts(false),
               traits_.neighborhood() ? communicator.sources() : std::vector<int>{});
  }
}

std::uint64_t NumberSides::most_bytes() const {
  MPI_Count most = 0;
  for (const NumberSide* side : {&send, &recv})
    if (side->used() && side->layout().known()) most = std::max(most, side->bytes());
  return static_cast<std::uint64_t>(most);
}

void NumberSides::set_unchanged() {
  send.set_unchanged();
  recv.set_unchanged();
}

bool NumberSides::may_put() {
  const bool is_input = !traits_.reduces && (traits_.one_buffer() ? root_ : in_place && traits_.recv.cut());
  if (!is_input || !recv.used() || !recv.packs()) return true;
  if (!bound.lossless() && kind() != Kind::integer) return is_writable(recv.extent());
  recv.keep_part(traits_.one_buffer() ? 0 : rank_);
  return true;
}

int NumberSides::take() {
  if (send.used()) return send.take_all();
  if (traits_.send.root_only && !root_) return MPI_SUCCESS;
  return traits_.send.contents == Contents::block ? recv.take(rank_) : recv.take_all();
}

}  // namespace laconic::dropin
