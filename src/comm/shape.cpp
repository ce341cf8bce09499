#include "comm/shape.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "comm/datatypes.hpp"
#include "comm/process.hpp"

namespace laconic {
Collective collective_of(Form form) {
  switch (form) {
    case Form::allreduce: return Collective::allreduce;
    case Form::reduce: return Collective::reduce;
    case Form::reduce_scatter:
    case Form::reduce_scatter_block: return Collective::reduce_scatter;
    case Form::allgather:
    case Form::allgatherv: return Collective::allgather;
    case Form::bcast: return Collective::bcast;
    case Form::scatter:
    case Form::scatterv: return Collective::scatter;
    case Form::gather:
    case Form::gatherv: return Collective::gather;
    case Form::alltoall:
    case Form::alltoallv: return Collective::alltoall;
  }
  return Collective::allreduce;
}

Shape::Shape(const CollectiveCall& call, int rank, int size)
    : call_(&call),
      collective_(collective_of(call.form)),
      rank_(rank),
      size_(size),
      root_(has_root(collective_) && rank == call.root) {
  count_hidden_ =
      (sends() && !check_counts(call.send, true).ok()) || (receives() && !check_counts(call.recv, false).ok());
  Meaning& m = meaning_;
  // A rank that neither sends nor receives says MPI_IN_PLACE where it must not.
  m.type_hidden = (!sends() && !receives()) || (sends() && call.send.type == MPI_DATATYPE_NULL) ||
                  (receives() && call.recv.type == MPI_DATATYPE_NULL);
  // Between two groups arguments may be left open that count here.
  if (!m.type_hidden && (size_ > 0 || reduces(collective_))) find_types(false);
  if (reduces(collective_)) {
    m.mean = call.op == Process::instance().average();
    m.op_known = call.op == MPI_SUM || call.op == MPI_MAX || call.op == MPI_MIN || m.mean;
    m.op_hidden = call.op == MPI_OP_NULL;
    m.op = call.op == MPI_MAX ? Op::max : call.op == MPI_MIN ? Op::min : Op::sum;
    if (m.mean && (!m.type_known || m.integer)) m.type_hidden = true;
  }
}

// Operations of MPI's own are of types of its own, so there is nothing to look into for reductions.
void Shape::find_types(bool look_inside) {
  Meaning& m = meaning_;
  m.composed = false;
  m.no_numbers = !reduces(collective_) && !count_hidden_;
  bool known = true;
  std::optional<Dtype> all;
  MPI_Datatype one = MPI_DATATYPE_NULL;
  for (const bool sending : {true, false}) {
    if (!uses(sending)) continue;
    const MPI_Datatype type = side(sending).type;
    const bool empty = !reduces(collective_) && !count_hidden_ && items(sending) == 0;
    if (one == MPI_DATATYPE_NULL || (m.no_numbers && !empty)) one = type;
    if (empty) continue;
    m.no_numbers = false;
    std::optional<Dtype> dtype = find_dtype(type);
    if (!dtype.has_value() && !reduces(collective_)) {
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
    meaning_.width = size_of(*dtype);
    meaning_.stride = static_cast<std::ptrdiff_t>(meaning_.width);
    return;
  }
  MPI_Count width = 0;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (type != MPI_DATATYPE_NULL) {
    MPI_Type_size_x(type, &width);
    MPI_Type_get_extent(type, &lower_bound, &extent);
  }
  meaning_.width = static_cast<std::size_t>(std::max<MPI_Count>(width, 0));
  meaning_.stride = extent;
}

void Shape::set_dtype(Dtype dtype) {
  meaning_.dtype = dtype;
  meaning_.integer = is_integer(dtype);
  meaning_.width = size_of(dtype);
  meaning_.stride = static_cast<std::ptrdiff_t>(meaning_.width);
}

bool Shape::uses(bool sending) const {
  if (sending) {
    if (reduces(collective_)) return true;  // in place, too, counts and type of both sides are the same arguments
    if (collective_ == Collective::bcast || collective_ == Collective::scatter) return root_;
    return !in_place();
  }
  switch (collective_) {
    case Collective::reduce:
    case Collective::gather: return root_;
    case Collective::scatter: return !root_ || call_->recv.buffer != MPI_IN_PLACE;
    default: return true;
  }
}

bool Shape::counts_partial() const {
  return call_->form == Form::scatterv || call_->form == Form::gatherv || call_->form == Form::alltoallv;
}

bool Shape::one_buffer_type() const { return reduces(collective_) || collective_ == Collective::bcast; }

bool Shape::is_cut(bool sending) const {
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::bcast: return false;
    case Collective::reduce_scatter:
    case Collective::scatter: return sending;
    case Collective::allgather:
    case Collective::gather: return !sending;
    case Collective::alltoall: return true;
  }
  return false;
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

std::size_t Shape::sum(const Side& side) const {
  if (side.counts == nullptr) return static_cast<std::size_t>(side.count) * static_cast<std::size_t>(size_);
  std::size_t total = 0;
  for (int p = 0; p < size_; ++p) total += static_cast<std::size_t>(side.counts[p]);
  return total;
}

std::size_t Shape::room_of_sum() const { return in_place() ? sum(call_->send) : part(call_->send, rank_).count; }

std::size_t Shape::most(const Side& side) const {
  if (side.counts == nullptr) return static_cast<std::size_t>(side.count);
  return static_cast<std::size_t>(*std::max_element(side.counts, side.counts + size_));
}

std::size_t Shape::largest(std::int32_t cut) const {
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::bcast: return equal_part(0, cut).count;
    case Collective::reduce_scatter: return most(call_->send);
    case Collective::allgather: return most(call_->recv);
    case Collective::scatter: return root_ ? most(call_->send) : static_cast<std::size_t>(call_->recv.count);
    case Collective::gather: return root_ ? most(call_->recv) : static_cast<std::size_t>(call_->send.count);
    case Collective::alltoall: return std::max(in_place() ? 0 : most(call_->send), most(call_->recv));
  }
  return 0;
}

std::size_t Shape::items(bool sending) const {
  return is_cut(sending) ? sum(side(sending)) : static_cast<std::size_t>(side(sending).count);
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
  const std::size_t parts = counts_partial() ? 1 : static_cast<std::size_t>(size_);
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::bcast:
    case Collective::allgather: return all(false);
    case Collective::reduce_scatter: return all(true);
    case Collective::scatter: return root_ ? all(true) : all(false) * parts;
    case Collective::gather: return root_ ? all(false) : all(true) * parts;
    case Collective::alltoall: return std::max(in_place() ? 0 : all(true), all(false));
  }
  return 0;
}

const Side& Shape::input_side() const { return in_place() ? call_->recv : call_->send; }

std::size_t Shape::parts_of_input() const {
  if (collective_ == Collective::bcast || collective_ == Collective::scatter) {
    if (!root_) return 0;
    return collective_ == Collective::bcast ? 1 : static_cast<std::size_t>(size_);
  }
  return collective_ == Collective::alltoall ? static_cast<std::size_t>(size_) : 1;
}

Shape::Part Shape::part_of_input(std::size_t k) const {
  const Side& side = input_side();
  switch (collective_) {
    case Collective::scatter:
    case Collective::alltoall: return part(side, static_cast<int>(k));
    case Collective::reduce_scatter: return {0, sum(call_->send)};
    case Collective::allgather:
    case Collective::gather:
      return in_place() ? part(side, rank_) : Part{0, static_cast<std::size_t>(call_->send.count)};
    default: return {0, static_cast<std::size_t>(call_->recv.count)};
  }
}

std::size_t Shape::contribution() const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < parts_of_input(); ++k) n += part_of_input(k).count;
  return n;
}

Range Shape::range() const {
  Range all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k < parts_of_input(); ++k) {
    const Part p = part_of_input(k);
    const auto* from = static_cast<const std::byte*>(input_side().buffer) + p.at * meaning_.width;
    const Range r = finite_range(from, p.count, meaning_.dtype);
    all = {std::min(all.least, r.least), std::max(all.greatest, r.greatest)};
  }
  return all;
}

bool Shape::overlaps() const {
  return in_place() && (collective_ == Collective::reduce_scatter || collective_ == Collective::alltoall);
}

std::span<const std::byte> Shape::extent() const {
  auto least = std::numeric_limits<std::ptrdiff_t>::max();
  auto greatest = std::numeric_limits<std::ptrdiff_t>::min();
  for (std::size_t k = 0; k < parts_of_input(); ++k) {
    const Part p = part_of_input(k);
    least = std::min(least, static_cast<std::ptrdiff_t>(p.at));
    greatest = std::max(greatest, static_cast<std::ptrdiff_t>(p.at + p.count));
  }
  if (greatest <= least) return {};
  const std::ptrdiff_t stride = meaning_.stride;
  return {static_cast<const std::byte*>(input_side().buffer) + least * stride,
          static_cast<std::size_t>((greatest - least) * stride)};
}

void Shape::regions(const Plan& plan, const std::byte* aside, std::span<Region> out) const {
  const auto* input = static_cast<const std::byte*>(input_side().buffer);
  if (aside != nullptr) input = aside - (extent().data() - input);
  for (std::size_t k = 0; k < plan.blocks.size(); ++k) out[k] = region(plan.blocks[k], plan.cut, input);
}

Region Shape::region(std::int32_t block, std::int32_t cut, const std::byte* input) const {
  const std::size_t width = meaning_.width;
  auto* output = static_cast<std::byte*>(call_->recv.buffer);
  const bool own = block == rank_;
  const auto read = [&](Part p) { return Region{input + p.at * width, nullptr, p.count}; };
  const auto write = [&](Part p) { return Region{nullptr, output + p.at * width, p.count}; };
  const Stake stake = stake_of(collective_, {rank_, size_, call_->root}, block);
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::bcast: {
      const Part p = equal_part(block, cut);
      return {stake.has ? input + p.at * width : nullptr, stake.wants ? output + p.at * width : nullptr, p.count};
    }
    case Collective::reduce_scatter: {
      Region r = read(part(call_->send, block));
      if (own) r.output = output;
      return r;
    }
    case Collective::allgather: {
      Region r = write(part(call_->recv, block));
      if (own) r.input = read(part_of_input(0)).input;
      return r;
    }
    case Collective::scatter: {
      if (own && !receives()) return {};  // what the root keeps stays where it is
      Region r = root_ ? read(part(call_->send, block)) : Region{};
      if (own) r = {r.input, output, static_cast<std::size_t>(call_->recv.count)};
      return r;
    }
    case Collective::gather: {
      Region r = root_ ? write(part(call_->recv, block)) : Region{};
      if (own) r = {read(part_of_input(0)).input, r.output, part_of_input(0).count};
      return r;
    }
    case Collective::alltoall: {
      Region r;
      if (stake.has) r = read(part(input_side(), block % size_));
      if (stake.wants) {
        const Region w = write(part(call_->recv, block / size_));
        r = {r.input, w.output, w.count};
      }
      return r;
    }
  }
  return {};
}

}  // namespace laconic
