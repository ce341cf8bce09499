// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/requests.hpp"

#include <string>
#include <thread>

#include "comm/collectives/collective.hpp"
#include "comm/core/errors.hpp"
#include "comm/core/process.hpp"

namespace laconic {
namespace {

// Fills the MPI_Status as MPI does for a request that is null or inactive.
void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
}

bool inactive(laconic_request request) {
  return request == LACONIC_REQUEST_NULL || (operation_of(request)->persistent && !operation_of(request)->pending);
}

bool finished(Operation& operation) {
  const std::lock_guard lock(operation.binding->mutex);
  return !operation.in_flight;
}

// Fills the status of a finished operation that ended with this code.
void set_status(MPI_Status* status, const Operation& operation, int code) {
  if (status == MPI_STATUS_IGNORE) return;
  if (operation.has_envelope)
    *status = operation.envelope;
  else
    set_empty(status);
  status->MPI_ERROR = code;
}

// Fills the status of a finished operation, and releases the request unless it is persistent.
int complete(laconic_request* request, MPI_Status* status, int& own_code) {
  Operation& operation = *operation_of(*request);
  own_code = outcome(operation);
  set_status(status, operation, own_code);
  operation.pending = false;
  if (operation.persistent) {
    operation.completed();
  } else {
    operation.release();
    *request = LACONIC_REQUEST_NULL;
  }
  return own_code;
}

Status null_request(const char* name) {
  return {Code::request, std::string(name) + " is NULL; valid is the address of a laconic_request"};
}

Status check_array(int count, const laconic_request requests[]) {
  if (count < 0) return {Code::count, "count is " + std::to_string(count) + "; valid are 0 and above"};
  if (count > 0 && requests == nullptr) return null_request("requests");
  return {};
}

MPI_Status* status_of(MPI_Status statuses[], int k) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + k;
}

int complete_all(int count, laconic_request requests[], MPI_Status statuses[]) {
  bool failed = false;
  for (int k = 0; k < count; ++k) {
    int code = MPI_SUCCESS;
    if (inactive(requests[k]))
      set_empty(status_of(statuses, k));
    else
      failed = complete(&requests[k], status_of(statuses, k), code) != MPI_SUCCESS || failed;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

bool all_finished(int count, laconic_request requests[]) {
  for (int k = 0; k < count; ++k)
    if (!inactive(requests[k]) && !finished(*operation_of(requests[k]))) return false;
  return true;
}

}  // namespace

void give_back(Operation* operation, std::vector<std::unique_ptr<Operation>>& idle) {
  idle.emplace_back(operation);
  operation->binding.reset();
}

void launch(Operation& operation) {
  Binding& binding = *operation.binding;
  operation.pending = true;
  if (!operation.in_flight) return;
  binding.operations.push_back(&operation);
  binding.in_flight.fetch_add(1);
  if (operation.wants_thread) Process::instance().progress_thread().operation_begins();
}

namespace {

// Polls everything once; true when the operation has finished.  moved: whether any operation has come further.
bool poll_all(Operation& operation, bool& moved) {
  Process::instance().progress_thread().application_polls();
  Binding& binding = *operation.binding;
  {
    const std::lock_guard lock(binding.mutex);
    moved = binding.progress();
    if (!operation.in_flight) return true;
  }
  moved = Process::instance().progress(&binding) || moved;
  return finished(operation);
}

}  // namespace

bool test(Operation& operation) {
  bool moved = false;
  return poll_all(operation, moved);
}

// As MPI's own waits do, a wait in vain leaves the processor to ranks that share it.
void drive(Operation& operation) {
  for (bool moved = false; !poll_all(operation, moved);)
    if (!moved) std::this_thread::yield();
}

void prepare(Binding& binding) {
  if (binding.prepared()) return;
  for (;;) {
    {
      const std::lock_guard lock(binding.mutex);
      if (binding.poll_machinery()) return;
    }
    Process::instance().progress();
  }
}

int outcome(Operation& operation) {
  if (operation.mpi_code != MPI_SUCCESS) return operation.mpi_code;  // MPI has already called the handler
  return report(operation.binding->comm, operation.status);
}

int wait(laconic_request* request, MPI_Status* status) {
  if (request == nullptr) return report(MPI_COMM_NULL, null_request("request"));
  if (inactive(*request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  drive(*operation_of(*request));
  int code = MPI_SUCCESS;
  return complete(request, status, code);
}

int test_one(laconic_request* request, int* flag, MPI_Status* status) {
  if (request == nullptr) return report(MPI_COMM_NULL, null_request("request"));
  if (flag == nullptr) return report(MPI_COMM_NULL, {Code::argument, "flag is NULL; valid is the address of an int"});
  *flag = 1;
  if (inactive(*request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  if (!test(*operation_of(*request))) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  int code = MPI_SUCCESS;
  return complete(request, status, code);
}

int wait_all(int count, laconic_request requests[], MPI_Status statuses[]) {
  if (Status s = check_array(count, requests); !s) return report(MPI_COMM_NULL, s);
  for (int k = 0; k < count; ++k)
    if (!inactive(requests[k])) drive(*operation_of(requests[k]));
  return complete_all(count, requests, statuses);
}

int test_all(int count, laconic_request requests[], int* flag, MPI_Status statuses[]) {
  if (Status s = check_array(count, requests); !s) return report(MPI_COMM_NULL, s);
  if (flag == nullptr) return report(MPI_COMM_NULL, {Code::argument, "flag is NULL; valid is the address of an int"});
  // The first request that has not finished polls all operations, except those of communicators that another thread
  // polls.  A finished request polls only its own communicator.
  for (int k = 0; k < count; ++k)
    if (!inactive(requests[k]) && !test(*operation_of(requests[k]))) break;
  *flag = all_finished(count, requests);
  return *flag ? complete_all(count, requests, statuses) : MPI_SUCCESS;
}

int wait_any(int count, laconic_request requests[], int* index, MPI_Status* status) {
  if (Status s = check_array(count, requests); !s) return report(MPI_COMM_NULL, s);
  if (index == nullptr) return report(MPI_COMM_NULL, {Code::argument, "index is NULL; valid is the address of an int"});
  *index = MPI_UNDEFINED;
  for (;;) {
    bool waiting = false;
    for (int k = 0; k < count; ++k) {
      if (inactive(requests[k])) continue;
      waiting = true;
      if (!test(*operation_of(requests[k]))) continue;
      *index = k;
      int code = MPI_SUCCESS;
      return complete(&requests[k], status, code);
    }
    if (waiting) continue;
    set_empty(status);
    return MPI_SUCCESS;
  }
}

int get_status(laconic_request request, int* flag, MPI_Status* status) {
  if (flag == nullptr) return report(MPI_COMM_NULL, {Code::argument, "flag is NULL; valid is the address of an int"});
  *flag = 1;
  if (inactive(request)) {
    set_empty(status);
    return MPI_SUCCESS;
  }
  Operation& operation = *operation_of(request);
  if (!test(operation)) return *flag = 0, MPI_SUCCESS;
  set_status(status, operation, operation.mpi_code != MPI_SUCCESS ? operation.mpi_code : remember(operation.status));
  return MPI_SUCCESS;
}

int start(laconic_request* request) {
  if (request == nullptr) return report(MPI_COMM_NULL, null_request("request"));
  if (*request == LACONIC_REQUEST_NULL || !operation_of(*request)->persistent)
    return report(MPI_COMM_NULL, {Code::request, "the request is not persistent; valid is one of a laconic_..._init"});
  Operation& operation = *operation_of(*request);
  if (operation.pending)
    return report(operation.binding->comm,
                  {Code::request, "the request is in flight; complete it before it is started again"});
  const std::lock_guard lock(operation.binding->mutex);
  operation.restart();
  launch(operation);
  return MPI_SUCCESS;
}

int free_request(laconic_request* request) {
  if (request == nullptr) return report(MPI_COMM_NULL, null_request("request"));
  if (*request == LACONIC_REQUEST_NULL) return MPI_SUCCESS;
  Operation& operation = *operation_of(*request);
  if (operation.pending)
    return report(operation.binding->comm, {Code::request, "the request is in flight; complete it before it is freed"});
  operation.release();
  *request = LACONIC_REQUEST_NULL;
  return MPI_SUCCESS;
}

}  // namespace laconic
