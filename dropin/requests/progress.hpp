// SPDX-License-Identifier: BSD-3-Clause
// Operations in flight. The program begins them. They make progress whenever it completes requests; at other times, a
// thread of the drop-in makes progress (docs/design/0011).
#pragma once

#include <mpi.h>

#include <atomic>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"

namespace laconic::dropin {

// The number of operations in flight. While it is 0, this load is the only overhead of completing a request.
extern std::atomic<int> in_flight;
inline bool busy() { return __builtin_expect(in_flight.load(std::memory_order_acquire) > 0, false); }

// Makes progress on the operations in flight, unless another thread is doing so.
void make_progress();

// Completes in Laconic the operations whose requests the program has completed. Laconic then knows that the program may
// use their buffers again. Called before another operation begins.
void complete_in_laconic();

// Waits for a request of MPI while operations in flight make progress.
int wait_with_progress(MPI_Request& request);

// Begins an operation. Sets *request to a generalized request of MPI that is complete when the operation is. Returns an
// error only if nothing has begun.
int begin_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request);

// Makes a persistent operation. Sets *request to a persistent request of MPI that represents it.
int make_persistent_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request);

// MPI_Request_free for an operation in flight. False if the request does not belong to one.
bool free_in_flight(MPI_Request* request);

// drain() completes all operations in flight; stop_thread() ends the progress thread.
void drain();
void stop_thread();

}  // namespace laconic::dropin
