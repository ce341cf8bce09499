// SPDX-License-Identifier: BSD-3-Clause
#include "comm/messages/packet.hpp"

#include <algorithm>
#include <cstring>

#include "comm/core/datatypes.hpp"
#include "comm/core/large_count.hpp"
#include "comm/core/staging_buffer.hpp"

namespace laconic {

std::size_t Data::bytes() const {
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  return static_cast<std::size_t>(std::max<MPI_Count>(size, 0)) * static_cast<std::size_t>(count);
}

std::span<std::byte> Data::extent() const { return extent_of(buffer, 0, count, type); }

bool Data::gapless() const {
  if (find_dtype(type).has_value()) return true;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return false;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  int size = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  MPI_Type_size(type, &size);
  return lower_bound == 0 && extent == size;  // false for pairs such as MPI_DOUBLE_INT
}

bool Packet::small(const Data& data) { return data.bytes() <= small_bytes && data.gapless(); }

// The datatype of envelope and data, relative to MPI_BOTTOM.  It consists of bytes where the data have no gaps.
//
// MPICH divides by zero when a message is shorter than its receive and the receive consists of several basic types that
// all have one size (seen in 5.0.2, not in 4.0.2).  So the envelope beside a type of the application is not described
// as bytes but by the one basic type that is larger than all others.
MPI_Datatype Packet::type_of_both(const Data& data) {
  const bool gapless = data.gapless();
  const LargeCount numbers(gapless ? static_cast<MPI_Count>(data.bytes()) : data.count, gapless ? MPI_BYTE : data.type);
  const MPI_Datatype unit = gapless ? MPI_BYTE : MPI_C_LONG_DOUBLE_COMPLEX;
  int width = 0;
  MPI_Type_size(unit, &width);
  int lengths[2] = {static_cast<int>(wire::envelope_bytes) / width, numbers.count()};
  MPI_Aint at[2] = {0, 0};
  MPI_Datatype types[2] = {unit, numbers.type()};
  MPI_Get_address(near_.data(), &at[0]);
  MPI_Get_address(data.buffer, &at[1]);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, at, types, &made);
  MPI_Type_commit(&made);
  return made;
}

int Packet::send(const wire::Envelope& envelope, const Data& data, const wire::Route& route, MPI_Comm comm) {
  checksum_ = wire::write_envelope(envelope, route, near_);
  if (small(data)) {
    const std::size_t bytes = data.bytes();
    if (bytes > 0) std::memcpy(near_.data() + wire::envelope_bytes, data.buffer, bytes);
    return MPI_Isend(near_.data(), static_cast<int>(wire::envelope_bytes + bytes), MPI_BYTE, route.dest, route.tag,
                     comm, &request_);
  }
  MPI_Datatype both = type_of_both(data);
  const int code = MPI_Isend(MPI_BOTTOM, 1, both, route.dest, route.tag, comm, &request_);
  MPI_Type_free(&both);
  return code;
}

int Packet::send_bare(const wire::Envelope& envelope, const wire::Route& route, MPI_Comm comm) {
  checksum_ = wire::write_envelope(envelope, route, near_);
  return MPI_Isend(near_.data(), static_cast<int>(wire::envelope_bytes), MPI_BYTE, route.dest, route.tag, comm,
                   &request_);
}

int Packet::receive(const Data& room, int source, int tag, MPI_Comm comm) {
  copied_ = small(room);
  if (copied_)
    return MPI_Irecv(near_.data(), static_cast<int>(wire::envelope_bytes + room.bytes()), MPI_BYTE, source, tag, comm,
                     &request_);
  MPI_Datatype both = type_of_both(room);
  const int code = MPI_Irecv(MPI_BOTTOM, 1, both, source, tag, comm, &request_);
  MPI_Type_free(&both);
  return code;
}

int Packet::poll(bool& finished) {
  int done = 0;
  const int code = MPI_Test(&request_, &done, &status_);
  finished = done != 0 || code != MPI_SUCCESS;
  return code;
}

wire::ReadEnvelope Packet::read(int rank) const {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status_, MPI_BYTE, &bytes);
  const auto received = static_cast<std::size_t>(std::max<MPI_Count>(bytes, 0));
  return wire::read_envelope(near_, received, {status_.MPI_SOURCE, rank, status_.MPI_TAG});
}

void Packet::unpack(const Data& room, std::size_t bytes) const {
  if (copied_ && bytes > 0) std::memcpy(room.buffer, near_.data() + wire::envelope_bytes, bytes);
}

}  // namespace laconic
