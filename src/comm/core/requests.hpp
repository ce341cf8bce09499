// SPDX-License-Identifier: BSD-3-Clause
// Beginning and completing operations: the part that all calls share.
#pragma once

#include <mpi.h>

#include <memory>

#include "comm/core/binding.hpp"
#include "comm/core/operation.hpp"
#include "laconic/laconic.h"

namespace laconic {

inline Operation* operation_of(laconic_request request) { return static_cast<Operation*>(request); }

// Takes an idle operation, or makes one; give_back() takes it back after it has been completed.
template <class T>
T* take_operation(std::vector<std::unique_ptr<Operation>>& idle) {
  if (idle.empty()) return new T;
  auto* operation = static_cast<T*>(idle.back().release());
  idle.pop_back();
  return operation;
}
void give_back(Operation* operation, std::vector<std::unique_ptr<Operation>>& idle);

// Adds an operation that has just begun to those that are polled, unless it has finished already.  The caller holds the
// lock.
void launch(Operation& operation);

// Polls everything until the operation has finished.
void drive(Operation& operation);

// Polls everything once; true when the operation has finished.
bool test(Operation& operation);

// Makes the machinery of a communicator, if the ranks can.  Collective over it, and waits for all ranks.
void prepare(Binding& binding);

// The MPI error code of a finished operation, after the error handler has been called with it.
int outcome(Operation& operation);

// MPI_Wait, MPI_Test and their forms for several requests.
int wait(laconic_request* request, MPI_Status* status);
int wait_all(int count, laconic_request requests[], MPI_Status statuses[]);
int wait_any(int count, laconic_request requests[], int* index, MPI_Status* status);
int test_one(laconic_request* request, int* flag, MPI_Status* status);
int test_all(int count, laconic_request requests[], int* flag, MPI_Status statuses[]);
int get_status(laconic_request request, int* flag, MPI_Status* status);
int start(laconic_request* request);
int free_request(laconic_request* request);

}  // namespace laconic
