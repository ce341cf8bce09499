// SPDX-License-Identifier: BSD-3-Clause
// Requests of the program for messages that are not done when MPI has completed them: receives, whose messages may be
// envelopes, and sends of envelopes, whose memory is ours. They are requests of MPI itself.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>

#include "core/buffers.hpp"
#include "core/datatypes.hpp"
#include "core/records.hpp"
#include "messages/receive_buffer.hpp"

namespace laconic::dropin {

// How many there are, freed ones included. All that completing requests costs while there are none is this load.
extern std::atomic<int> pending_messages;
inline bool has_pending() { return __builtin_expect(pending_messages.load(std::memory_order_acquire) > 0, false); }

struct Pending : Record {
  Pending() { pending_messages.fetch_add(1); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { pending_messages.fetch_sub(1); }

  ReceiveBuffer receive_buffer;  // of receives
  OwnType type;                  // that of the landing
  Buffer memory;                 // of sends
  bool receives = false;
  bool settled = false;  // `result` and `code` say what came
  MPI_Status result{};
  int code = MPI_SUCCESS;

  // What the program is to see, once MPI has completed the receive with this status.
  int settle(MPI_Status& status);
};

// A receive that has begun.
void expect(MPI_Request request, const ReceiveBuffer& receive_buffer);
// A send that has begun, of this memory.
void keep(MPI_Request request, Buffer memory);
// A request of MPI's that is as good as complete, for a message that was received before.
int make_completed(const MPI_Status& result, int code, const ReceiveBuffer& receive_buffer, MPI_Request* request);
// Null for requests that nothing is to be done for. The caller has it while MPI may complete the request, after which
// the handle may be another's; if MPI does not, it is put back.
std::unique_ptr<Pending> take_pending(MPI_Request request);
void put_back(MPI_Request request, std::unique_ptr<Pending> pending);

// The program gives the request up: it is looked after until it is complete. False when it is none of these.
bool free_pending(MPI_Request* request);
// The same of a send of this memory that the program does not know.
void give_up(MPI_Request sending, Buffer memory);
// Looks after those.
void sweep();

}  // namespace laconic::dropin
