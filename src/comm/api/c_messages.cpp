// SPDX-License-Identifier: BSD-3-Clause
// The C API: messages between two ranks.
#include "comm/api/c_guard.hpp"
#include "comm/messages/message.hpp"
#include "laconic/laconic.h"

using laconic::guarded;
using laconic::MessageCall;

namespace {

// The cast is safe, because a send only reads its buffer.
MessageCall sending(const void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return {true, false, {const_cast<void*>(buf), count, type}, dest, tag, comm, {}, {}};
}

MessageCall receiving(void* buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
  return {false, false, {buf, count, type}, source, tag, comm, {}, {}};
}

}  // namespace

int laconic_send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 const laconic_options* options) {
  return guarded(comm, [&]() -> int {
    return laconic::run_message(sending(buf, count, datatype, dest, tag, comm), MPI_STATUS_IGNORE, options);
  });
}

int laconic_recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Status* status, const laconic_options* options) {
  return guarded(
      comm, [&] { return laconic::run_message(receiving(buf, count, datatype, source, tag, comm), status, options); });
}

int laconic_sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                     MPI_Status* status, const laconic_options* options) {
  return guarded(comm, [&]() -> int {
    MessageCall send = sending(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    MessageCall receive = receiving(recvbuf, recvcount, recvtype, source, recvtag, comm);
    send.paired = receive.paired = true;
    return laconic::run_messages(send, receive, status, options);
  });
}

int laconic_isend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  laconic_request* request, const laconic_options* options) {
  return guarded(
      comm, [&] { return laconic::begin_message(sending(buf, count, datatype, dest, tag, comm), request, options); });
}

int laconic_irecv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  laconic_request* request, const laconic_options* options) {
  return guarded(comm, [&]() -> int {
    return laconic::begin_message(receiving(buf, count, datatype, source, tag, comm), request, options);
  });
}
