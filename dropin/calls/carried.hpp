// SPDX-License-Identifier: BSD-3-Clause
// Counts the bytes of calls for the report, whether the calls are compressed or not. For a profile, it also takes the
// time of calls and samples of their contents.
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

// Set while a profile is taken: no call is compressed.
extern std::atomic<bool> profiled;
inline bool profiles() { return __builtin_expect(profiled.load(std::memory_order_relaxed), false); }
// Set while a profile samples all bounds, for advice.
extern std::atomic<bool> advised;

// The contribution of this rank to a call.
struct Carried {
  Activity activity = Activity::send;
  Items items;  // all of it, or the first part that is not empty
  std::uint64_t bytes = 0;
  std::uint64_t size = 0;      // that min_bytes is compared with
  const void* site = nullptr;  // return address of the call in the program
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
  // Makes the call and counts it. In a profile, it takes the time of the call, and before that looks at the contents if
  // a sample is due.
  int make(Plain plain) const;
  void made(double seconds = 0) const;
  void made(Reason reason);
  // The call was compressed. Looks at some calls whether the bound, as an absolute error, is too large for the numbers.
  void made_with(const CallBound& bound, double absolute) const;
  void started() const;  // persistent; starts of messages are calls of their own in the report
  // The call will be made later: a derived datatype may have been freed by then.
  void forget_derived_type();

 private:
  void sample() const;

  TallyGroup* group_ = nullptr;  // null if no bytes go from rank to rank
  TrafficKey key_;
  Items items_;
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

// Measures the time that this process spends in functions that wait for messages and requests, in a profile.
class CountedWait {
 public:
  CountedWait() : begin_(profiles() ? PMPI_Wtime() : -1) {}
  ~CountedWait() {
    if (begin_ >= 0) add(PMPI_Wtime() - begin_);
  }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;
  static double seconds();  // so far

 private:
  static void add(double seconds);
  double begin_;
};

}  // namespace laconic::dropin
