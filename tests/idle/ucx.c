/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets ranks of an MPI over UCX (Debian's MPICH 4) that wait by polling share few cores (LD_PRELOAD into the ranks).
 *
 * UCX polls shared memory, where there is no descriptor to wait on, and never yields: with more ranks than cores the
 * waiting ranks keep the cores for whole time slices, and 8 ranks on 2 cores do not finish in minutes. Here a rank
 * that has polled in vain several times in a row sleeps for a moment. MPIs that wait on descriptors are served by
 * bench/lab/idle.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <time.h>

enum { POLLS_IN_VAIN = 20, SLEEP_NS = 20000 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static __thread unsigned (*real)(void*);
  static __thread int in_vain;
  if (!real) {
    void* symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&real, &symbol, sizeof real); /* ISO C has no cast from object to function pointer */
  }
  unsigned progress = real(worker);
  if (progress) {
    in_vain = 0;
  } else if (++in_vain >= POLLS_IN_VAIN) {
    in_vain = 0;
    struct timespec moment = {0, SLEEP_NS};
    nanosleep(&moment, NULL);
  }
  return progress;
}
