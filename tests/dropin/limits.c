/* SPDX-License-Identifier: BSD-3-Clause
 * What a program may take of MPI under the drop-in: as many communicators as MPI has but for 64, any number one after
 * the other, and many requests; memory, file descriptors and threads do not grow.
 *
 * Arguments: exact or within E; then the number of communicators one after the other and of requests. */
#include <dirent.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { count = 512, most = 2100, batch = 2000, taken_by_laconic = 64 };

static int rank, size, failures;
static double bound;
static float mine[count], sum[count];

static void check(int condition, const char* what, long a, long b) {
  if (condition) return;
  ++failures;
  fprintf(stderr, "rank %d: %s, %ld, %ld\n", rank, what, a, b);
}

static long entries(const char* folder) {
  long n = 0;
  DIR* open = opendir(folder);
  while (open != NULL && readdir(open) != NULL) ++n;
  if (open != NULL) closedir(open);
  return n;
}

static long resident_pages(void) {
  long all = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident;
}

static void add_up(MPI_Comm comm) {
  memset(sum, 0, sizeof sum);
  MPI_Allreduce(mine, sum, count, MPI_FLOAT, MPI_SUM, comm);
  int right = 1;
  for (int k = 0; k < count; ++k) right = right && fabs(sum[k] - size * (k % 100) / 4.0) <= bound + 1e-5 * sum[k];
  check(right, "a sum", 0, 0);
}

/* The number of communicators that MPI gives; with_sums: each is used before the next is made. */
static int as_many_as_there_are(int with_sums) {
  static MPI_Comm made[most];
  int n = 0;
  while (n < most && MPI_Comm_dup(MPI_COMM_WORLD, &made[n]) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(made[n], MPI_ERRORS_ARE_FATAL); /* no error of Laconic may reach it */
    if (with_sums) add_up(made[n]);
    ++n;
  }
  for (int k = 0; k < n; ++k) MPI_Comm_free(&made[k]);
  return n;
}

static void one_after_the_other(long communicators) {
  long pages = 0, files = 0, threads = 0;
  for (long k = 0; k < communicators; ++k) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    add_up(comm);
    MPI_Comm_free(&comm);
    if (k != communicators / 2) continue;
    pages = resident_pages();
    files = entries("/proc/self/fd");
    threads = entries("/proc/self/task");
  }
  /* A page for every few communicators would be a leak; MPI itself may still grow a little. */
  check(resident_pages() - pages <= communicators / 20 + 64, "memory grows", pages, resident_pages());
  check(entries("/proc/self/fd") == files, "file descriptors grow", files, entries("/proc/self/fd"));
  check(entries("/proc/self/task") == threads, "threads grow", threads, entries("/proc/self/task"));
}

static void requests_in_batches(long number) {
  static MPI_Request requests[batch];
  static MPI_Status statuses[batch];
  static float got[batch / 2][16];
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  long pages = 0;
  for (long done = 0; done < number; done += batch) {
    for (int k = 0; k < batch; k += 2) {
      MPI_Irecv(got[k / 2], 16, MPI_FLOAT, last, 1, MPI_COMM_WORLD, &requests[k]);
      MPI_Isend(mine, 16, MPI_FLOAT, next, 1, MPI_COMM_WORLD, &requests[k + 1]);
    }
    MPI_Waitall(batch, requests, statuses);
    MPI_Barrier(MPI_COMM_WORLD);
    if (done <= number / 2) pages = resident_pages();
  }
  check(resident_pages() - pages <= number / 100 + 256, "memory grows with requests", pages, resident_pages());
}

static void other_handles(int number) {
  for (int k = 0; k < number; ++k) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Info info = MPI_INFO_NULL;
    int key = MPI_KEYVAL_INVALID;
    MPI_Type_contiguous(3, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    MPI_Info_create(&info);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_free_keyval(&key);
    MPI_Info_free(&info);
    MPI_Type_free(&type);
  }
}

int main(int argc, char** argv) {
  alarm(150); /* a watchdog */
  if (argc > 2 && strcmp(argv[1], "within") == 0) bound = atof(argv[2]);
  const char* const last = argc > 2 ? argv[argc - 1] : "";
  const long number = last[0] == 'n' ? atol(last + 1) : 2000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < count; ++k) mine[k] = (float)(k % 100) / 4;
  add_up(MPI_COMM_WORLD);
  const int plain = as_many_as_there_are(0);
  const int used = as_many_as_there_are(1);
  check(used >= plain - taken_by_laconic, "fewer communicators when they are used", plain, used);
  check(as_many_as_there_are(0) >= used, "communicators are lost", plain, used);
  one_after_the_other(number);
  requests_in_batches(10 * number);
  other_handles(5000);
  if (failures == 0) printf("limits: ok, %d of %d communicators\n", used, plain);
  MPI_Finalize();
  return failures != 0;
}
