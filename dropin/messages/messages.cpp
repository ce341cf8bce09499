// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions that send, receive and probe for messages, under their MPI and PMPI names. Functions with counts are
// defined in messages.inl, which is included once for each width of counts.
#include <mpi.h>

#include <climits>
#include <functional>
#include <thread>

#include "calls/carried.hpp"
#include "core/process.hpp"
#include "messages/outgoing.hpp"
#include "messages/unexpected.hpp"
#include "mpi/exports.hpp"
#include "mpi/mpi_itself.hpp"
#include "requests/pending.hpp"
#include "requests/persistent.hpp"
#include "requests/progress.hpp"

using namespace laconic::dropin;

namespace {

bool untouched(const void* site) { return !messages_watched() || from_library(site); }

bool counts(const Outgoing& message) { return counts_traffic() && !from_library(message.site); }

// Makes a call of MPI's own that sends a message, and counts the message where a report asks for it.
template <class Call>
int unwatched(const Outgoing& message, Call call) {
  return counts(message) ? send_counted(message, call) : call();
}

// Raises an error of the drop-in as MPI raises its own: through the error handler of the communicator.
int raise(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

int finish_receive(const ReceiveBuffer& receive_buffer, int source, MPI_Status& status) {
  const int code = source == MPI_PROC_NULL ? MPI_SUCCESS : raise(receive_buffer.comm, settle(receive_buffer, status));
  sweep();
  return code;
}

std::optional<UnexpectedMessage> unexpected_for(int source, int tag, MPI_Comm comm) {
  return has_unexpected() ? take_unexpected(source, tag, comm) : std::nullopt;
}

int put_unexpected(UnexpectedMessage& unexpected, const ReceiveBuffer& receive_buffer, MPI_Status& status) {
  const bool by_mpi = !unexpected.was_received();
  const int code = receive_unexpected(unexpected, receive_buffer, status);
  return by_mpi ? code : raise(receive_buffer.comm, code);
}

// Begins a nonblocking receive. Unexpected messages are searched first.
template <class Irecv>
int begin_receive(const ReceiveBuffer& receive_buffer, int source, int tag, MPI_Request* request, Irecv irecv) {
  const Gate gate;
  if (auto unexpected = unexpected_for(source, tag, receive_buffer.comm)) {
    MPI_Status status{};
    const int code = receive_unexpected(*unexpected, receive_buffer, status);
    return make_completed(status, code, receive_buffer, request);
  }
  const int code = irecv(request);
  if (code == MPI_SUCCESS && source != MPI_PROC_NULL && receive_buffer.room() >= least_envelope)
    expect(*request, receive_buffer);
  return code;
}

template <class Recv, class Irecv>
int receive(const ReceiveBuffer& receive_buffer, int source, int tag, MPI_Status* wanted, Recv recv, Irecv irecv) {
  MPI_Status own{};
  MPI_Status& status = wanted == MPI_STATUS_IGNORE ? own : *wanted;
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const Gate gate;
    if (auto unexpected = unexpected_for(source, tag, receive_buffer.comm))
      return put_unexpected(*unexpected, receive_buffer, status);
    if (many_threads())
      if (const int code = irecv(&request); code != MPI_SUCCESS) return code;
  }
  const int code = many_threads() ? mpi::Wait(&request, &status) : recv(&status);
  return code == MPI_SUCCESS ? finish_receive(receive_buffer, source, status) : code;
}

// MPI_Sendrecv: a receive that begins before the blocking `send` and completes after it.
template <class Irecv, class Send>
int exchange(const ReceiveBuffer& receive_buffer, int source, int tag, MPI_Status* status, Irecv irecv, Send send) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int code = begin_receive(receive_buffer, source, tag, &request, irecv); code != MPI_SUCCESS) return code;
  if (const int code = send(); code != MPI_SUCCESS) return code;
  return MPI_Wait(&request, status);
}

// True if MPI_Sendrecv must be split into a receive and a send: a matching unexpected message exists, or other threads
// may create one at any time.
bool apart(int source, int tag, MPI_Comm comm) {
  return many_threads() || (has_unexpected() && holds(source, tag, comm));
}

// MPI_Isendrecv, with the request of the receive as the only one. The data to be sent is in memory of the drop-in, so
// the program need not wait for the send. (MPI's own function would do both, but in MPICH its status does not describe
// the received message.)
template <class Irecv>
int begin_exchange(const ReceiveBuffer& receive_buffer, int source, int tag, MPI_Request* request, Irecv irecv,
                   SealedEnvelope sent, int dest, int sent_tag) {
  if (const int code = begin_receive(receive_buffer, source, tag, request, irecv); code != MPI_SUCCESS) return code;
  MPI_Request sending = MPI_REQUEST_NULL;
  const int code =
      mpi::Isend(sent.memory.data(), sent.length, MPI_PACKED, dest, sent_tag, receive_buffer.comm, &sending);
  if (code == MPI_SUCCESS) give_up(sending, std::move(sent.memory), receive_buffer.comm);
  return code;
}

// A copy of the content of a buffer, to be sent from memory of the drop-in: a receive may overwrite the buffer.
int copy_of(const ReceiveBuffer& receive_buffer, std::optional<SealedEnvelope>& out) {
  out.emplace();
  return copy_of(receive_buffer, out->memory, out->length);
}

class PersistentMessage final : public Persistent {
 public:
  using Begin = std::function<int(MPI_Datatype, MPI_Request*)>;
  PersistentMessage(MPI_Datatype type, Begin begin) : type_(type), begin_(std::move(begin)) {}
  int start(MPI_Request& active) override { return begin_(type_.get(), &active); }
  int cancel(MPI_Request& active) override { return mpi::Cancel(&active); }
  int free(MPI_Request& active) override { return MPI_Request_free(&active); }

 private:
  OwnType type_;
  Begin begin_;
};

int make_persistent_message(MPI_Datatype type, PersistentMessage::Begin begin, MPI_Request* request) {
  return make_persistent(std::make_unique<PersistentMessage>(type, std::move(begin)), request);
}

template <class Look>
int look_until_found(Look look) {
  int flag = 0;
  while (true) {
    if (const int code = look(&flag); code != MPI_SUCCESS || flag) return code;
    if (busy()) make_progress();
    std::this_thread::yield();
  }
}

}  // namespace

#define LACONIC_DEFINITIONS "messages/messages.inl"
#include "mpi/both_counts.inl"

LACONIC_EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (untouched(LACONIC_SITE)) return mpi::Iprobe(source, tag, comm, flag, status);
  return look_for(source, tag, comm, flag, status);
}
LACONIC_ALSO_AS_PMPI(Iprobe)

LACONIC_EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (untouched(LACONIC_SITE)) return mpi::Probe(source, tag, comm, status);
  // A blocking probe of MPI waits more efficiently than polling.
  if (!many_threads() && !has_unexpected())
    if (const int code = mpi::Probe(source, tag, comm, MPI_STATUS_IGNORE); code != MPI_SUCCESS) return code;
  return look_until_found([&](int* flag) { return look_for(source, tag, comm, flag, status); });
}
LACONIC_ALSO_AS_PMPI(Probe)

LACONIC_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                               MPI_Status* status) {
  if (untouched(LACONIC_SITE)) return mpi::Improbe(source, tag, comm, flag, message, status);
  return match(source, tag, comm, flag, message, status);
}
LACONIC_ALSO_AS_PMPI(Improbe)

LACONIC_EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (untouched(LACONIC_SITE)) return mpi::Mprobe(source, tag, comm, message, status);
  if (!many_threads() && !has_unexpected())
    if (const int code = mpi::Probe(source, tag, comm, MPI_STATUS_IGNORE); code != MPI_SUCCESS) return code;
  return look_until_found([&](int* flag) { return match(source, tag, comm, flag, message, status); });
}
LACONIC_ALSO_AS_PMPI(Mprobe)
