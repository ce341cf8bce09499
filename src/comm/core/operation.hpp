// SPDX-License-Identifier: BSD-3-Clause
// What a laconic_request points to: an operation that was begun and is polled until it has finished.
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

  // Moves on as far as is possible without waiting; true once finished.  With the binding's lock held.
  virtual bool poll() = 0;

  // Whether the last poll() found something to do: more may be to be done at once.
  virtual bool moved() const { return false; }

  // Begins a persistent operation once more.  With the binding's lock held.
  virtual void restart() = 0;

  // Nobody needs the operation any more: it may be used again, for another.
  virtual void release() = 0;

  // Of a finished operation: what went wrong, and what MPI itself has reported already.
  Status status;
  int mpi_code = MPI_SUCCESS;

  // Of a message that was received.
  MPI_Status envelope{};
  bool has_envelope = false;

  // Keeps what the operation works with, even if the application frees the communicator meanwhile.
  std::shared_ptr<Binding> binding;
  bool in_flight = false;  // begun, and has not finished
  bool pending = false;    // begun, and has not been completed by the application
  bool persistent = false;
  bool wants_thread = false;  // while it is in flight
};

}  // namespace laconic
