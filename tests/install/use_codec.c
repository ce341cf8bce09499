/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's program that has no MPI: it compiles without a warning and runs. */
#include <laconic/codec.h>
#include <math.h>
#include <stdio.h>

enum { COUNT = 1000, CAPACITY = 8192 };

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, laconic_codec_error());
  return 1;
}

int main(void) {
  static double in[COUNT], out[COUNT];
  static unsigned char frames[CAPACITY * 2];
  size_t bytes = 0;
  laconic_coder coder;
  laconic_coding coding;
  laconic_coding_init(&coding);
  coding.dtype = LACONIC_FLOAT64;
  if (laconic_bound_parse("abs:1e-3", &coding.bound) != LACONIC_OK) return fail("bound");
  if (laconic_coder_create(&coding, &coder) != LACONIC_OK) return fail("create");
  for (int i = 0; i < COUNT; ++i) in[i] = sin(0.01 * i);
  if (laconic_coder_encode(coder, in, COUNT, frames, sizeof frames, &bytes) != LACONIC_OK) return fail("encode");
  if (laconic_coder_decode(coder, frames, bytes, out, COUNT, 1) != LACONIC_OK) return fail("decode");
  laconic_coder_free(coder);
  int right = bytes < sizeof in / 2;
  for (int i = 0; i < COUNT; ++i) right = right && fabs(out[i] - in[i]) <= 1e-3;
  printf("%d numbers in %d bytes: %s\n", COUNT, (int)bytes, right ? "right" : "wrong");
  return right ? 0 : 1;
}
