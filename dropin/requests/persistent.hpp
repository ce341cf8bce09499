// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests that MPI cannot make: the program's handle is an idle request of MPI's own, and while it is
// active another request, which MPI can complete, stands in for it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

namespace laconic::dropin {

class Persistent {
 public:
  Persistent() = default;
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;
  virtual ~Persistent() = default;

  // Begins what it is for; `active` becomes what completes it.
  virtual int start(MPI_Request& active) = 0;
  virtual int cancel(MPI_Request& active) = 0;
};

// True while requests of the program may be ours in a way that MPI does not know.
extern std::atomic<int> persistent_requests;
inline bool has_persistent() { return persistent_requests.load(std::memory_order_acquire) > 0; }

// *request becomes a persistent request of MPI that stands for it.
int make_persistent(std::unique_ptr<Persistent> made, MPI_Request* request);

// These return false when the request is none of ours.
bool start_persistent(MPI_Request request, int& code);
bool cancel_persistent(MPI_Request request, int& code);
// Waits for it if it is active: MPI does not allow that, but nobody then uses memory that is gone.
bool free_persistent(MPI_Request* request, int& code);

// What completes a persistent request of ours that is active; MPI_REQUEST_NULL for all others.
MPI_Request stand_in(MPI_Request persistent);
// It has been completed by the program.
void deactivate(MPI_Request persistent);

}  // namespace laconic::dropin
