// SPDX-License-Identifier: BSD-3-Clause
// Counts the bytes of calls for the report, whether the calls are compressed or not.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "calls/call.hpp"
#include "core/communicator.hpp"
#include "report/traffic.hpp"

namespace laconic::dropin {

// Set while bytes are counted. For calls that are only counted, this load is the only overhead without a report.
extern std::atomic<bool> traffic_counted;
inline bool counts_traffic() { return __builtin_expect(traffic_counted.load(std::memory_order_relaxed), false); }

// The contribution of this rank to a call.
struct Carried {
  Activity activity = Activity::send;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::uint64_t bytes = 0;
  std::uint64_t size = 0;  // that min_bytes is compared with
};

// The bytes of items of a type; 0 for arguments that MPI has to check.
std::uint64_t bytes_of(MPI_Count items, MPI_Datatype type);

// The contribution of this rank to a collective.
Carried carried_by(const Call& call, const Communicator& communicator);

// A call that is counted when it is made. Its key is determined before, because the program may free the datatype.
class CountedCall {
 public:
  CountedCall() = default;
  CountedCall(const Carried& carried, Reason reason, TallyGroup& group);
  void made() const;
  void made(Reason reason);
  void started() const;  // persistent; starts of messages are calls of their own in the report

 private:
  TallyGroup* group_ = nullptr;  // null if no bytes go from rank to rank
  TrafficKey key_;
  std::uint64_t bytes_ = 0;
};

// Counts each start of a persistent request of MPI.
void count_starts(MPI_Request request, const CountedCall& call);
extern std::atomic<int> counted_requests;
inline bool has_counted_requests() {
  return __builtin_expect(counted_requests.load(std::memory_order_relaxed) > 0, false);
}
void count_start(MPI_Request request);
void forget_starts(MPI_Request request);

}  // namespace laconic::dropin
