// SPDX-License-Identifier: BSD-3-Clause
// The conversion of a Status to the form that MPI programs expect: an error code, a message, the communicator's error
// handler.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "base/status.hpp"

namespace laconic {

// The MPI error class for this kind of failure.
int class_of(Code code);
Code code_of_class(int error_class);

// Remembers the message for this thread and returns an MPI error code that carries it where the MPI library can.  Also
// usable outside MPI_Init ... MPI_Finalize: the code is then the class.
int remember(const Status& status);

// remember(), and calls the error handler of comm (of MPI_COMM_SELF for MPI_COMM_NULL, as MPI does).
int report(MPI_Comm comm, const Status& status);

// True when the error handler of comm ends the program.
bool errors_are_fatal(MPI_Comm comm);

// The message remembered for `code`, or MPI's text.
std::string message_of(int code);

// Adds the name of the operation to a frame error, which is about data from another rank.
Status in_operation(std::string_view operation, const Status& status);

}  // namespace laconic
