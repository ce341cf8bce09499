// SPDX-License-Identifier: BSD-3-Clause
// Included by messages.cpp for int counts and, from MPI 4 on, for MPI_Count.

#define LACONIC_SEND(Name)                                                                                          \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Name)(const void* buffer, LACONIC_COUNT count, MPI_Datatype type, int dest, \
                                              int tag, MPI_Comm comm) {                                             \
    const Outgoing message{buffer, count, type, dest, tag, comm, Form::blocking, LACONIC_SITE};                     \
    const auto itself = [&] { return mpi::LACONIC_NAME(Name)(buffer, count, type, dest, tag, comm); };              \
    if (untouched(LACONIC_SITE)) return unwatched(message, itself);                                                 \
    if (const auto sealed = seal(message))                                                                          \
      return mpi::Name(sealed->memory.data(), sealed->length, MPI_PACKED, dest, tag, comm);                         \
    return itself();                                                                                                \
  }                                                                                                                 \
  LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Name))

// Begins a nonblocking send of an envelope, or of the message itself.
#define LACONIC_BEGIN_SEND(Name, message, tag, request)                                                               \
  if (auto sealed = seal(message)) {                                                                                  \
    const int code = mpi::Name(sealed->memory.data(), sealed->length, MPI_PACKED, (message).dest, tag,                \
                               (message).comm, request);                                                              \
    if (code == MPI_SUCCESS) keep(*(request), std::move(sealed->memory), (message).comm);                                  \
    return code;                                                                                                      \
  }                                                                                                                   \
  return mpi::LACONIC_NAME(Name)((message).buffer, static_cast<LACONIC_COUNT>((message).count), (message).type,       \
                                 (message).dest, tag, (message).comm, request)

#define LACONIC_ISEND(Name)                                                                                         \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Name)(const void* buffer, LACONIC_COUNT count, MPI_Datatype type, int dest, \
                                              int tag, MPI_Comm comm, MPI_Request* request) {                       \
    const Outgoing message{buffer, count, type, dest, tag, comm, Form::nonblocking, LACONIC_SITE};                  \
    if (untouched(LACONIC_SITE))                                                                                    \
      return unwatched(                                                                                             \
          message, [&] { return mpi::LACONIC_NAME(Name)(buffer, count, type, dest, tag, comm, request); });         \
    LACONIC_BEGIN_SEND(Name, message, tag, request);                                                                \
  }                                                                                                                 \
  LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Name))

#define LACONIC_SEND_INIT(Name, Begin)                                                                              \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Name)(const void* buffer, LACONIC_COUNT count, MPI_Datatype type, int dest, \
                                              int tag, MPI_Comm comm, MPI_Request* request) {                       \
    const Outgoing asked{buffer, count, type, dest, tag, comm, Form::persistent, LACONIC_SITE};                     \
    if (untouched(LACONIC_SITE) || !may_seal(asked)) {                                                              \
      const int code = mpi::LACONIC_NAME(Name)(buffer, count, type, dest, tag, comm, request);                      \
      if (code == MPI_SUCCESS && counts(asked)) count_plain_starts(asked, *request);                                \
      return code;                                                                                                  \
    }                                                                                                               \
    return make_persistent_message(                                                                                 \
        type,                                                                                                       \
        [asked, tag](MPI_Datatype own, MPI_Request* active) -> int {                                                \
          Outgoing message = asked;                                                                                 \
          message.type = own;                                                                                       \
          LACONIC_BEGIN_SEND(Begin, message, tag, active);                                                          \
        },                                                                                                          \
        request);                                                                                                   \
  }                                                                                                                 \
  LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Name))

LACONIC_SEND(Send)
LACONIC_SEND(Ssend)
LACONIC_SEND(Rsend)
LACONIC_ISEND(Isend)
LACONIC_ISEND(Issend)
LACONIC_ISEND(Irsend)
LACONIC_SEND_INIT(Send_init, Isend)
LACONIC_SEND_INIT(Ssend_init, Issend)
LACONIC_SEND_INIT(Rsend_init, Irsend)

#undef LACONIC_SEND
#undef LACONIC_BEGIN_SEND
#undef LACONIC_ISEND
#undef LACONIC_SEND_INIT

LACONIC_EXPORT int LACONIC_NAME(MPI_Recv)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, int source, int tag,
                                          MPI_Comm comm, MPI_Status* status) {
  const CountedWait counted;
  if (untouched(LACONIC_SITE)) return mpi::LACONIC_NAME(Recv)(buffer, count, type, source, tag, comm, status);
  return receive(
      {buffer, count, type, comm}, source, tag, status,
      [&](MPI_Status* s) { return mpi::LACONIC_NAME(Recv)(buffer, count, type, source, tag, comm, s); },
      [&](MPI_Request* r) { return mpi::LACONIC_NAME(Irecv)(buffer, count, type, source, tag, comm, r); });
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Recv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Irecv)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, int source, int tag,
                                           MPI_Comm comm, MPI_Request* request) {
  if (untouched(LACONIC_SITE)) return mpi::LACONIC_NAME(Irecv)(buffer, count, type, source, tag, comm, request);
  return begin_receive({buffer, count, type, comm}, source, tag, request, [&](MPI_Request* r) {
    return mpi::LACONIC_NAME(Irecv)(buffer, count, type, source, tag, comm, r);
  });
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Irecv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Recv_init)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, int source,
                                               int tag, MPI_Comm comm, MPI_Request* request) {
  const ReceiveBuffer receive_buffer{buffer, count, type, comm};
  if (untouched(LACONIC_SITE) || source == MPI_PROC_NULL || receive_buffer.room() < 0)
    return mpi::LACONIC_NAME(Recv_init)(buffer, count, type, source, tag, comm, request);
  return make_persistent_message(
      type,
      [=](MPI_Datatype own, MPI_Request* active) {
        return begin_receive({buffer, count, own, comm}, source, tag, active, [&](MPI_Request* r) {
          return mpi::LACONIC_NAME(Irecv)(buffer, count, own, source, tag, comm, r);
        });
      },
      request);
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Recv_init))

LACONIC_EXPORT int LACONIC_NAME(MPI_Mrecv)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, MPI_Message* message,
                                           MPI_Status* wanted) {
  if (!untouched(LACONIC_SITE)) {
    if (auto unexpected = take_matched(message)) {
      MPI_Status own{};
      return put_unexpected(*unexpected, {buffer, count, type, unexpected->comm}, wanted == MPI_STATUS_IGNORE ? own : *wanted);
    }
  }
  return mpi::LACONIC_NAME(Mrecv)(buffer, count, type, message, wanted);
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Mrecv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Imrecv)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, MPI_Message* message,
                                            MPI_Request* request) {
  if (!untouched(LACONIC_SITE)) {
    if (auto unexpected = take_matched(message)) {
      const ReceiveBuffer receive_buffer{buffer, count, type, unexpected->comm};
      MPI_Status status{};
      const int code = receive_unexpected(*unexpected, receive_buffer, status);
      return make_completed(status, code, receive_buffer, request);
    }
  }
  return mpi::LACONIC_NAME(Imrecv)(buffer, count, type, message, request);
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Imrecv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Sendrecv)(const void* out, LACONIC_COUNT out_count, MPI_Datatype out_type, int dest,
                                              int out_tag, void* in, LACONIC_COUNT in_count, MPI_Datatype in_type,
                                              int source, int in_tag, MPI_Comm comm, MPI_Status* wanted) {
  const auto itself = [&](const void* from, LACONIC_COUNT n, MPI_Datatype type, MPI_Status* status) {
    return mpi::LACONIC_NAME(Sendrecv)(from, n, type, dest, out_tag, in, in_count, in_type, source, in_tag, comm,
                                       status);
  };
  const Outgoing message{out, out_count, out_type, dest, out_tag, comm, Form::blocking, LACONIC_SITE};
  if (untouched(LACONIC_SITE)) return unwatched(message, [&] { return itself(out, out_count, out_type, wanted); });
  const ReceiveBuffer receive_buffer{in, in_count, in_type, comm};
  const auto sealed = seal(message);
  const void* from = sealed ? sealed->memory.data() : out;
  const LACONIC_COUNT n = sealed ? sealed->length : out_count;
  const MPI_Datatype type = sealed ? MPI_PACKED : out_type;
  if (apart(source, in_tag, comm))
    return exchange(
        receive_buffer, source, in_tag, wanted,
        [&](MPI_Request* r) { return mpi::LACONIC_NAME(Irecv)(in, in_count, in_type, source, in_tag, comm, r); },
        [&] { return mpi::LACONIC_NAME(Send)(from, n, type, dest, out_tag, comm); });
  MPI_Status own{};
  MPI_Status& status = wanted == MPI_STATUS_IGNORE ? own : *wanted;
  const int code = itself(from, n, type, &status);
  return code == MPI_SUCCESS ? finish_receive(receive_buffer, source, status) : code;
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Sendrecv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Sendrecv_replace)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, int dest,
                                                      int out_tag, int source, int in_tag, MPI_Comm comm,
                                                      MPI_Status* wanted) {
  const Outgoing message{buffer, count, type, dest, out_tag, comm, Form::blocking, LACONIC_SITE};
  if (untouched(LACONIC_SITE))
    return unwatched(message, [&] {
      return mpi::LACONIC_NAME(Sendrecv_replace)(buffer, count, type, dest, out_tag, source, in_tag, comm, wanted);
    });
  const ReceiveBuffer receive_buffer{buffer, count, type, comm};
  MPI_Status own{};
  MPI_Status& status = wanted == MPI_STATUS_IGNORE ? own : *wanted;
  auto copy = seal(message);
  if (!copy && !apart(source, in_tag, comm)) {
    const int code =
        mpi::LACONIC_NAME(Sendrecv_replace)(buffer, count, type, dest, out_tag, source, in_tag, comm, &status);
    return code == MPI_SUCCESS ? finish_receive(receive_buffer, source, status) : code;
  }
  if (!copy)
    if (const int code = copy_of(receive_buffer, copy); code != MPI_SUCCESS) return raise(comm, code);
  return exchange(
      receive_buffer, source, in_tag, &status,
      [&](MPI_Request* r) { return mpi::LACONIC_NAME(Irecv)(buffer, count, type, source, in_tag, comm, r); },
      [&] { return mpi::Send(copy->memory.data(), copy->length, MPI_PACKED, dest, out_tag, comm); });
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Sendrecv_replace))

#if MPI_VERSION >= 4
LACONIC_EXPORT int LACONIC_NAME(MPI_Isendrecv)(const void* out, LACONIC_COUNT out_count, MPI_Datatype out_type,
                                               int dest, int out_tag, void* in, LACONIC_COUNT in_count,
                                               MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                                               MPI_Request* request) {
  const Outgoing message{out, out_count, out_type, dest, out_tag, comm, Form::nonblocking, LACONIC_SITE};
  if (untouched(LACONIC_SITE))
    return unwatched(message, [&] {
      return mpi::LACONIC_NAME(Isendrecv)(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag,
                                        comm, request);
    });
  auto sent = seal(message);
  if (!sent)
    if (const int code = copy_of({const_cast<void*>(out), out_count, out_type, comm}, sent); code != MPI_SUCCESS)
      return raise(comm, code);
  return begin_exchange(
      {in, in_count, in_type, comm}, source, in_tag, request,
      [&](MPI_Request* r) { return mpi::LACONIC_NAME(Irecv)(in, in_count, in_type, source, in_tag, comm, r); },
      std::move(*sent), dest, out_tag);
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Isendrecv))

LACONIC_EXPORT int LACONIC_NAME(MPI_Isendrecv_replace)(void* buffer, LACONIC_COUNT count, MPI_Datatype type, int dest,
                                                       int out_tag, int source, int in_tag, MPI_Comm comm,
                                                       MPI_Request* request) {
  const Outgoing message{buffer, count, type, dest, out_tag, comm, Form::nonblocking, LACONIC_SITE};
  if (untouched(LACONIC_SITE))
    return unwatched(message, [&] {
      return mpi::LACONIC_NAME(Isendrecv_replace)(buffer, count, type, dest, out_tag, source, in_tag, comm, request);
    });
  const ReceiveBuffer receive_buffer{buffer, count, type, comm};
  auto sent = seal(message);
  if (!sent)
    if (const int code = copy_of(receive_buffer, sent); code != MPI_SUCCESS) return raise(comm, code);
  return begin_exchange(
      receive_buffer, source, in_tag, request,
      [&](MPI_Request* r) { return mpi::LACONIC_NAME(Irecv)(buffer, count, type, source, in_tag, comm, r); },
      std::move(*sent), dest, out_tag);
}
LACONIC_ALSO_AS_PMPI(LACONIC_NAME(Isendrecv_replace))
#endif
