// SPDX-License-Identifier: BSD-3-Clause
// The program's buffer for a receive, and the delivery of messages into it.
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

  // The capacity in bytes; -1 if the count or the type is not valid.
  MPI_Count room() const;
};

// Get and set the byte count of a status; the latter sets the length that the program sees.
MPI_Count bytes_of(const MPI_Status& status);
void set_bytes(MPI_Status& status, MPI_Count bytes);
// Copies a status as MPI functions with a single status do: errors are returned by the function, and the field
// MPI_ERROR stays unchanged.
void tell(const MPI_Status& found, MPI_Status& status);

// Finishes a message that MPI has received into the buffer: an envelope is decompressed into the same buffer, and the
// status is set as for the uncompressed message. Returns an error code of MPI or Laconic.
int settle(const ReceiveBuffer& receive_buffer, MPI_Status& status);

// Delivers a message that was received into other memory: copies or decompresses it into the receive buffer.
int deliver(const ReceiveBuffer& receive_buffer, const std::byte* message, MPI_Count bytes, MPI_Status& status);

// Packs the whole content of the buffer into contiguous bytes.
int copy_of(const ReceiveBuffer& receive_buffer, Buffer& out, int& bytes);

// A duplicate of MPI_COMM_SELF, for the drop-in's own messages within this process.
void open_self();
void close_self();
MPI_Comm self();

}  // namespace laconic::dropin
