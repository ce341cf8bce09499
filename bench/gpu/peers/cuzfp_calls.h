/* SPDX-License-Identifier: BSD-3-Clause
 * zfp's CUDA execution policy at a fixed rate, one dimension of float32 in device memory.  It is a library of its own
 * with all other names hidden, because the codec zfp may use another libzfp in the same process. */
#ifndef LACONIC_BENCH_CUZFP_CALLS_H
#define LACONIC_BENCH_CUZFP_CALLS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of the frame, 0 if zfp could not make one. */
__attribute__((visibility("default"))) size_t bench_cuzfp_compress(void* numbers, size_t count, double rate,
                                                                   void* frame, size_t room);
/* Returns 0 if zfp could not read the frame. */
__attribute__((visibility("default"))) size_t bench_cuzfp_decompress(void* frame, size_t bytes, double rate,
                                                                     void* numbers, size_t count);

#ifdef __cplusplus
}
#endif

#endif
