// SPDX-License-Identifier: BSD-3-Clause
// Messages that were taken out of MPI's hands before the program received them, because the program asked how long one
// is that may be an envelope: only its content says that. With it go all that the same rank had sent before, so that
// none overtakes another. Receives look here first.
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
  // One that MPI still has, or one that was received: its bytes.
  MPI_Message message = MPI_MESSAGE_NULL;
  Buffer content;
  MPI_Count bytes = -1;
  bool was_received() const { return bytes >= 0; }
};

// How many there are: all that a receive pays while there are none is this load.
extern std::atomic<int> unexpected_messages;
inline bool has_unexpected() {
  return __builtin_expect(unexpected_messages.load(std::memory_order_acquire) > 0, false);
}

// A receive looks here and then asks MPI; in between nothing must be taken out of MPI's hands. Shared by receives, and
// only where several threads may call MPI.
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
// The first that a receive of this kind matches; it is the caller's.
std::optional<UnexpectedMessage> take_unexpected(int source, int tag, MPI_Comm comm);

// MPI_Iprobe, as the program would see it.
int look_for(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
// MPI_Improbe: *message is for `receive_matched` below.
int match(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);

// Puts a held message where the program wants it.
int receive_unexpected(UnexpectedMessage& unexpected, const ReceiveBuffer& receive_buffer, MPI_Status& status);

// One that `match` gave out under a handle of its own; nothing for messages that MPI has.
std::optional<UnexpectedMessage> take_matched(MPI_Message* message);

}  // namespace laconic::dropin
