// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests for operations of the drop-in. The program's handle is an inactive persistent request of MPI.
// While the operation is active, a second request, which MPI can complete, represents it.
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

  // Begins the operation; sets `active` to the request that completes it.
  virtual int start(MPI_Request& active) = 0;
  virtual int cancel(MPI_Request& active) = 0;
  // The program has completed the operation.
  virtual void completed() {}
  // The program frees the persistent request while the operation is active.
  virtual int free(MPI_Request& active) = 0;
};

// The number of persistent requests of the drop-in. While it is 0, all persistent requests are MPI's own.
extern std::atomic<int> persistent_requests;
inline bool has_persistent() { return persistent_requests.load(std::memory_order_acquire) > 0; }

// Sets *request to a persistent request of MPI that represents `made`.
int make_persistent(std::unique_ptr<Persistent> made, MPI_Request* request);

// These functions return false if the request does not belong to the drop-in.
bool start_persistent(MPI_Request request, int& code);
bool cancel_persistent(MPI_Request request, int& code);
bool free_persistent(MPI_Request* request, int& code);

// The request that completes an active persistent request of the drop-in; MPI_REQUEST_NULL for all others.
MPI_Request stand_in(MPI_Request persistent);
// Called after the program has completed the request.
void deactivate(MPI_Request persistent);

}  // namespace laconic::dropin
