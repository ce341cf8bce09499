// SPDX-License-Identifier: BSD-3-Clause
// Messages that the program sends: which of them travel in envelopes. The sender decides that by itself.
#pragma once

#include <mpi.h>

#include <optional>

#include "calls/operation.hpp"
#include "messages/envelope.hpp"

namespace laconic::dropin {

struct Outgoing {
  const void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int dest = MPI_PROC_NULL;
  int tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  Form form = Form::blocking;
  const void* site = nullptr;
};

// True when such messages may travel in envelopes, whatever they hold.
bool may_seal(const Outgoing& message);

// The envelope to be sent in place of the message; nothing for those that are left to MPI. Counts the message.
std::optional<SealedEnvelope> seal(const Outgoing& message);

}  // namespace laconic::dropin
