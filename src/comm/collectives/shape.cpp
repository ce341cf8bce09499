// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives/shape.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "comm/core/datatypes.hpp"
#include "comm/core/process.hpp"

namespace laconic {

Shape::Shape(const CollectiveCall& call, int rank, int size, const Neighborhood* neighborhood)
    : call_(&call),
      traits_(call.traits()),
      rank_(rank),
      size_(size),
      neighborhood_(neighborhood),
      root_(traits_.rooted() && rank == call.root) {
  count_hidden_ =
      (sends() && !check_counts(call.send, true).ok()) || (receives() && !check_counts(call.recv, false).ok());
  Signature& m = signature_;
  // A rank that neither sends nor receives has passed MPI_IN_PLACE where it must not.
  m.type_hidden = (!sends() && !receives()) || (sends() && call.send.type == MPI_DATATYPE_NULL) ||
                  (receives() && call.recv.type == MPI_DATATYPE_NULL);
  // On an intercommunicator the caller may leave open arguments that count here.
  if (!m.type_hidden && (size_ > 0 || traits_.reduces)) find_types(false);
  if (traits_.reduces) {
    m.mean = call.op == Process::instance().average();
    m.op_known = call.op == MPI_SUM || call.op == MPI_MAX || call.op == MPI_MIN || m.mean;
    m.op_hidden = call.op == MPI_OP_NULL || (m.mean && traits_.prefix());
    m.op = call.op == MPI_MAX ? Op::max : call.op == MPI_MIN ? Op::min : Op::sum;
    if (m.mean && (!m.type_known || m.integer)) m.type_hidden = true;
  }
}

// Predefined operations take predefined types, so reductions have no types to look into.
void Shape::find_types(bool look_inside) {
  Signature& m = signature_;
  m.composed = false;
  m.no_numbers = !traits_.reduces && !count_hidden_;
  bool known = true;
  std::optional<Dtype> all;
  MPI_Datatype one = MPI_DATATYPE_NULL;
  for (const bool sending : {true, false}) {
    if (!uses(sending)) continue;
    const MPI_Datatype type = side(sending).type;
    const bool empty = !traits_.reduces && !count_hidden_ && items(sending) == 0;
    if (one == MPI_DATATYPE_NULL || (m.no_numbers && !empty)) one = type;
    if (empty) continue;
    m.no_numbers = false;
    std::optional<Dtype> dtype = find_dtype(type);
    if (!dtype.has_value() && !traits_.reduces) {
      m.composed = m.composed || is_composed(type);
      if (const std::optional<Layout> layout = look_inside ? layout_of(type) : std::nullopt) {
        dtype = layout->dtype;
        m.in_a_row = m.in_a_row && layout->in_a_row;
      }
    }
    known = known && dtype.has_value() && (!all.has_value() || all == dtype);
    all = dtype;
  }
  m.type_known = known;
  m.dtype = all.value_or(Dtype::f32);
  m.integer = known && is_integer(m.dtype);
  set_width(one);
}

void Shape::set_width(MPI_Datatype type) {
  if (const std::optional<Dtype> dtype = find_dtype(type)) {
    signature_.width = size_of(*dtype);
    signature_.stride = static_cast<std::ptrdiff_t>(signature_.width);
    return;
  }
  MPI_Count width = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (type != MPI_DATATYPE_NULL) {
    MPI_Type_size_x(type, &width);
    MPI_Type_get_extent(type, &lower_bound, &extent);
  }
  signature_.width = static_cast<std::size_t>(std::max<MPI_Count>(width, 0));
  signature_.stride = extent;
}

void Shape::set_dtype(Dtype dtype) {
  signature_.dtype = dtype;
  signature_.integer = is_integer(dtype);
  signature_.width = size_of(dtype);
  signature_.stride = static_cast<std::ptrdiff_t>(signature_.width);
}

bool Shape::uses(bool sending) const {
  const SideTraits& side = traits_.side(sending);
  if (side.root_only && !root_) return false;
  if (!sending) return !(traits_.recv_in_place() && root_ && call_->recv.buffer == MPI_IN_PLACE);
  // In a reduction in place, too, counts and type of both sides are the same arguments.
  return side.root_only || traits_.reduces || !in_place();
}

const Neighborhood& Shape::neighborhood() const {
  static const Neighborhood nobody;
  return neighborhood_ != nullptr ? *neighborhood_ : nobody;
}

int Shape::num_parts(bool sending) const {
  if (!is_cut(sending)) return 1;
  if (!traits_.neighborhood()) return size_;
  return static_cast<int>(sending ? neighborhood().destinations.size() : neighborhood().sources.size());
}

Shape::Part Shape::part(const Side& side, int peer) const {
  const auto p = static_cast<std::size_t>(peer);
  if (side.counts == nullptr) {
    const auto n = static_cast<std::size_t>(side.count);
    return {p * n, n};
  }
  const auto n = static_cast<std::size_t>(side.counts[p]);
  if (side.displs != nullptr) return {static_cast<std::size_t>(side.displs[p]), n};
  std::size_t at = 0;
  for (std::size_t i = 0; i < p; ++i) at += static_cast<std::size_t>(side.counts[i]);
  return {at, n};
}

Shape::Part Shape::equal_part(std::int32_t block, std::int32_t cut) const {
  const auto n = static_cast<std::size_t>(call_->recv.count);
  const auto blocks = static_cast<std::size_t>(cut);
  const auto b = static_cast<std::size_t>(block);
  const std::size_t share = n / blocks;
  const std::size_t larger = n % blocks;  // the first `larger` blocks have one number more
  return {b * share + std::min(b, larger), share + (b < larger)};
}

std::size_t Shape::sum(bool sending) const {
  const Side& of = side(sending);
  const int parts = num_parts(sending);
  if (of.counts == nullptr) return static_cast<std::size_t>(of.count) * static_cast<std::size_t>(parts);
  std::size_t total = 0;
  for (int p = 0; p < parts; ++p) total += static_cast<std::size_t>(of.counts[p]);
  return total;
}

std::size_t Shape::room_of_sum() const { return in_place() ? sum(true) : part(call_->send, rank_).count; }

std::size_t Shape::most(bool sending) const {
  const Side& of = side(sending);
  const int parts = num_parts(sending);
  if (parts == 0) return 0;
  if (of.counts == nullptr) return static_cast<std::size_t>(of.count);
  return static_cast<std::size_t>(*std::max_element(of.counts, of.counts + parts));
}

std::size_t Shape::largest(std::int32_t cut) const {
  if (traits_.cut_freely()) return equal_part(0, cut).count;
  if (!cut_and_used(true) && !cut_and_used(false))
    return static_cast<std::size_t>(side(traits_.send.contents == Contents::block).count);
  return std::max(cut_and_used(true) ? most(true) : 0, cut_and_used(false) ? most(false) : 0);
}

std::size_t Shape::items(bool sending) const {
  if (is_cut(sending)) return sum(sending);
  const bool unread = sending && traits_.neighborhood() && neighborhood().destinations.empty();
  return unread ? 0 : static_cast<std::size_t>(side(sending).count);
}

std::size_t Shape::whole(bool in_bytes) const {
  const auto of_type = [&](bool sending) {
    if (!in_bytes || side(sending).type == MPI_DATATYPE_NULL) return std::size_t{1};
    if (const std::optional<Dtype> dtype = find_dtype(side(sending).type)) return size_of(*dtype);
    MPI_Count bytes = 0;
    MPI_Type_size_x(side(sending).type, &bytes);
    return static_cast<std::size_t>(std::max<MPI_Count>(bytes, 0));
  };
  const auto all = [&](bool sending) { return items(sending) * of_type(sending); };
  if (traits_.cut_freely()) return all(false);
  if (cut_and_used(true) || cut_and_used(false))
    return std::max(cut_and_used(true) ? all(true) : 0, cut_and_used(false) ? all(false) : 0);
  const std::size_t parts = counts_partial() ? 1 : static_cast<std::size_t>(size_);
  return all(traits_.send.contents == Contents::block) * parts;
}

const Side& Shape::input_side() const { return in_place() ? call_->recv : call_->send; }

std::size_t Shape::parts_of_input() const {
  if (traits_.send.root_only && !root_) return 0;
  return traits_.reduces ? 1 : static_cast<std::size_t>(num_parts(true));
}

Shape::Part Shape::part_of_input(std::size_t k) const {
  if (traits_.cut_freely()) return {0, static_cast<std::size_t>(call_->recv.count)};
  if (traits_.reduces) return {0, sum(true)};
  // Nobody receives the block of a neighbor that does not exist, so it may hold anything.
  if (traits_.neighborhood() && traits_.send.cut() && !neighborhood().destinations[k].exists()) return {};
  if (traits_.send.cut()) return part(input_side(), static_cast<int>(k));
  return in_place() ? part(call_->recv, rank_) : Part{0, items(true)};
}

// The place for the data that come from a rank or neighbor.
Shape::Part Shape::part_of_output(int source) const {
  if (traits_.recv.cut()) return part(call_->recv, source);
  return {0, traits_.reduces ? part(call_->send, rank_).count : static_cast<std::size_t>(call_->recv.count)};
}

std::size_t Shape::contribution() const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < parts_of_input(); ++k) n += part_of_input(k).count;
  return n;
}

Range Shape::range() const {
  RangeWithoutFills finder;
  for (std::size_t k = 0; k < parts_of_input(); ++k) {
    const Part p = part_of_input(k);
    const auto* from = static_cast<const std::byte*>(input_side().buffer) + p.at * signature_.width;
    finder.add(from, p.count, signature_.dtype);
  }
  return finder.range();
}

bool Shape::overlaps() const { return in_place() && traits_.send.cut(); }

std::span<const std::byte> Shape::extent() const {
  auto least = std::numeric_limits<std::ptrdiff_t>::max();
  auto greatest = std::numeric_limits<std::ptrdiff_t>::min();
  for (std::size_t k = 0; k < parts_of_input(); ++k) {
    const Part p = part_of_input(k);
    least = std::min(least, static_cast<std::ptrdiff_t>(p.at));
    greatest = std::max(greatest, static_cast<std::ptrdiff_t>(p.at + p.count));
  }
  if (greatest <= least) return {};
  const std::ptrdiff_t stride = signature_.stride;
  return {static_cast<const std::byte*>(input_side().buffer) + least * stride,
          static_cast<std::size_t>((greatest - least) * stride)};
}

void Shape::regions(const Plan& plan, const std::byte* aside, std::span<Region> out) const {
  const auto* input = static_cast<const std::byte*>(input_side().buffer);
  if (aside != nullptr) input = aside - (extent().data() - input);
  for (std::size_t k = 0; k < plan.blocks.size(); ++k) out[k] = region(plan.blocks[k], plan.cut, input);
}

Region Shape::make_region(const Part* input, const Part* output, const std::byte* from) const {
  Region r;
  if (input != nullptr) r = {from + input->at * signature_.width, nullptr, input->count};
  if (output != nullptr) {
    r.output = static_cast<std::byte*>(call_->recv.buffer) + output->at * signature_.width;
    r.count = output->count;
  }
  return r;
}

// The part that this rank sends along an edge to itself, of which `source` is the receiving end.
Shape::Part Shape::part_to(const Neighbor& source) const {
  if (!traits_.send.cut()) return {0, items(true)};
  const auto& destinations = neighborhood().destinations;
  const auto at = std::find_if(destinations.begin(), destinations.end(),
                               [&](const Neighbor& n) { return n.rank == source.rank && n.label == source.label; });
  return part(call_->send, static_cast<int>(at - destinations.begin()));
}

// The blocks are those of schedule.hpp: one from each source, then one to each destination or for all of them.
Region Shape::region_of_neighbor(std::int32_t block, const std::byte* input) const {
  const auto& sources = neighborhood().sources;
  const auto k = static_cast<std::size_t>(block);
  if (k >= sources.size()) {
    const Part p = traits_.send.cut() ? part(call_->send, block - static_cast<int>(sources.size())) : part_to({});
    return make_region(&p, nullptr, input);
  }
  const Part output = part(call_->recv, block);
  if (sources[k].rank != rank_) return make_region(nullptr, &output, input);
  const Part own = part_to(sources[k]);
  return make_region(&own, &output, input);
}

Region Shape::region(std::int32_t block, std::int32_t cut, const std::byte* input) const {
  if (traits_.neighborhood()) return region_of_neighbor(block, input);
  const Ownership ownership = ownership_of(traits_.pattern, {rank_, size_, call_->root}, block);
  const std::int32_t source = traits_.all_to_all() ? block / size_ : block;
  const std::int32_t destination = traits_.all_to_all() ? block % size_ : block;
  if (ownership.wants && !receives()) return {};  // the root keeps its own block in place
  Part own;
  Part output;
  if (traits_.cut_freely())
    own = output = equal_part(block, cut);
  else if (ownership.has)
    own = traits_.send.cut() ? part(traits_.reduces ? call_->send : input_side(), destination) : part_of_input(0);
  if (ownership.wants && !traits_.cut_freely()) output = part_of_output(source);
  return make_region(ownership.has ? &own : nullptr, ownership.wants ? &output : nullptr, input);
}

}  // namespace laconic
