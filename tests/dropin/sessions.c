/* SPDX-License-Identifier: BSD-3-Clause
 * A program of sessions alone, without MPI_Init: it stays plain, whatever the settings, and its results are MPI's own.
 * Two sessions one after the other, with all kinds of calls that would be compressed, and callbacks of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 4000 };

static double mine[count], got[count], right[count], from[count];
static int copies, failures;

static void check(int condition, const char* what, int rank) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void compare(const char* what, int rank) { check(memcmp(got, right, sizeof got) == 0, what, rank); }

static void with_communicator(MPI_Comm comm) {
  int rank = 0, size = 1, number = -1, initialized = 1, key = MPI_KEYVAL_INVALID;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Initialized(&initialized);
  check(!initialized, "MPI_Initialized without MPI_Init", rank);
  MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(comm, key, NULL);
  for (int k = 0; k < count; ++k) mine[k] = (k % 100 + rank) / 1024.0;
  PMPI_Allreduce(mine, right, count, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(mine, got, count, MPI_DOUBLE, MPI_SUM, comm);
  compare("MPI_Allreduce", rank);
  memset(got, 0, sizeof got);
  MPI_Iallreduce(mine, got, count, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  compare("MPI_Iallreduce", rank);
  memset(got, 0, sizeof got);
  MPI_Allreduce_init(mine, got, count, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  compare("MPI_Allreduce_init", rank);
  for (int k = 0; k < count; ++k) right[k] = (k % 100) / 1024.0;
  memcpy(got, mine, sizeof got);
  MPI_Bcast(got, count, MPI_DOUBLE, 0, comm);
  compare("MPI_Bcast", rank);
  const int last = (rank + size - 1) % size;
  for (int k = 0; k < count; ++k) right[k] = (k % 100 + last) / 1024.0;
  MPI_Irecv(got, count, MPI_DOUBLE, last, 3, comm, &requests[0]);
  MPI_Isend(mine, count, MPI_DOUBLE, (rank + 1) % size, 3, comm, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &number);
  check(number == count && statuses[0].MPI_SOURCE == last, "the status of a message", rank);
  compare("a message", rank);
  memset(got, 0, sizeof got);
  MPI_Sendrecv(mine, count, MPI_DOUBLE, (rank + 1) % size, 4, from, count, MPI_DOUBLE, last, 4, comm,
               MPI_STATUS_IGNORE);
  check(memcmp(from, right, sizeof from) == 0, "MPI_Sendrecv", rank);
  check(copies == 0, "an attribute was copied", rank);
  MPI_Comm_free_keyval(&key);
}

int main(void) {
  alarm(60); /* a watchdog */
  for (int round = 0; round < 2; ++round) {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "dropin.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&world);
    with_communicator(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
  }
  if (failures == 0) printf("sessions: ok\n");
  return failures != 0;
}
