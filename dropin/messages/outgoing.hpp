// SPDX-License-Identifier: BSD-3-Clause
// Messages that the program sends, and the decision which of them are sent in envelopes. The sender alone decides.
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

// True if a message with these arguments may be sent in an envelope, whatever its content.
bool may_seal(const Outgoing& message);

// Counts a message that MPI sends, and the starts of a persistent request of MPI, for the report.
void count_plain(const Outgoing& message);
void count_plain_starts(const Outgoing& message, MPI_Request request);

// The envelope to be sent in place of the message; nullopt if the message is left to MPI. Counts the message.
std::optional<SealedEnvelope> seal(const Outgoing& message);

}  // namespace laconic::dropin
