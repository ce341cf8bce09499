// SPDX-License-Identifier: BSD-3-Clause
// Operations in flight: begun by the program, moved on whenever it completes requests, and by a thread of ours while it
// does anything else (docs/design/0011).
#pragma once

#include <mpi.h>

#include <atomic>

#include "calls/call.hpp"
#include "calls/numbers.hpp"
#include "core/communicator.hpp"

namespace laconic::dropin {

// How many are in flight. All that completing a request costs while there are none is this load.
extern std::atomic<int> in_flight;
inline bool busy() { return __builtin_expect(in_flight.load(std::memory_order_acquire) > 0, false); }

// Moves on what is in flight, unless another thread is at it.
void make_progress();

// Waits for a request of MPI itself while what is in flight moves on.
int wait_with_progress(MPI_Request& request);

// Begins an operation; *request becomes a generalized request of MPI that is complete when the operation is. Returns
// an error only where nothing has begun.
int begin_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request);

// Makes a persistent one; *request becomes a persistent request of MPI that stands for it.
int make_persistent_operation(const Call& call, Communicator& communicator, NumberSides& numbers, MPI_Request* request);

// The program gives up the request of one that is in flight; false when it is none of ours.
bool free_in_flight(MPI_Request* request);

// Completes what is in flight, and lets the thread go.
void drain();
void stop_thread();

}  // namespace laconic::dropin
