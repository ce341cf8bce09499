// SPDX-License-Identifier: BSD-3-Clause
// Requests of the program for messages that need more work after MPI has completed them: receives, whose messages may
// be envelopes, and sends of envelopes, whose memory the drop-in owns. The handles are MPI's own requests.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "core/buffers.hpp"
#include "core/datatypes.hpp"
#include "core/records.hpp"
#include "messages/receive_buffer.hpp"

namespace laconic::dropin {

// The number of such requests, freed ones included. While it is 0, this load is the only overhead of completing a
// request.
extern std::atomic<int> pending_messages;
inline bool has_pending() { return __builtin_expect(pending_messages.load(std::memory_order_acquire) > 0, false); }

struct Pending : Record {
  Pending() { pending_messages.fetch_add(1); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { pending_messages.fetch_sub(1); }

  ReceiveBuffer receive_buffer;  // for receives; of sends only the communicator
  OwnType type;                  // the type of the receive buffer
  Buffer memory;                 // for sends
  bool receives = false;
  bool settled = false;  // `result` and `code` describe the received message
  MPI_Status result{};
  int code = MPI_SUCCESS;

  // Finishes the message after MPI has completed the request with this status; sets the status that the program sees.
  int settle(MPI_Status& status);
};

// Registers a receive that has begun.
void expect(MPI_Request request, const ReceiveBuffer& receive_buffer);
// Registers a send from this memory that has begun, and keeps the memory until it is complete.
void keep(MPI_Request request, Buffer memory, MPI_Comm comm);
// Makes a request that MPI can complete at once, for a message that was received before.
int make_completed(const MPI_Status& result, int code, const ReceiveBuffer& receive_buffer, MPI_Request* request);
// Takes the entry of a request out of the table; null for requests that need no more work. The caller holds the entry
// while MPI may complete the request, because MPI may then reuse the handle for another request. If MPI does not
// complete it, the caller puts the entry back.
std::unique_ptr<Pending> take_pending(MPI_Request request);
void put_back(MPI_Request request, std::unique_ptr<Pending> pending);

// MPI_Request_free: keeps the request until it is complete. False if the request is not registered here.
bool free_pending(MPI_Request* request);
// Likewise keeps an internal send from this memory, whose request the program does not have.
void give_up(MPI_Request sending, Buffer memory, MPI_Comm comm);
// Completes freed requests that are done.
void sweep();
// Completes all freed requests on a communicator, which may take until other ranks have sent or received.
void finish_freed(MPI_Comm comm);

}  // namespace laconic::dropin
