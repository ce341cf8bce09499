// SPDX-License-Identifier: BSD-3-Clause
// Included by counted_only.cpp for int counts and, from MPI 4 on, for MPI_Count. A call that is not counted goes to MPI
// after one load and a branch.

#define LACONIC_ARGUMENTS(...) __VA_ARGS__
#define LACONIC_COUNTED(Function, counted, arguments, ...)                        \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Function)(__VA_ARGS__) {                  \
    const auto itself = [&] { return LACONIC_NAME(PMPI_##Function)(LACONIC_ARGUMENTS arguments); }; \
    return counts(LACONIC_SITE) ? (counted).make(itself) : itself();              \
  }
#define LACONIC_COUNTED_STARTS(Function, counted, arguments, ...)                                 \
  LACONIC_EXPORT int LACONIC_NAME(MPI_##Function)(__VA_ARGS__, MPI_Request * request) {           \
    const int code = LACONIC_NAME(PMPI_##Function)(LACONIC_ARGUMENTS arguments, request);         \
    return counts(LACONIC_SITE) ? count_starts_of(code, counted, request) : code;                 \
  }

#define LACONIC_BUFFERED to_rank(Activity::bsend, LACONIC_SITE, buffer, count, type, dest, comm)
#define LACONIC_SENT const void *buffer, LACONIC_COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
LACONIC_COUNTED(Bsend, LACONIC_BUFFERED, (buffer, count, type, dest, tag, comm), LACONIC_SENT)
LACONIC_COUNTED(Ibsend, LACONIC_BUFFERED, (buffer, count, type, dest, tag, comm, request), LACONIC_SENT,
                MPI_Request* request)
LACONIC_COUNTED_STARTS(Bsend_init, LACONIC_BUFFERED, (buffer, count, type, dest, tag, comm), LACONIC_SENT)
#undef LACONIC_BUFFERED
#undef LACONIC_SENT

// In place, the receive side says what is sent.
#define LACONIC_PARTS(activity)                                                        \
  to_all(Activity::activity, LACONIC_SITE, send == MPI_IN_PLACE ? recv : send, send == MPI_IN_PLACE ? recvcounts : sendcounts,           \
         send == MPI_IN_PLACE ? rdispls : sdispls, send == MPI_IN_PLACE ? recvtypes : sendtypes, comm)
#define LACONIC_OF_PARTS(Displ)                                                                           \
  const void *send, const LACONIC_COUNT *sendcounts, const Displ *sdispls, const MPI_Datatype *sendtypes, \
      void *recv, const LACONIC_COUNT *recvcounts, const Displ *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm
#define LACONIC_PART_ARGUMENTS send, sendcounts, sdispls, sendtypes, recv, recvcounts, rdispls, recvtypes, comm

LACONIC_COUNTED(Ialltoallw, LACONIC_PARTS(alltoallw), (LACONIC_PART_ARGUMENTS, request),
                LACONIC_OF_PARTS(LACONIC_DISPL), MPI_Request* request)
LACONIC_COUNTED(Ineighbor_alltoallw, LACONIC_PARTS(neighbor_alltoallw), (LACONIC_PART_ARGUMENTS, request),
                LACONIC_OF_PARTS(MPI_Aint), MPI_Request* request)
#if MPI_VERSION >= 4
LACONIC_COUNTED_STARTS(Alltoallw_init, LACONIC_PARTS(alltoallw), (LACONIC_PART_ARGUMENTS, info),
                       LACONIC_OF_PARTS(LACONIC_DISPL), MPI_Info info)
LACONIC_COUNTED_STARTS(Neighbor_alltoallw_init, LACONIC_PARTS(neighbor_alltoallw), (LACONIC_PART_ARGUMENTS, info),
                       LACONIC_OF_PARTS(MPI_Aint), MPI_Info info)
#endif
#undef LACONIC_PARTS
#undef LACONIC_OF_PARTS
#undef LACONIC_PART_ARGUMENTS

// The contents of what is got are not there yet. With MPI_NO_OP nothing but the result moves, and the origin says nothing.
#define LACONIC_ON_WINDOW(activity) on_window(Activity::activity, LACONIC_SITE, origin, count, type)
#define LACONIC_FROM_WINDOW(activity) on_window(Activity::activity, LACONIC_SITE, nullptr, count, type)
#define LACONIC_WITH_WINDOW(activity)                                                                 \
  (op == MPI_NO_OP ? on_window(Activity::activity, LACONIC_SITE, nullptr, result_count, result_type) \
                   : on_window(Activity::activity, LACONIC_SITE, origin, count, type))
#define LACONIC_TARGET int rank, MPI_Aint displ, LACONIC_COUNT target_count, MPI_Datatype target_type
#define LACONIC_ORIGIN const void *origin, LACONIC_COUNT count, MPI_Datatype type
#define LACONIC_PLACES origin, count, type, rank, displ, target_count, target_type

LACONIC_COUNTED(Put, LACONIC_ON_WINDOW(put), (LACONIC_PLACES, win), LACONIC_ORIGIN, LACONIC_TARGET, MPI_Win win)
LACONIC_COUNTED(Rput, LACONIC_ON_WINDOW(put), (LACONIC_PLACES, win, request), LACONIC_ORIGIN, LACONIC_TARGET,
                MPI_Win win, MPI_Request* request)
LACONIC_COUNTED(Get, LACONIC_FROM_WINDOW(get), (LACONIC_PLACES, win), void* origin, LACONIC_COUNT count,
                MPI_Datatype type, LACONIC_TARGET, MPI_Win win)
LACONIC_COUNTED(Rget, LACONIC_FROM_WINDOW(get), (LACONIC_PLACES, win, request), void* origin, LACONIC_COUNT count,
                MPI_Datatype type, LACONIC_TARGET, MPI_Win win, MPI_Request* request)
LACONIC_COUNTED(Accumulate, LACONIC_ON_WINDOW(accumulate), (LACONIC_PLACES, op, win), LACONIC_ORIGIN, LACONIC_TARGET,
                MPI_Op op, MPI_Win win)
LACONIC_COUNTED(Raccumulate, LACONIC_ON_WINDOW(accumulate), (LACONIC_PLACES, op, win, request), LACONIC_ORIGIN,
                LACONIC_TARGET, MPI_Op op, MPI_Win win, MPI_Request* request)
#define LACONIC_RESULT void *result, LACONIC_COUNT result_count, MPI_Datatype result_type
LACONIC_COUNTED(Get_accumulate, LACONIC_WITH_WINDOW(get_accumulate),
                (origin, count, type, result, result_count, result_type, rank, displ, target_count, target_type, op,
                 win),
                LACONIC_ORIGIN, LACONIC_RESULT, LACONIC_TARGET, MPI_Op op, MPI_Win win)
LACONIC_COUNTED(Rget_accumulate, LACONIC_WITH_WINDOW(get_accumulate),
                (origin, count, type, result, result_count, result_type, rank, displ, target_count, target_type, op,
                 win, request),
                LACONIC_ORIGIN, LACONIC_RESULT, LACONIC_TARGET, MPI_Op op, MPI_Win win, MPI_Request* request)

#undef LACONIC_ON_WINDOW
#undef LACONIC_FROM_WINDOW
#undef LACONIC_WITH_WINDOW
#undef LACONIC_TARGET
#undef LACONIC_ORIGIN
#undef LACONIC_PLACES
#undef LACONIC_RESULT

// A split collective is counted by the function that begins it.
#define LACONIC_FILE(Function, activity, arguments, ...)                                                     \
  LACONIC_COUNTED(Function, on_file(Activity::activity, LACONIC_SITE, buffer, count, type), arguments,       \
                  MPI_File file, __VA_ARGS__)
#define LACONIC_HERE(Buffer) Buffer *buffer, LACONIC_COUNT count, MPI_Datatype type
#define LACONIC_AT(Buffer) MPI_Offset offset, LACONIC_HERE(Buffer)
#define LACONIC_FILE_CALLS(read, activity, Buffer)                                                           \
  LACONIC_WITH_STATUS(File_##read, activity, Buffer)                                                         \
  LACONIC_WITH_STATUS(File_##read##_all, activity, Buffer)                                                   \
  LACONIC_WITH_STATUS(File_##read##_shared, activity, Buffer)                                                \
  LACONIC_WITH_STATUS(File_##read##_ordered, activity, Buffer)                                               \
  LACONIC_AT_WITH_STATUS(File_##read##_at, activity, Buffer)                                                 \
  LACONIC_AT_WITH_STATUS(File_##read##_at_all, activity, Buffer)                                             \
  LACONIC_WITH_REQUEST(File_i##read, activity, Buffer)                                                       \
  LACONIC_WITH_REQUEST(File_i##read##_all, activity, Buffer)                                                 \
  LACONIC_WITH_REQUEST(File_i##read##_shared, activity, Buffer)                                              \
  LACONIC_AT_WITH_REQUEST(File_i##read##_at, activity, Buffer)                                               \
  LACONIC_AT_WITH_REQUEST(File_i##read##_at_all, activity, Buffer)                                           \
  LACONIC_FILE(File_##read##_all_begin, activity, (file, buffer, count, type), LACONIC_HERE(Buffer))         \
  LACONIC_FILE(File_##read##_ordered_begin, activity, (file, buffer, count, type), LACONIC_HERE(Buffer))     \
  LACONIC_FILE(File_##read##_at_all_begin, activity, (file, offset, buffer, count, type), LACONIC_AT(Buffer))
#define LACONIC_WITH_STATUS(Function, activity, Buffer) \
  LACONIC_FILE(Function, activity, (file, buffer, count, type, status), LACONIC_HERE(Buffer), MPI_Status* status)
#define LACONIC_AT_WITH_STATUS(Function, activity, Buffer) \
  LACONIC_FILE(Function, activity, (file, offset, buffer, count, type, status), LACONIC_AT(Buffer), MPI_Status* status)
#define LACONIC_WITH_REQUEST(Function, activity, Buffer) \
  LACONIC_FILE(Function, activity, (file, buffer, count, type, request), LACONIC_HERE(Buffer), MPI_Request* request)
#define LACONIC_AT_WITH_REQUEST(Function, activity, Buffer)                                                  \
  LACONIC_FILE(Function, activity, (file, offset, buffer, count, type, request), LACONIC_AT(Buffer),         \
               MPI_Request* request)

LACONIC_FILE_CALLS(read, file_read, void)
LACONIC_FILE_CALLS(write, file_write, const void)

#undef LACONIC_FILE
#undef LACONIC_HERE
#undef LACONIC_AT
#undef LACONIC_FILE_CALLS
#undef LACONIC_WITH_STATUS
#undef LACONIC_AT_WITH_STATUS
#undef LACONIC_WITH_REQUEST
#undef LACONIC_AT_WITH_REQUEST
#undef LACONIC_COUNTED
#undef LACONIC_COUNTED_STARTS
#undef LACONIC_ARGUMENTS
