// SPDX-License-Identifier: BSD-3-Clause
// The object behind a laconic_request: an operation that has begun and is polled until it has finished.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/status.hpp"
#include "laconic/laconic.h"

struct laconic_request_s {};

namespace laconic {

struct Binding;

class Operation : public laconic_request_s {
 public:
  virtual ~Operation() = default;

  // Moves on as far as possible without waiting; true once finished.  The caller holds the binding's lock.
  virtual bool poll() = 0;

  // Whether the last poll() made progress: then another one may make more at once.
  virtual bool moved() const { return false; }

  // Whether MPI alone moves the operation on for now, whenever it is called: then a poll only finds out its end.
  virtual bool awaits_mpi() const { return false; }

  // Begins a persistent operation once more.  The caller holds the binding's lock.
  virtual void restart() = 0;

  // Called when the application has completed a persistent operation, which keeps it.
  virtual void completed() {}

  // Ends the use of the operation: it may be used again, for another call.
  virtual void release() = 0;

  // The outcome of a finished operation: its error, and the code of an error that MPI itself has already reported.
  Status status;
  int mpi_code = MPI_SUCCESS;

  // The MPI status of a received message.
  MPI_Status envelope{};
  bool has_envelope = false;

  // Keeps the binding alive, even if the application frees the communicator meanwhile.
  std::shared_ptr<Binding> binding;
  bool in_flight = false;  // begun, and has not finished
  bool pending = false;    // begun, and has not been completed by the application
  bool persistent = false;
  bool wants_thread = false;  // uses the progress thread while it is in flight
};

}  // namespace laconic
