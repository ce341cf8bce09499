#include "comm/shape.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "comm/datatypes.hpp"
#include "comm/process.hpp"

namespace laconic {
namespace {

// Of the argument that holds the count, type or buffer of a side, as the form calls it.
std::string name_of(Form form, bool sending, const char* what) {
  switch (form) {
    case Form::allreduce:
    case Form::reduce:
    case Form::bcast: return what;
    case Form::reduce_scatter:
    case Form::reduce_scatter_block: return (std::string(what) == "count" ? "recv" : "") + std::string(what);
    default: return (sending ? "send" : "recv") + std::string(what);
  }
}

std::string type_name(Form form, bool sending) {
  const std::string name = name_of(form, sending, "type");
  return name == "type" ? "datatype" : name;
}

}  // namespace

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
  Meaning& m = meaning_;
  const MPI_Datatype sent = sends() ? call.send.type : MPI_DATATYPE_NULL;
  const MPI_Datatype received = receives() ? call.recv.type : MPI_DATATYPE_NULL;
  const MPI_Datatype one = sends() ? sent : received;
  m.type_hidden = (sends() && sent == MPI_DATATYPE_NULL) || (receives() && received == MPI_DATATYPE_NULL);
  if (!m.type_hidden) {
    const std::optional<Dtype> dtype = find_dtype(one);
    m.type_known = dtype.has_value() && (!sends() || !receives() || find_dtype(received) == dtype);
    m.dtype = dtype.value_or(Dtype::f32);
    m.integer = m.type_known && is_integer(m.dtype);
    int width = 0;
    MPI_Type_size(one, &width);
    m.width = static_cast<std::size_t>(std::max(width, 0));
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(one, &lower_bound, &extent);
    m.stride = extent;
  }
  if (reduces(collective_)) {
    m.mean = call.op == Process::instance().average();
    m.op_known = call.op == MPI_SUM || call.op == MPI_MAX || call.op == MPI_MIN || m.mean;
    m.op_hidden = call.op == MPI_OP_NULL;
    m.op = call.op == MPI_MAX ? Op::max : call.op == MPI_MIN ? Op::min : Op::sum;
    if (m.mean && (!m.type_known || m.integer)) m.type_hidden = true;
  }
  count_hidden_ =
      (sends() && !check_counts(call.send, true).ok()) || (receives() && !check_counts(call.recv, false).ok());
}

bool Shape::sends() const {
  if (reduces(collective_)) return true;  // in place, too, counts and type of both sides are the same arguments
  if (collective_ == Collective::bcast || collective_ == Collective::scatter) return root_;
  return !in_place();
}

bool Shape::receives() const {
  switch (collective_) {
    case Collective::reduce:
    case Collective::gather: return root_;
    case Collective::scatter: return !root_ || call_->recv.buffer != MPI_IN_PLACE;
    default: return true;
  }
}

bool Shape::partial() const {
  return collective_ == Collective::scatter || collective_ == Collective::gather || counts_partial();
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

std::size_t Shape::total() const {
  const auto ranks = static_cast<std::size_t>(size_);
  switch (collective_) {
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::bcast: return static_cast<std::size_t>(call_->recv.count);
    case Collective::reduce_scatter: return sum(call_->send);
    case Collective::allgather: return sum(call_->recv);
    case Collective::scatter:
      if (root_) return sum(call_->send);
      return static_cast<std::size_t>(call_->recv.count) * (counts_partial() ? 1 : ranks);
    case Collective::gather:
      if (root_) return sum(call_->recv);
      return static_cast<std::size_t>(call_->send.count) * (counts_partial() ? 1 : ranks);
    case Collective::alltoall: return std::max(in_place() ? 0 : sum(call_->send), sum(call_->recv));
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

Status Shape::check() const {
  const Form form = call_->form;
  if (has_root(collective_) && (call_->root < 0 || call_->root >= size_))
    return {Code::root, "root is " + std::to_string(call_->root) + "; valid are 0 to " + std::to_string(size_ - 1)};
  for (const bool sending : {true, false}) {
    if (sending ? !sends() : !receives()) continue;
    const Side& side = sending ? call_->send : call_->recv;
    if (Status s = check_counts(side, sending); !s) return s;
    if (side.type == MPI_DATATYPE_NULL)
      return {Code::type, type_name(form, sending) + " is MPI_DATATYPE_NULL; valid is any committed datatype"};
  }
  if (meaning_.op_hidden) return {Code::op, "op is MPI_OP_NULL; valid is any operation"};
  if (Status s = check_mean(); !s) return s;
  for (const bool sending : {true, false}) {
    if (sending ? !sends() && !in_place() : !receives()) continue;
    if (Status s = check_buffer(sending ? call_->send : call_->recv, sending); !s) return s;
  }
  return check_own_block();
}

Status Shape::check_mean() const {
  if (!meaning_.mean || (meaning_.type_known && !meaning_.integer)) return {};
  return {Code::type, "LACONIC_AVG of this datatype; valid are MPI_FLOAT and MPI_DOUBLE"};
}

Status Shape::check_counts(const Side& side, bool sending) const {
  const auto negative = [&](const std::string& where, MPI_Count value) {
    return Status(Code::count, name_of(call_->form, sending, "count") + where + " is " +
                                   std::to_string(static_cast<long long>(value)) + "; valid are 0 and above");
  };
  const bool needs_array = is_cut(sending) && (call_->form == Form::reduce_scatter || call_->form == Form::alltoallv ||
                                               call_->form == Form::allgatherv || call_->form == Form::gatherv ||
                                               call_->form == Form::scatterv);
  if (!needs_array) return side.count < 0 ? negative("", side.count) : Status{};
  if (side.counts == nullptr)
    return {Code::count, name_of(call_->form, sending, "count") + "s is NULL; valid is a count for each rank"};
  for (int p = 0; p < size_; ++p)
    if (side.counts[p] < 0) return negative("s[" + std::to_string(p) + "]", side.counts[p]);
  if (side.displs == nullptr && call_->form != Form::reduce_scatter)
    return {Code::argument, "displacements are NULL; valid is one for each rank"};
  return {};
}

Status Shape::check_buffer(const Side& side, bool sending) const {
  const char* name = collective_ == Collective::bcast ? "buffer" : sending ? "sendbuf" : "recvbuf";
  const bool may_be_in_place = sending ? (collective_ != Collective::bcast && collective_ != Collective::scatter &&
                                          (!has_root(collective_) || root_))
                                       : collective_ == Collective::scatter && root_;
  if (side.buffer == MPI_IN_PLACE)
    return may_be_in_place
               ? Status{}
               : Status{Code::buffer, std::string(name) + " is MPI_IN_PLACE; valid is memory for all elements"};
  // MPI_BOTTOM is NULL, and a good address for types that hold absolute ones.
  if (side.buffer != nullptr || !meaning_.type_known) return {};
  if ((is_cut(sending) ? sum(side) : static_cast<std::size_t>(side.count)) == 0) return {};
  return {Code::buffer, std::string(name) + " is NULL; valid is memory for all elements" +
                            (sending && may_be_in_place ? ", or MPI_IN_PLACE" : "")};
}

// What a rank sends to itself.
Status Shape::check_own_block() const {
  if (!meaning_.type_known || one_buffer_type() || !sends() || !receives()) return {};
  const auto count_of = [&](bool sending) {
    const Side& side = sending ? call_->send : call_->recv;
    return is_cut(sending) ? part(side, rank_).count : static_cast<std::size_t>(side.count);
  };
  if (count_of(true) == count_of(false)) return {};
  return {Code::count, "this rank sends itself " + std::to_string(count_of(true)) + " elements and expects " +
                           std::to_string(count_of(false)) + "; valid are equal counts"};
}

}  // namespace laconic
