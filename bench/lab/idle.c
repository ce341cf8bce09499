/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets MPI ranks that wait by polling share few cores (LD_PRELOAD into the ranks).
 *
 * Over TCP an MPI library waits by calling epoll_wait() or poll() with timeout 0 in a loop.  With more ranks than
 * cores the waiting ranks then take the cores from the working ones, and times come in steps of the scheduler's tick.
 * Here a thread that has polled in vain several times in a row, doing nothing in between, waits in the kernel on the
 * same descriptors for a moment.  Arriving data ends the wait, so a message is not seen later than by polling, but
 * for the wake-up.  A program that computes between its polls is left alone, and so is every call with a timeout.
 *
 * LACONIC_IDLE_US sets the longest wait (default 500; 0 switches the library off).  Programs built with a sanitizer
 * refuse other libraries in front of its runtime: do not preload this into them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { POLLS_IN_VAIN = 10, WORK_NS = 20000, SIGNAL_SET_BYTES = 8 };

static long longest_wait_us = 500;
static __thread long last_poll_ns;
static __thread int in_vain;

__attribute__((constructor)) static void read_settings(void) {
  const char* text = getenv("LACONIC_IDLE_US");
  if (text) longest_wait_us = atol(text);
}

static long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Direct system calls, because this library replaces the C functions that would make them. */
static int poll_for(struct pollfd* fds, nfds_t count, long us) {
  struct timespec t = {us / 1000000, us % 1000000 * 1000};
  return (int)syscall(SYS_ppoll, fds, count, us < 0 ? NULL : &t, NULL, SIGNAL_SET_BYTES);
}

static int epoll_for(int fd, struct epoll_event* events, int capacity, int ms) {
  return (int)syscall(SYS_epoll_pwait, fd, events, capacity, ms, NULL, SIGNAL_SET_BYTES);
}

/* Whether to wait after a poll that began at `begin` and found `found` events. */
static int should_wait(long begin, int found) {
  if (found != 0 || begin - last_poll_ns > WORK_NS) in_vain = 0;
  last_poll_ns = now_ns();
  return found == 0 && ++in_vain > POLLS_IN_VAIN;
}

static void waited(void) { last_poll_ns = now_ns(); }

int epoll_wait(int fd, struct epoll_event* events, int capacity, int timeout) {
  if (timeout != 0 || longest_wait_us <= 0) return epoll_for(fd, events, capacity, timeout);
  long begin = now_ns();
  int found = epoll_for(fd, events, capacity, 0);
  if (!should_wait(begin, found)) return found;
  /* An epoll descriptor is itself readable when it has events; epoll_wait knows only milliseconds. */
  struct pollfd any = {fd, POLLIN, 0};
  if (poll_for(&any, 1, longest_wait_us) > 0) in_vain = 0;
  waited();
  return epoll_for(fd, events, capacity, 0);
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  if (timeout != 0 || longest_wait_us <= 0 || count == 0)
    return poll_for(fds, count, timeout < 0 ? -1 : timeout * 1000L);
  long begin = now_ns();
  int found = poll_for(fds, count, 0);
  if (!should_wait(begin, found)) return found;
  found = poll_for(fds, count, longest_wait_us);
  if (found != 0) in_vain = 0;
  waited();
  /* The caller did not ask for this wait, so a signal during it is not reported as an error. */
  return found < 0 ? poll_for(fds, count, 0) : found;
}
