/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of programs in C that call the public API and are compiled against the headers of several versions. */
#pragma once

#include <laconic/laconic.h>
#include <stdio.h>

static int rank, ranks, failures;

static void check(int right, const char* what, int line) {
  if (right) return;
  ++failures;
  fprintf(stderr, "rank %d, line %d: %s\n", rank, line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static void check_code(int code, int line) {
  char text[1024];
  if (code == MPI_SUCCESS) return;
  laconic_error_string(code, text, sizeof text);
  check(0, text, line);
}
#define CALL(expression) check_code(expression, __LINE__)
