// SPDX-License-Identifier: BSD-3-Clause
// Where the program wants a message: the buffer of a receive.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "core/buffers.hpp"

namespace laconic::dropin {

struct ReceiveBuffer {
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;

  // Bytes that it holds; -1 where MPI does not know the type.
  MPI_Count room() const;
};

// The bytes that a status tells of; those that the program is to see.
MPI_Count bytes_of(const MPI_Status& status);
void set_bytes(MPI_Status& status, MPI_Count bytes);
// As MPI's functions of one status do: what they say of errors they return, and MPI_ERROR stays what it was.
void tell(const MPI_Status& found, MPI_Status& status);

// A message that MPI has received as it came: an envelope is opened, and the status says what the program would have
// seen without it. Returns an error of MPI's or Laconic's.
int settle(const ReceiveBuffer& receive_buffer, MPI_Status& status);

// A message that was received elsewhere: puts it, or what it is the envelope of, where the program wants it.
int deliver(const ReceiveBuffer& receive_buffer, const std::byte* message, MPI_Count bytes, MPI_Status& status);

// All that is in it, as bytes in a row.
int copy_of(const ReceiveBuffer& receive_buffer, Buffer& out, int& bytes);

// Messages of this process to itself: a communicator that only they use.
void open_self();
void close_self();
MPI_Comm self();

}  // namespace laconic::dropin
