// SPDX-License-Identifier: BSD-3-Clause
// One message on the application's communicator: the data as they are, or an envelope in their place.  Data are sent
// from and received into the application's buffer, as by MPI itself, so a message that is not compressed costs no more
// than one of MPI's.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>

#include "wire/envelope.hpp"

namespace laconic {

// The data of a message as described by MPI arguments.
struct Data {
  void* buffer = nullptr;  // a send only reads it
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  std::size_t bytes() const;
  std::span<std::byte> extent() const;  // all that MPI may touch
  bool gapless() const;                 // the bytes of the elements are those of the buffer, one after another
};

class Packet {
 public:
  // These return MPI error codes.  route: from this rank.
  int send(const Data& data, const wire::Route& route, MPI_Comm comm);
  int send_envelope(const wire::Envelope& envelope, const wire::Route& route, MPI_Comm comm);
  int receive(const Data& room, int source, int tag, MPI_Comm comm);
  // Takes a message that is in the room already.
  void take(const MPI_Status& arrived);
  int poll(bool& finished);
  // Whether MPI has still to send or receive it.
  bool in_flight() const { return request_ != MPI_REQUEST_NULL; }
  // Waits inside MPI for a message in flight; poll() then returns the outcome.
  void wait();

  // The status of the received message, as far as it has arrived, and its size in bytes.
  const MPI_Status& status() const { return status_; }
  std::size_t received() const;

  // A room smaller than an envelope is not received into: the message is in bytes(), and may be larger than the room.
  bool aside() const { return aside_; }
  // Copies the message to such a room.
  int copy_to(const Data& room) const;
  // Copies a message as long as an envelope from any other room to bytes().
  int read_back(const Data& room);
  std::span<const std::byte> bytes() const { return near_; }

  // The checksum of the envelope that is sent.
  std::uint64_t checksum() const { return checksum_; }

 private:
  std::array<std::byte, wire::envelope_bytes> near_{};
  std::uint64_t checksum_ = 0;
  bool aside_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  int code_ = MPI_SUCCESS;  // of wait()
};

}  // namespace laconic
