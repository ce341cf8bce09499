// SPDX-License-Identifier: BSD-3-Clause
// One message on the application's communicator: an envelope, and the data behind it.  Small data are copied next to
// the envelope; larger data are sent from and received into the application's buffer, as one datatype of both.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

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
  Packet() : near_(wire::envelope_bytes + small_bytes) {}

  // These return MPI error codes.  route: from this rank.
  int send(const wire::Envelope& envelope, const Data& data, const wire::Route& route, MPI_Comm comm);
  int send_bare(const wire::Envelope& envelope, const wire::Route& route, MPI_Comm comm);
  int receive(const Data& room, int source, int tag, MPI_Comm comm);
  int poll(bool& finished);

  // The status of the received message, as far as it has arrived, and its envelope.
  const MPI_Status& status() const { return status_; }
  wire::ReadEnvelope read(int rank) const;

  // The checksum of the envelope that is sent.
  std::uint64_t checksum() const { return checksum_; }

  // Copies small data that were received to the application's buffer.
  void unpack(const Data& room, std::size_t bytes) const;

 private:
  // Up to this size a copy costs less than a datatype.
  static constexpr std::size_t small_bytes = std::size_t{16} << 10;
  static bool small(const Data& data);
  MPI_Datatype type_of_both(const Data& data);

  std::vector<std::byte> near_;  // the envelope, and small data
  std::uint64_t checksum_ = 0;
  bool copied_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
};

}  // namespace laconic
