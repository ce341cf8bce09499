// SPDX-License-Identifier: BSD-3-Clause
// The checks of the arguments of a collective call, with their error messages.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "comm/collectives/shape.hpp"
#include "comm/core/datatypes.hpp"
#include "comm/core/large_count.hpp"

namespace laconic {
namespace {

// MPI's name of the argument that holds the count, type or buffer of a side.
std::string name_of(const CollectiveTraits& t, bool sending, const char* what) {
  if (t.cut_freely()) return what;
  if (t.reduces) return (std::string(what) == "count" ? "recv" : "") + std::string(what);
  return (sending ? "send" : "recv") + std::string(what);
}

std::string type_name(const CollectiveTraits& t, bool sending) {
  const std::string name = name_of(t, sending, "type");
  return name == "type" ? "datatype" : name;
}

// Bytes of an element where elements lie in memory one after another; else 0.
std::ptrdiff_t unit_in_a_row(MPI_Datatype type) {
  if (const std::optional<Dtype> dtype = find_dtype(type)) return static_cast<std::ptrdiff_t>(size_of(*dtype));
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  if (is_composed(type)) {
    const std::optional<Layout> layout = layout_of(type);
    return layout.has_value() && layout->in_a_row ? static_cast<std::ptrdiff_t>(size) : 0;
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  return size == extent && lower_bound == 0 ? static_cast<std::ptrdiff_t>(size) : 0;
}

}  // namespace

Status Shape::check() const {
  if (traits_.neighborhood() && neighborhood_ == nullptr)
    return {Code::topology, "comm has no topology; valid is a communicator with a Cartesian or graph topology"};
  if (traits_.rooted() && (call_->root < 0 || call_->root >= size_))
    return {Code::root, "root is " + std::to_string(call_->root) + "; valid are 0 to " + std::to_string(size_ - 1)};
  for (const bool sending : {true, false}) {
    if (sending ? !sends() : !receives()) continue;
    const Side& side = sending ? call_->send : call_->recv;
    if (Status s = check_counts(side, sending); !s) return s;
    if (side.type == MPI_DATATYPE_NULL)
      return {Code::type, type_name(traits_, sending) + " is MPI_DATATYPE_NULL; valid is any committed datatype"};
  }
  if (Status s = check_mean(); !s) return s;
  if (signature_.op_hidden) return {Code::op, "op is MPI_OP_NULL; valid is any operation"};
  for (const bool sending : {true, false}) {
    if (sending ? !sends() && !in_place() : !receives()) continue;
    if (Status s = check_buffer(sending ? call_->send : call_->recv, sending); !s) return s;
  }
  return check_own_block();
}

Status Shape::check_mean() const {
  if (signature_.mean && traits_.prefix())
    return {Code::op, "op is LACONIC_AVG, which a scan does not have; valid is any operation of MPI"};
  if (!signature_.mean || (signature_.type_known && !signature_.integer)) return {};
  return {Code::type, "LACONIC_AVG of this datatype; valid are MPI_FLOAT and MPI_DOUBLE"};
}

Status Shape::check_counts(const Side& side, bool sending) const {
  const auto negative = [&](const std::string& where, MPI_Count value) {
    return Status(Code::count, name_of(traits_, sending, "count") + where + " is " +
                                   std::to_string(static_cast<long long>(value)) + "; valid are 0 and above");
  };
  const bool needs_array = traits_.side(sending).counting != Counting::equal;
  if (!needs_array) {
    if (side.count < 0) return negative("", side.count);
    return check_reach(side, sending);
  }
  if (num_parts(sending) == 0) return {};
  const char* const of_each = traits_.neighborhood() ? "neighbor" : "rank";
  if (side.counts == nullptr)
    return {Code::count, name_of(traits_, sending, "count") + "s is NULL; valid is a count for each " + of_each};
  for (int p = 0; p < num_parts(sending); ++p)
    if (side.counts[p] < 0) return negative("s[" + std::to_string(p) + "]", side.counts[p]);
  if (side.displs == nullptr && traits_.side(sending).counting == Counting::displaced)
    return {Code::argument, std::string("displacements are NULL; valid is one for each ") + of_each};
  return check_reach(side, sending);
}

// Checks that a buffer does not reach farther than memory can.
Status Shape::check_reach(const Side& side, bool sending) const {
  MPI_Count most = side.counts != nullptr ? 0 : side.count;
  const int parts = std::max(num_parts(sending), 1);
  for (int p = 0; side.counts != nullptr && p < num_parts(sending); ++p) {
    most = std::max(most, side.counts[p]);
    const auto displ = side.displs != nullptr ? static_cast<MPI_Count>(side.displs[p]) : 0;
    most = std::max({most, displ, -1 - displ});
  }
  const MPI_Count limit = most_items(most, side.type, parts);
  if (most <= limit) return {};
  return {Code::count, name_of(traits_, sending, "count") +
                           (side.counts != nullptr ? "s or displacements reach " : " is ") +
                           std::to_string(static_cast<long long>(most)) + "; valid are at most " +
                           std::to_string(static_cast<long long>(limit)) + ", so that memory can hold the buffer"};
}

bool Shape::may_pass_in_place(bool sending) const {
  if (traits_.neighborhood()) return false;
  return sending ? !traits_.send.root_only && (!traits_.rooted() || root_) : traits_.recv_in_place() && root_;
}

Status Shape::check_buffer(const Side& side, bool sending) const {
  const char* name = traits_.one_buffer() ? "buffer" : sending ? "sendbuf" : "recvbuf";
  const bool may_be_in_place = may_pass_in_place(sending);
  if (side.buffer == MPI_IN_PLACE)
    return may_be_in_place
               ? Status{}
               : Status{Code::buffer, std::string(name) + " is MPI_IN_PLACE; valid is memory for all elements"};
  // MPI_BOTTOM is NULL, and a valid address for types that hold absolute addresses.
  if (side.buffer != nullptr || !signature_.type_known) return {};
  // The received block of a reduce_scatter has no count of its own.
  const bool of_sum = !sending && traits_.keeps_block();
  const bool unused = !sending && rank_ == 0 && traits_.recv.contents == Contents::exclusive_prefix;
  if (unused || (of_sum ? room_of_sum() : items(sending)) == 0) return {};
  return {Code::buffer, std::string(name) + " is NULL; valid is memory for all elements" +
                            (sending && may_be_in_place ? ", or MPI_IN_PLACE" : "")};
}

Status Shape::check_own_block() const {
  if (!signature_.type_known || signature_.composed || traits_.reduces || traits_.one_buffer() || !sends() ||
      !receives())
    return {};
  if (traits_.neighborhood()) {
    const auto& sources = neighborhood().sources;
    for (int k = 0; k < num_parts(false); ++k)
      if (const Neighbor& source = sources[static_cast<std::size_t>(k)]; source.rank == rank_)
        if (Status s = check_same_count(part_to(source).count, part(call_->recv, k).count); !s) return s;
    return {};
  }
  const auto count_of = [&](bool sending) {
    const Side& side = sending ? call_->send : call_->recv;
    return is_cut(sending) ? part(side, rank_).count : static_cast<std::size_t>(side.count);
  };
  return check_same_count(count_of(true), count_of(false));
}

Status Shape::check_same_count(std::size_t sent, std::size_t expected) const {
  if (sent == expected) return {};
  return {Code::count, "this rank sends itself " + std::to_string(sent) + " elements and expects " +
                           std::to_string(expected) + "; valid are equal counts"};
}

Status Shape::check_apart() const {
  if (traits_.one_buffer() || !sends() || !receives()) return {};
  const std::ptrdiff_t sent = unit_in_a_row(call_->send.type);
  const std::ptrdiff_t received = unit_in_a_row(call_->recv.type);
  const bool in_a_row = sent > 0 && received > 0;
  // Elements with gaps may lie between each other without overlap.  Elements of one type at one place overlap.
  const bool same = call_->send.buffer == call_->recv.buffer && call_->send.type == call_->recv.type &&
                    call_->send.displs == nullptr && call_->recv.displs == nullptr;
  if (in_a_row ? !parts_meet(sent, received) : !same) return {};
  if (traits_.neighborhood()) return {Code::buffer, "sendbuf and recvbuf overlap; valid are buffers that do not"};
  const std::string where = traits_.rooted() ? " on the root" : "";
  return {Code::buffer,
          "sendbuf and recvbuf overlap; valid are buffers that do not, or MPI_IN_PLACE as " +
              (traits_.recv_in_place() ? "recvbuf" + where + ", whose own part then stays in sendbuf"
                                       : "sendbuf" + where + ", where recvbuf holds what is sent as well")};
}

// The address range of one rank's part of a side, or of all parts where they form one piece.  Empty parts have no
// place.
Shape::Reach Shape::place_of(bool sending, int p, std::ptrdiff_t unit) const {
  const Side& s = side(sending);
  Part all{0, 0};
  if (pieces(sending) > 1)
    all = part(s, p);
  else if (!sending && traits_.keeps_block())
    all = part(call_->send, rank_), all.at = 0;
  else
    all = {0, items(sending)};
  const auto begin = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(s.buffer)) +
                     static_cast<std::ptrdiff_t>(all.at) * unit;
  return {begin, begin + static_cast<std::ptrdiff_t>(all.count) * unit};
}

int Shape::pieces(bool sending) const { return side(sending).displs != nullptr ? num_parts(sending) : 1; }

// Exact, except where both sides are in pieces and the pieces of one side are not in the order of their addresses: then
// only pieces of the same rank are compared, because comparing all would take longer than is worth it.
bool Shape::parts_meet(std::ptrdiff_t send_unit, std::ptrdiff_t recv_unit) const {
  const int sent = pieces(true);
  const int received = pieces(false);
  const auto ascending = [&](bool sending, std::ptrdiff_t unit) {
    std::intptr_t end = std::numeric_limits<std::intptr_t>::min();
    for (int p = 0; p < pieces(sending); ++p) {
      const auto place = place_of(sending, p, unit);
      if (place.empty()) continue;
      if (place.begin < end) return false;
      end = place.end;
    }
    return true;
  };
  const bool ordered = ascending(true, send_unit) && ascending(false, recv_unit);
  for (int s = 0, r = 0; s < sent && r < received;) {
    const auto from = place_of(true, s, send_unit);
    const auto to = place_of(false, r, recv_unit);
    if (!from.empty() && !to.empty() && from.begin < to.end && to.begin < from.end) return true;
    if (sent == 1 || received == 1)
      ++(sent == 1 ? r : s);
    else if (!ordered)
      ++s, ++r;
    else if (from.empty() || (!to.empty() && from.end <= to.begin))
      ++s;
    else
      ++r;
  }
  return false;
}

}  // namespace laconic
