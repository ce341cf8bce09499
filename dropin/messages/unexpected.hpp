// SPDX-License-Identifier: BSD-3-Clause
// Unexpected messages: messages received from MPI before the program receives them. This happens when the program
// probes for a message that may be an envelope, because only its content tells the length that the program must see.
// All earlier messages of the same rank are taken with it, so that no message overtakes another. Receives search these
// messages first.
#pragma once

#include <mpi.h>

#include <atomic>
#include <optional>
#include <shared_mutex>

#include "core/buffers.hpp"
#include "messages/receive_buffer.hpp"

namespace laconic::dropin {

struct UnexpectedMessage {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Status status{};  // as the program is to see it
  // Either a handle of a matched message that MPI still holds, or the content of a received one.
  MPI_Message message = MPI_MESSAGE_NULL;
  Buffer content;
  MPI_Count bytes = -1;
  bool was_received() const { return bytes >= 0; }
};

// The number of unexpected messages. While it is 0, this load is the only overhead of a receive.
extern std::atomic<int> unexpected_messages;
inline bool has_unexpected() {
  return __builtin_expect(unexpected_messages.load(std::memory_order_acquire) > 0, false);
}

// A shared lock. A receive holds it while it searches the unexpected messages and then posts itself in MPI: in between,
// no probe of another thread may take messages from MPI. Used only with MPI_THREAD_MULTIPLE.
class Gate {
 public:
  static void set_threads(bool many);
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
};
bool many_threads();

bool holds(int source, int tag, MPI_Comm comm);
// Removes and returns the first unexpected message that such a receive matches.
std::optional<UnexpectedMessage> take_unexpected(int source, int tag, MPI_Comm comm);

// MPI_Iprobe with the status that the program must see.
int look_for(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
// MPI_Improbe with the status that the program must see. *message is to be passed to take_matched() below.
int match(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

// Delivers an unexpected message into the receive buffer.
int receive_unexpected(UnexpectedMessage& unexpected, const ReceiveBuffer& receive_buffer, MPI_Status& status);

// The message for which match() returned a substitute handle; nullopt for messages that MPI still holds.
std::optional<UnexpectedMessage> take_matched(MPI_Message* message);

}  // namespace laconic::dropin
