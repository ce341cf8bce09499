/* SPDX-License-Identifier: BSD-3-Clause
 * Stands in for the CUDA driver and counts what is asked of it.  Like a driver that nobody has initialised, it answers
 * every call with CUDA_ERROR_NOT_INITIALIZED. */
#include <stddef.h>

static int questions, others;

/* Calls that any process may make, and all other calls. */
int stub_driver_questions(void) { return questions; }
int stub_driver_others(void) { return others; }

#define NOT_INITIALIZED 3
#define STUB(function, counter) \
  int function(void);           \
  int function(void) { return ++counter, NOT_INITIALIZED; }

STUB(cuPointerGetAttributes, questions)
STUB(cuInit, others)
STUB(cuDriverGetVersion, others)
STUB(cuGetProcAddress, others)
STUB(cuGetProcAddress_v2, others)
STUB(cuGetExportTable, others)
STUB(cuDeviceGetCount, others)
STUB(cuDeviceGetName, others)
STUB(cuCtxCreate_v2, others)
STUB(cuCtxGetCurrent, others)
STUB(cuCtxSetCurrent, others)
STUB(cuCtxPushCurrent_v2, others)
STUB(cuCtxPopCurrent_v2, others)
STUB(cuDevicePrimaryCtxGetState, others)
STUB(cuDevicePrimaryCtxRetain, others)
STUB(cuDevicePrimaryCtxRelease_v2, others)
STUB(cuThreadExchangeStreamCaptureMode, others)
