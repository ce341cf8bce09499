/* SPDX-License-Identifier: BSD-3-Clause
 * Callbacks on MPI_COMM_SELF that communicate inside MPI_Finalize, messages that are received after the sender has
 * freed the communicator, after MPI_Comm_disconnect and after the sending thread has ended, and attributes with
 * callbacks on the program's communicators, which its own operations alone may call.
 *
 * Arguments: exact, or within E. */
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 4000, first_tag = 1, self_tag = 2, thread_tag = 3 };

static int rank, size, failures, copies;
static double bound;
static double sent[count], threads_own[count], got[count], sum[count];

static double value_of(int source, int k) { return source + floor(1000 * sin(0.01 * k)) / 1024; }

static void check(int condition, const char* what) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

static int last(void) { return (rank + size - 1) % size; }
static int next(void) { return (rank + 1) % size; }

static void check_message(const MPI_Status* status, const char* what) {
  int number = -1;
  MPI_Get_count(status, MPI_DOUBLE, &number);
  int right = number == count && status->MPI_SOURCE == last();
  for (int k = 0; k < count; ++k) right = right && fabs(got[k] - value_of(last(), k)) <= bound;
  check(right, what);
  memset(got, 0, sizeof got);
}

static void check_sum(const char* what) {
  int right = 1;
  for (int k = 0; k < count; ++k)
    right = right && fabs(sum[k] - (size * value_of(0, k) + size * (size - 1) / 2)) <= bound + 1e-9;
  check(right, what);
  memset(sum, 0, sizeof sum);
}

/* Set after communication, so it runs first: receives what was sent before MPI_Finalize, in several ways. */
static int receives(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int finalized = 1;
  MPI_Finalized(&finalized);
  check(!finalized, "MPI_Finalized in a callback");
  MPI_Status status;
  MPI_Message message;
  MPI_Recv(got, count, MPI_DOUBLE, last(), first_tag, MPI_COMM_WORLD, &status);
  check_message(&status, "MPI_Recv in a callback");
  MPI_Mprobe(last(), first_tag, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(got, count, MPI_DOUBLE, &message, &status);
  check_message(&status, "MPI_Mrecv in a callback");
  MPI_Request request;
  MPI_Irecv(got, count, MPI_DOUBLE, last(), first_tag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  check_message(&status, "MPI_Irecv in a callback");
  MPI_Sendrecv(sent, count, MPI_DOUBLE, next(), 9, got, count, MPI_DOUBLE, last(), 9, MPI_COMM_WORLD, &status);
  check_message(&status, "MPI_Sendrecv in a callback");
  return MPI_SUCCESS;
}

/* Set before any communication, so it runs last. */
static int reduces(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Allreduce(sent, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check_sum("MPI_Allreduce in a callback");
  MPI_Request request;
  MPI_Iallreduce(sent, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_sum("MPI_Iallreduce in a callback");
  printf("callbacks of rank %d: %d failures\n", rank, failures);
  return MPI_SUCCESS;
}

static void at_the_end(MPI_Comm_delete_attr_function* function) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free_keyval(&key);
}

static int on_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

/* The first call on a communicator with attributes, in every form; then the program's own duplication. */
static void attributes(void) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  for (int form = 0; form < 4; ++form) {
    MPI_Comm comm = MPI_COMM_NULL, other = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    MPI_Comm_set_attr(comm, key, &key);
    copies = 0;
    if (form == 0) MPI_Allreduce(sent, sum, count, MPI_DOUBLE, MPI_SUM, comm);
    if (form == 1) MPI_Iallreduce(sent, sum, count, MPI_DOUBLE, MPI_SUM, comm, &request);
#if MPI_VERSION >= 4
    if (form == 2) MPI_Allreduce_init(sent, sum, count, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
    if (form == 2) MPI_Start(&request);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    if (form == 3)
      MPI_Sendrecv(sent, count, MPI_DOUBLE, next(), 0, got, count, MPI_DOUBLE, last(), 0, comm, MPI_STATUS_IGNORE);
    /* After a nonblocking call, the next blocking one prepares the communicator. */
    MPI_Allreduce(sent, sum, count, MPI_DOUBLE, MPI_SUM, comm);
    check_sum("MPI_Allreduce on a communicator with attributes");
    check(copies == 0, "an attribute was copied by a call that duplicates nothing");
    MPI_Comm_dup(comm, &other);
    check(copies == 1, "MPI_Comm_dup copies the attribute once");
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
  }
  MPI_Comm_free_keyval(&key);
  memset(got, 0, sizeof got);
}

static void send_and_forget(const double* buffer, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(buffer, count, MPI_DOUBLE, next(), tag, comm, &request);
  MPI_Request_free(&request);
}

static void* send_in_thread(void* unused) {
  (void)unused;
  send_and_forget(threads_own, thread_tag, MPI_COMM_WORLD);
  return NULL;
}

static void received_later(int threads) {
  MPI_Status status;
  MPI_Comm freed = MPI_COMM_NULL, apart = MPI_COMM_NULL;
  /* One rank frees the communicator while its message is under way, and the other receives it. */
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  if (size > 1) {
    if (rank == 0) send_and_forget(sent, self_tag, freed);
    if (rank == 1) MPI_Recv(got, count, MPI_DOUBLE, 0, self_tag, freed, &status);
    if (rank == 1) check_message(&status, "a message on a communicator that its sender has freed");
  }
  MPI_Comm_free(&freed);
  MPI_Comm_dup(MPI_COMM_WORLD, &apart);
  send_and_forget(sent, self_tag, MPI_COMM_WORLD);
  MPI_Comm_disconnect(&apart);
  MPI_Recv(got, count, MPI_DOUBLE, last(), self_tag, MPI_COMM_WORLD, &status);
  check_message(&status, "a message after MPI_Comm_disconnect");
  if (!threads) return;
  pthread_t thread;
  check(pthread_create(&thread, NULL, send_in_thread, NULL) == 0, "no thread");
  pthread_join(thread, NULL);
  MPI_Recv(got, count, MPI_DOUBLE, last(), thread_tag, MPI_COMM_WORLD, &status);
  check_message(&status, "a message of a thread that has ended");
}

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  alarm(60); /* a watchdog */
  if (argc > 2 && strcmp(argv[1], "within") == 0) bound = atof(argv[2]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  at_the_end(reduces);
  for (int k = 0; k < count; ++k) sent[k] = threads_own[k] = value_of(rank, k);
  attributes();
  received_later(provided == MPI_THREAD_MULTIPLE);
  at_the_end(receives);
  for (int k = 0; k < 3; ++k) send_and_forget(sent, first_tag, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures != 0;
}
