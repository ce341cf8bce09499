// SPDX-License-Identifier: BSD-3-Clause
// The C API: completion of requests.
#include "comm/api/c_guard.hpp"
#include "comm/core/requests.hpp"
#include "laconic/laconic.h"

using laconic::guarded;

int laconic_wait(laconic_request* request, MPI_Status* status) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::wait(request, status); });
}

int laconic_waitall(int count, laconic_request requests[], MPI_Status statuses[]) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::wait_all(count, requests, statuses); });
}

int laconic_waitany(int count, laconic_request requests[], int* index, MPI_Status* status) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::wait_any(count, requests, index, status); });
}

int laconic_test(laconic_request* request, int* flag, MPI_Status* status) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::test_one(request, flag, status); });
}

int laconic_testall(int count, laconic_request requests[], int* flag, MPI_Status statuses[]) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::test_all(count, requests, flag, statuses); });
}

int laconic_request_get_status(laconic_request request, int* flag, MPI_Status* status) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::get_status(request, flag, status); });
}

int laconic_start(laconic_request* request) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::start(request); });
}

int laconic_startall(int count, laconic_request requests[]) {
  for (int k = 0; k < count; ++k)
    if (const int code = laconic_start(&requests[k]); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

int laconic_request_free(laconic_request* request) {
  return guarded(MPI_COMM_NULL, [&]() -> int { return laconic::free_request(request); });
}
