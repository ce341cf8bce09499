// SPDX-License-Identifier: BSD-3-Clause
#include "calls/carried.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "calls/filter.hpp"

namespace laconic::dropin {

std::atomic<bool> traffic_counted{false};
std::atomic<bool> profiled{false};
std::atomic<bool> advised{false};
std::atomic<int> counted_requests{0};

namespace {

// The contribution of this rank.
Items contribution(const Call& call, const Communicator& communicator, std::uint64_t& bytes) {
  const CollectiveTraits& t = call.traits();
  const int rank = communicator.rank();
  if (t.send.root_only && rank != call.root) return {};  // the send arguments are not significant
  const bool in_place = call.send.buffer == MPI_IN_PLACE;
  const Side& side = in_place && !t.reduces ? call.recv : call.send;
  Items items{in_place ? call.recv.buffer : side.buffer, 0, side.type};
  if (in_place && !t.reduces && t.recv.root_only) return items;  // the block of the root stays where it is
  const auto part = [&](int k) { return side.counts.given() ? std::max<MPI_Count>(side.counts[k], 0) : side.count; };
  // The place of a part, for the parts that are at displacements, or else behind one another.
  const auto at = [&](int k) {
    MPI_Aint lower_bound = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(side.type, &lower_bound, &extent);
    const MPI_Aint place = side.displs.given() ? side.displs[k] : static_cast<MPI_Aint>(part(k)) * k;
    return static_cast<const std::byte*>(items.buffer) + place * extent;
  };
  if (!t.send.cut()) {
    const bool among_others = in_place && !t.reduces;
    items.count = part(rank);
    bytes = bytes_of(items.count, items.type);
    if (among_others && profiles() && bytes > 0) items.buffer = at(rank);
    return items;
  }
  const int parts = communicator.num_parts(t, true);
  if (!side.counts.given()) {
    items.count = side.count * parts;
    bytes = bytes_of(items.count, items.type);
    return items;
  }
  MPI_Count all = 0;
  for (int k = 0; k < parts; ++k) all += part(k);
  bytes = bytes_of(all, items.type);
  if (!side.displs.given() || !profiles() || bytes == 0) {  // the parts of a reduction are behind one another
    items.count = all;
    return items;
  }
  int first = 0;
  while (part(first) == 0) ++first;
  return {at(first), part(first), items.type};
}

std::mutex mutex;
// Never destroyed, like Process.
std::unordered_map<MPI_Request, CountedCall>& requests = *new std::unordered_map<MPI_Request, CountedCall>;

std::atomic<double> waited{0};

}  // namespace

std::uint64_t bytes_of(MPI_Count items, MPI_Datatype type) {
  MPI_Count each = 0;
  if (items <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &each) != MPI_SUCCESS || each < 0) return 0;
  return static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(each);
}

Carried carried_by(const Call& call, const Communicator& communicator) {
  Carried carried;
  carried.activity = activity_of(call.operation);
  carried.site = call.site;
  // On an intercommunicator the arrays of counts belong to the ranks of the other group.
  if (communicator.unfit() == Reason::intercomm) return carried;
  carried.items = contribution(call, communicator, carried.bytes);
  carried.size = carried.bytes;
  if (carried.bytes == 0 || call.traits().neighborhood()) return carried;
  const auto [largest, all] = largest_of(call, communicator.rank(), communicator.size());
  carried.size = bytes_of(all, call.traits().reduces ? carried.items.type : largest->type);
  return carried;
}

CountedCall::CountedCall(const Carried& carried, Reason reason, TallyGroup& group) {
  if (carried.bytes == 0 || group.ranks < 2 || reason == Reason::itself) return;
  group_ = &group;
  bytes_ = carried.bytes;
  items_ = carried.items;
  const auto digits = std::bit_width(std::max(carried.size, std::uint64_t{1}));
  key_ = {carried.activity, content_of(carried.items.type), static_cast<std::uint8_t>(digits - 1), reason,
          profiles() ? caller_at(carried.site) : no_caller};
}

int CountedCall::make(Plain plain) const {
  if (!profiles()) {
    made();
    return plain();
  }
  sample();
  const double begin = PMPI_Wtime();
  const int code = plain();
  if (code == MPI_SUCCESS) made(PMPI_Wtime() - begin);
  return code;
}

void CountedCall::made(double seconds) const {
  if (group_ != nullptr) Tallies::instance().carried(*group_, key_, bytes_, seconds);
}

void CountedCall::started() const {
  if (profiles()) sample();
  made();
  if (group_ != nullptr && key_.activity == Activity::send)
    Tallies::instance().plain(*group_, Operation::send, key_.reason);
}

void CountedCall::made(Reason reason) {
  key_.reason = reason;
  made();
}

void CountedCall::made_with(const CallBound& bound, double absolute) const {
  made();
  if (group_ == nullptr || items_.buffer == nullptr || items_.count <= 0) return;
  if (!is_operation(key_.activity) || !holds_numbers(key_.content)) return;
  const Operation operation = operation_of(key_.activity);
  if (!Tallies::instance().look_due(*group_, operation)) return;
  Tallies::instance().looked(*group_, operation, exceeds_most(items_, key_.content, bound.bound, absolute));
}

void CountedCall::forget_derived_type() {
  if (group_ != nullptr && !is_predefined(items_.type)) items_ = {};
}

void CountedCall::sample() const {
  if (group_ == nullptr || items_.buffer == nullptr || items_.count <= 0 || !can_be_sampled(key_.content)) return;
  const Tallies::Due due = Tallies::instance().sample_due(*group_, key_);
  if (due == Tallies::Due::no) return;
  const bool for_advice = advised.load(std::memory_order_relaxed);
  const SampleTime time(due == Tallies::Due::first, for_advice);
  if (!time.allowed()) return;
  const bool adds = is_operation(key_.activity) && reduces(operation_of(key_.activity));
  Tallies::instance().sampled(*group_, key_, Sample::of(items_, key_.content, adds ? group_->ranks : 1, for_advice));
}

void count_starts(MPI_Request request, const CountedCall& call) {
  CountedCall kept = call;
  kept.forget_derived_type();
  const std::lock_guard lock(mutex);
  requests.insert_or_assign(request, kept);
  counted_requests.store(static_cast<int>(requests.size()), std::memory_order_relaxed);
}

void count_start(MPI_Request request) {
  CountedCall call;
  {
    const std::lock_guard lock(mutex);
    const auto found = requests.find(request);
    if (found == requests.end()) return;
    call = found->second;
  }
  call.started();
}

void forget_starts(MPI_Request request) {
  const std::lock_guard lock(mutex);
  requests.erase(request);
  counted_requests.store(static_cast<int>(requests.size()), std::memory_order_relaxed);
}

void CountedWait::add(double seconds) { waited.fetch_add(seconds, std::memory_order_relaxed); }
double CountedWait::seconds() { return waited.load(std::memory_order_relaxed); }

}  // namespace laconic::dropin
