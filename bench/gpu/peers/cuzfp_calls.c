/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuzfp_calls.h"

#include <zfp.h>

#ifndef BENCH_CUZFP_POLICY
#define BENCH_CUZFP_POLICY zfp_exec_cuda
#endif

typedef size_t (*Work)(zfp_stream*, zfp_field*);

static size_t compress(zfp_stream* zfp, zfp_field* field) { return zfp_compress(zfp, field); }
static size_t decompress(zfp_stream* zfp, zfp_field* field) { return zfp_decompress(zfp, field); }

static size_t with_stream(Work work, void* numbers, size_t count, double rate, void* frame, size_t bytes) {
  size_t result = 0;
  zfp_field* field = zfp_field_1d(numbers, zfp_type_float, (unsigned)count);
  zfp_stream* zfp = zfp_stream_open(NULL);
  bitstream* bits = stream_open(frame, bytes);
  if (field != NULL && zfp != NULL && bits != NULL) {
    zfp_stream_set_rate(zfp, rate, zfp_type_float, 1, 0);
    zfp_stream_set_bit_stream(zfp, bits);
    zfp_stream_rewind(zfp);
    if (zfp_stream_set_execution(zfp, BENCH_CUZFP_POLICY)) result = work(zfp, field);
  }
  if (bits != NULL) stream_close(bits);
  if (zfp != NULL) zfp_stream_close(zfp);
  if (field != NULL) zfp_field_free(field);
  return result;
}

size_t bench_cuzfp_compress(void* numbers, size_t count, double rate, void* frame, size_t room) {
  return with_stream(compress, numbers, count, rate, frame, room);
}

size_t bench_cuzfp_decompress(void* frame, size_t bytes, double rate, void* numbers, size_t count) {
  return with_stream(decompress, numbers, count, rate, frame, bytes);
}
