// SPDX-License-Identifier: BSD-3-Clause
#include "calls/carried.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "calls/filter.hpp"

namespace laconic::dropin {

std::atomic<bool> traffic_counted{false};
std::atomic<int> counted_requests{0};

namespace {

// The items of this rank's contribution, and their datatype in `type`.
MPI_Count contribution(const Call& call, const Communicator& communicator, MPI_Datatype& type) {
  const CollectiveTraits& t = call.traits();
  const int rank = communicator.rank();
  if (t.send.root_only && rank != call.root) return 0;  // the send arguments are not significant
  const bool in_place = call.send.buffer == MPI_IN_PLACE && !t.reduces;
  const Side& side = in_place ? call.recv : call.send;
  type = side.type;
  if (in_place && t.recv.root_only) return 0;  // the block of the root stays where it is
  if (!t.send.cut()) return side.counts.given() ? side.counts[rank] : side.count;
  const int parts = communicator.num_parts(t, true);
  if (!side.counts.given()) return side.count * parts;
  MPI_Count all = 0;
  for (int part = 0; part < parts; ++part) all += std::max<MPI_Count>(side.counts[part], 0);
  return all;
}

Kind kind_of(MPI_Datatype type) {
  const Numbers numbers = numbers_of(type);
  return numbers.known() ? numbers.kind : layout_of(type).numbers.kind;
}

std::mutex mutex;
// Never destroyed, like Process.
std::unordered_map<MPI_Request, CountedCall>& requests = *new std::unordered_map<MPI_Request, CountedCall>;

}  // namespace

std::uint64_t bytes_of(MPI_Count items, MPI_Datatype type) {
  MPI_Count each = 0;
  if (items <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &each) != MPI_SUCCESS || each < 0) return 0;
  return static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(each);
}

Carried carried_by(const Call& call, const Communicator& communicator) {
  Carried carried;
  carried.activity = activity_of(call.operation);
  // On an intercommunicator the arrays of counts belong to the ranks of the other group.
  if (communicator.unfit() == Reason::intercomm) return carried;
  const MPI_Count items = contribution(call, communicator, carried.type);
  carried.bytes = bytes_of(items, carried.type);
  carried.size = carried.bytes;
  if (carried.bytes == 0 || call.traits().neighborhood()) return carried;
  const auto [largest, all] = largest_of(call, communicator.rank(), communicator.size());
  carried.size = bytes_of(all, call.traits().reduces ? carried.type : largest->type);
  return carried;
}

CountedCall::CountedCall(const Carried& carried, Reason reason, TallyGroup& group) {
  if (carried.bytes == 0 || group.ranks < 2 || reason == Reason::itself) return;
  group_ = &group;
  bytes_ = carried.bytes;
  const auto digits = std::bit_width(std::max(carried.size, std::uint64_t{1}));
  key_ = {carried.activity, kind_of(carried.type), static_cast<std::uint8_t>(digits - 1), reason};
}

void CountedCall::made() const {
  if (group_ != nullptr) Tallies::instance().carried(*group_, key_, bytes_);
}

void CountedCall::started() const {
  made();
  if (group_ != nullptr && key_.activity == Activity::send)
    Tallies::instance().plain(*group_, Operation::send, key_.reason);
}

void CountedCall::made(Reason reason) {
  key_.reason = reason;
  made();
}

void count_starts(MPI_Request request, const CountedCall& call) {
  const std::lock_guard lock(mutex);
  requests.insert_or_assign(request, call);
  counted_requests.store(static_cast<int>(requests.size()), std::memory_order_relaxed);
}

void count_start(MPI_Request request) {
  const std::lock_guard lock(mutex);
  if (const auto found = requests.find(request); found != requests.end()) found->second.started();
}

void forget_starts(MPI_Request request) {
  const std::lock_guard lock(mutex);
  requests.erase(request);
  counted_requests.store(static_cast<int>(requests.size()), std::memory_order_relaxed);
}

}  // namespace laconic::dropin
